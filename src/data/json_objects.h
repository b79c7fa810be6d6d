#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "vm/dict.h"

// Builds the dicts of a document. Most documents repeat a few kinds of objects, so each nesting
// level guesses that the next object has the keys of the last one: then a key costs one comparison
// and the dict gets its shape without any lookup. Lines and events of a stream are documents that look alike,
// so the first guesses are those of the thread's last document.
namespace harn::data {

class ObjectBuilder {
 public:
  // One object under construction. Objects inside it are finished before it goes on.
  struct Open {
    size_t base;
    vm::Shape* guess;
    bool fits_guess;
    bool interns;
    size_t depth;
  };

  // `expected_keys`: 0 when unknown.
  Open begin(size_t depth, size_t expected_keys);
  void add_key(Open& open, std::string_view key);
  void add_value(vm::Value value) { values_.push_back(std::move(value)); }
  vm::Value finish(Open& open);

  static constexpr size_t kGuesses = 16;
  ObjectBuilder();
  ~ObjectBuilder();

 private:
  vm::StringObject* key_object(const Open& open, std::string_view key);
  vm::Shape* find_shape(const Open& open) const;
  void drop_keys(size_t base);

  std::array<vm::Shape*, kGuesses> guesses_;
  std::vector<vm::StringObject*> keys_;  // counted
  std::vector<vm::Value> values_;
};

// The shape of dicts with exactly these keys, in this order and none twice; null when they are tables.
vm::Shape* find_data_shape(std::span<const vm::Ref<vm::StringObject>> keys);

// The interned copy of a key that came with data, or null: a bounded number of them is interned, so
// that data cannot fill memory for ever.
vm::StringObject* intern_data_key(std::string_view key);

}  // namespace harn::data
