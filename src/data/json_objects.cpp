#include "data/json_objects.h"

#include <atomic>

namespace harn::data {

using namespace vm;

StringObject* intern_data_key(std::string_view key) {
  constexpr uint32_t kMaxKeys = 8192;
  constexpr size_t kMaxKeySize = 64;
  static std::atomic<uint32_t> interned_keys = 0;

  if (StringObject* known = find_interned(key)) return known;
  if (key.size() > kMaxKeySize) return nullptr;
  if (interned_keys.fetch_add(1, std::memory_order_relaxed) >= kMaxKeys) {
    interned_keys.store(kMaxKeys, std::memory_order_relaxed);
    return nullptr;
  }
  return intern(key);
}

Shape* find_data_shape(std::span<const Ref<StringObject>> keys) {
  if (keys.size() > Shape::kMaxSlots) return nullptr;
  Shape* shape = empty_shape();
  for (size_t i = 0; shape && i < keys.size(); ++i) {
    intern_data_key(keys[i]->view());
    shape = shape->with(keys[i].get());
  }
  return shape;
}

ObjectBuilder::Open ObjectBuilder::begin(size_t depth, size_t expected_keys) {
  Shape* guess = guesses_[depth % kGuesses];
  return {keys_.size(), guess, guess != nullptr, expected_keys <= Shape::kMaxSlots, depth};
}

StringObject* ObjectBuilder::key_object(const Open& open, std::string_view key) {
  // An object with very many keys is a table of data: its keys are not names.
  bool interns = open.interns && keys_.size() - open.base < Shape::kMaxSlots;
  StringObject* interned = interns ? intern_data_key(key) : find_interned(key);
  return interned ? interned : new_string(key).detach();
}

void ObjectBuilder::add_key(Open& open, std::string_view key) {
  size_t number = keys_.size() - open.base;
  if (open.fits_guess && number < open.guess->count && open.guess->keys[number]->view() == key) {
    keys_.push_back(open.guess->keys[number]);
    return;
  }
  open.fits_guess = false;
  keys_.push_back(key_object(open, key));
}

// The shape with exactly these keys in this order; null when there is none, or a key comes twice.
Shape* ObjectBuilder::find_shape(const Open& open) const {
  if (keys_.size() - open.base > Shape::kMaxSlots) return nullptr;
  Shape* shape = empty_shape();
  for (size_t i = open.base; shape && i < keys_.size(); ++i) {
    const StringObject* key = keys_[i];
    if (shape->find(key) >= 0) return nullptr;
    shape = shape->with(key);
  }
  return shape;
}

void ObjectBuilder::drop_keys(size_t base) {
  for (size_t i = base; i < keys_.size(); ++i) release(keys_[i]);
  keys_.resize(base);
}

Value ObjectBuilder::finish(Open& open) {
  size_t count = keys_.size() - open.base;
  Value* values = values_.data() + values_.size() - count;
  Shape* shape = open.fits_guess && open.guess->count == count ? open.guess : find_shape(open);
  Value result;
  if (shape) {
    auto dict = new_dict(shape);
    for (size_t i = 0; i < count; ++i) dict->slots()[i] = std::move(values[i]);
    guesses_[open.depth % kGuesses] = shape;
    result = std::move(dict);
  } else {
    result = new_dict(count);
    for (size_t i = 0; i < count; ++i) {
      dict_set(result, static_cast<const StringObject*>(keys_[open.base + i]), std::move(values[i]));
    }
  }
  drop_keys(open.base);
  values_.resize(values_.size() - count);
  return result;
}

// Shapes live for ever. A task may go on on another thread while it reads, so the guesses are its own meanwhile.
static thread_local std::array<Shape*, ObjectBuilder::kGuesses> last_guesses{};

[[gnu::noinline]] ObjectBuilder::ObjectBuilder() : guesses_(last_guesses) {}

[[gnu::noinline]] ObjectBuilder::~ObjectBuilder() {
  drop_keys(0);
  last_guesses = guesses_;
}

}  // namespace harn::data
