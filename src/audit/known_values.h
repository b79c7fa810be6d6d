#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "audit/callables.h"

// What expressions are for certain, without running them: literals, names that stand for them, and arguments of the call that
// is being looked at.
namespace harn::audit {

struct Frame;

// An expression, and the call in which its names have their meaning.
struct Known {
  const syntax::Node* node = nullptr;  // null: nobody knows
  const Frame* frame = nullptr;
};

// One call of a body: what its parameters are.
struct Frame {
  const Body* body = nullptr;
  const modules::Module* module = nullptr;
  std::unordered_map<const compile::Variable*, Known> params;
  const Frame* around = nullptr;  // of a closure: the call that has made it
};

class KnownValues {
 public:
  explicit KnownValues(Callables& callables) : callables_(callables) {}

  // Follows names to what they stand for.
  Known resolve(Known value) const;
  std::optional<int64_t> integer(Known value, int depth = 0) const;
  std::optional<double> number(Known value) const;
  std::optional<std::string> text(Known value) const;
  // How many bytes a text has at most.
  std::optional<int64_t> most_bytes(Known value, int depth = 0) const;
  // How many items there are at most in what a loop goes over.
  std::optional<int64_t> most_items(Known value, int depth = 0) const;

  // The fields of a dict that is written out. Nothing: nobody knows which there are.
  using Fields = std::unordered_map<std::string_view, Known>;
  std::optional<Fields> fields(Known value, int depth = 0) const;

  // The code of a module itself, outside of all functions.
  const Frame* module_frame(const modules::Module& module) const;

 private:
  const compile::Variable* variable(const syntax::Node& node, const Frame* frame) const;

  Callables& callables_;
  mutable std::unordered_map<const modules::Module*, Frame> modules_;
};

}  // namespace harn::audit
