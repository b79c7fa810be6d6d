#include "vm/known_type.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "vm/pace.h"
#include "vm/type_check.h"

namespace harn::vm {

using bytecode::TypeCheck;
using K = TypeCheck::Kind;

namespace {

bool is_collection(const TypeCheck& type) {
  return type.kind == K::List || type.kind == K::Dict || type.kind == K::Set;
}

// A text that two types share when they take the same values for the same reasons.
class Description {
 public:
  explicit Description(const TypeCheck& type) { add(type); }

  std::string text;
  bool has_literals = false;
  bool is_recursive = false;

 private:
  void add_name(std::string_view name) { text += std::to_string(name.size()) + ':' + std::string(name); }

  void add(const TypeCheck& type) {
    switch (type.kind) {
      case K::Int:
      case K::Float:
      case K::Number: text += 'n'; return;  // they stand in for each other
      case K::LiteralString:
      case K::LiteralInt:
      case K::LiteralBool: has_literals = true; break;
      case K::Again: is_recursive = true; break;
      default: break;
    }
    text += static_cast<char>('A' + static_cast<int>(type.kind));
    if (type.kind == K::LiteralString || type.kind == K::Nominal) add_name(type.text);
    if (type.declaration) text += '#' + std::to_string(type.declaration);
    if (type.number) text += '=' + std::to_string(type.number);
    if (!type.items.empty()) {
      text += '<';
      for (const auto& item : type.items) add(*item);
      text += '>';
    }
    for (const TypeCheck::Field& field : type.fields) {
      text += field.optional ? '?' : '.';
      add_name(field.name);
      add(*field.type);
    }
  }
};

// All types that collections were ever checked for. They stay, so that a number always means the same.
class Types {
 public:
  uint16_t number_of(const TypeCheck& type, const bytecode::TypeCheckPtr& root) {
    Description description(type);
    // A type that is part of itself is known by its place.
    if (description.is_recursive) description.text = "@" + std::to_string(reinterpret_cast<uintptr_t>(&type));
    std::lock_guard guard(lock_);
    auto [found, is_new] = numbers_.try_emplace(std::move(description.text), 0);
    if (!is_new) return found->second;
    uint16_t& last = description.has_literals ? last_literal_ : last_plain_;
    if ((last & ~kLiteralTypes) == kMost) return 0;
    ++last;
    entries_[last].store(new Entry{root, &type}, std::memory_order_release);
    return found->second = last;
  }

  struct Entry {
    bytecode::TypeCheckPtr root;  // keeps it
    const TypeCheck* type = nullptr;
  };
  const Entry& entry(uint16_t number) const { return *entries_[number].load(std::memory_order_acquire); }

 private:
  static constexpr uint16_t kMost = kLiteralTypes - 1;
  Mutex lock_;
  std::unordered_map<std::string, uint16_t> numbers_;
  uint16_t last_plain_ = 0;
  uint16_t last_literal_ = kLiteralTypes;
  std::atomic<const Entry*> entries_[1 << 16] = {};  // read without the lock
};

Types& types() {
  static auto* all = new Types;  // workers may still use it while the process ends
  return *all;
}

bool is_number(K kind) { return kind == K::Int || kind == K::Float || kind == K::Number; }

// False when in doubt.
bool covers(const TypeCheck& wide, const TypeCheck& narrow, int depth = 0) {
  constexpr int kDeepest = 16;
  if (&wide == &narrow || wide.kind == K::Any) return true;
  if (++depth > kDeepest) return false;
  if (narrow.kind == K::Union) {
    return std::all_of(narrow.items.begin(), narrow.items.end(),
                       [&](auto& item) { return covers(wide, *item, depth); });
  }
  if (wide.kind == K::Union) {
    return std::any_of(wide.items.begin(), wide.items.end(), [&](auto& item) { return covers(*item, narrow, depth); });
  }
  if (is_number(wide.kind)) return is_number(narrow.kind) || narrow.kind == K::LiteralInt;
  if (wide.kind == K::String) return narrow.kind == K::String || narrow.kind == K::LiteralString;
  if (wide.kind == K::Bool) return narrow.kind == K::Bool || narrow.kind == K::LiteralBool;
  if (wide.kind != narrow.kind) return false;
  switch (wide.kind) {
    case K::List:
    case K::Dict:
    case K::Set:
      if (wide.items.empty()) return true;
      return !narrow.items.empty() && covers(*wide.items[0], *narrow.items[0], depth);
    case K::Shape:
      return std::all_of(wide.fields.begin(), wide.fields.end(), [&](const TypeCheck::Field& field) {
        return std::any_of(narrow.fields.begin(), narrow.fields.end(), [&](const TypeCheck::Field& other) {
          return other.name == field.name && (field.optional || !other.optional) &&
                 covers(*field.type, *other.type, depth);
        });
      });
    case K::Bytes:
    case K::Nil: return true;
    default: return false;
  }
}

}  // namespace

uint16_t type_number(const TypeCheck& type, const bytecode::TypeCheckPtr& root) {
  uint32_t known = __atomic_load_n(&type.number_plus_one, __ATOMIC_RELAXED);
  if (known) return static_cast<uint16_t>(known - 1);
  bool is_checked = is_collection(type) && !type.items.empty() && type.items[0]->kind != K::Any;
  uint16_t number = is_checked ? types().number_of(type, root) : 0;
  __atomic_store_n(&type.number_plus_one, number + 1u, __ATOMIC_RELAXED);
  return number;
}

bool implies(uint16_t known, uint16_t wanted) {
  if (known == wanted) return true;
  if (known == 0 || wanted == 0) return false;
  // The same few pairs are asked for again and again.
  struct Answer {
    uint32_t pair = 0;
    bool implied = false;
  };
  constexpr uint32_t kAnswers = 64;
  static thread_local Answer answers[kAnswers];
  uint32_t pair = uint32_t{known} << 16 | wanted;
  Answer& answer = answers[(known * 31u + wanted) % kAnswers];
  if (answer.pair == pair) return answer.implied;
  answer = {pair, covers(*types().entry(wanted).type, *types().entry(known).type)};
  return answer.implied;
}

void keep_type_of(Object* collection, const Value& item) {
  Undisturbed whole;  // in the middle of an update
  const Types::Entry& entry = types().entry(collection->known_type);
  if (!fits(item, *entry.type->items[0], entry.root)) set_known_type(collection, 0);
}

}  // namespace harn::vm
