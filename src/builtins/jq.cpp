#include <algorithm>
#include <cmath>
#include <functional>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/jq_parser.h"

// Runs jq expressions: every expression turns one input into any number of outputs.
namespace harn::builtins {
namespace {

using namespace vm;
using jq::Node;
using jq::Op;

// `..`, `,` and `[]` multiply outputs; a small expression must not fill memory.
constexpr size_t kMaxOutputs = 10'000'000;
constexpr size_t kMaxFrames = 4000;

bool is_dict(const Value& value) { return value.is_dict() || value.is(Kind::Struct); }

// An index; what is far outside every list stays outside.
int64_t whole(const Value& number) {
  if (number.is_int()) return number.as_int();
  double clamped = std::clamp(std::floor(number.as_float()), -1e15, 1e15);
  return std::isnan(clamped) ? -1 : static_cast<int64_t>(clamped);
}

std::string_view jq_type(const Value& value) {
  if (value.is_nil()) return "null";
  if (value.is_bool()) return "boolean";
  if (value.is_number()) return "number";
  if (value.is_string()) return "string";
  if (is_list_like(value)) return "array";
  return is_dict(value) ? "object" : type_name(value);
}

class Machine {
 public:
  // Calls this for each output; false: stop, somebody has enough.
  using Sink = std::function<bool(const Value&)>;

  std::string error;

  // False when it was stopped or failed. Outputs are handed on from inside, so pipes and deep
  // values add up on the C++ stack: the depth is bounded.
  bool run(const Node& node, const Value& input, const Sink& sink) {
    if (depth_ >= kMaxFrames) return fail("expression and value nest too deeply");
    ++depth_;
    bool go_on = step(node, input, sink);
    --depth_;
    return go_on;
  }

 private:
  bool step(const Node& node, const Value& input, const Sink& sink) {
    switch (node.op) {
      case Op::Identity: return emit(input, sink);
      case Op::Recurse: return recurse(input, sink);
      case Op::Literal: return emit(node.value, sink);
      case Op::Field:
        return run(*node.left, input, [&](const Value& object) { return emit(field(object, node.text), sink); });
      case Op::Index: return index(node, input, sink);
      case Op::Slice: return slice(node, input, sink);
      case Op::Iterate: return run(*node.left, input, [&](const Value& object) { return iterate(object, sink); });
      case Op::Pipe: return run(*node.left, input, [&](const Value& value) { return run(*node.right, value, sink); });
      case Op::Comma: return run(*node.left, input, sink) && run(*node.right, input, sink);
      case Op::Equal:
      case Op::NotEqual:
      case Op::Less:
      case Op::LessEqual:
      case Op::Greater:
      case Op::GreaterEqual: return compare(node, input, sink);
      case Op::And:
      case Op::Or: return logic(node, input, sink);
      case Op::Array: return array(node, input, sink);
      case Op::Object: return object(node, 0, Value(new_dict()), input, sink);
      case Op::Call: return call(node, input, sink);
      case Op::Optional: return run(*node.left, input, sink);
    }
    return true;
  }

  bool fail(std::string message) {
    if (error.empty()) error = std::move(message);
    return false;
  }

  bool emit(const Value& value, const Sink& sink) {
    if (++outputs_ > kMaxOutputs) return fail("too many outputs");
    return sink(value);
  }

  static Value field(const Value& object, std::string_view name) {
    if (!is_dict(object)) return Value();
    const Value* found = object.as_dict()->find(name);
    return found ? *found : Value();
  }

  bool index(const Node& node, const Value& input, const Sink& sink) {
    return run(*node.left, input, [&](const Value& object) {
      return run(*node.right, input, [&](const Value& key) {
        if (key.is_string()) return emit(field(object, key.as_string()->view()), sink);
        bool is_item = is_list_like(object) && key.is_number();
        if (!is_item) return emit(Value(), sink);
        auto at = whole(key);
        auto size = static_cast<int64_t>(list_size(object));
        if (at < 0) at += size;
        return emit(at >= 0 && at < size ? list_item(object, static_cast<size_t>(at)) : Value(), sink);
      });
    });
  }

  // Bounds that are no numbers count as left out.
  bool slice(const Node& node, const Value& input, const Sink& sink) {
    auto bound = [&](const jq::NodePtr& part, const Sink& use) {
      if (!part) return use(Value());
      return run(*part, input, [&](const Value& value) {
        if (!value.is_number()) return use(Value());
        return use(Value::integer(whole(value)));
      });
    };
    return run(*node.left, input, [&](const Value& object) {
      return bound(node.right, [&](const Value& from) {
        return bound(node.third, [&](const Value& to) {
          if (!is_list_like(object) && !object.is_string()) return emit(Value(), sink);
          auto part = vm::slice(object, from, to);
          return emit(part ? *part : Value(), sink);
        });
      });
    });
  }

  bool iterate(const Value& object, const Sink& sink) {
    if (is_list_like(object)) {
      for (size_t i = 0; i < list_size(object); ++i) {
        vm::step();
        if (!emit(list_item(object, i), sink)) return false;
      }
    } else if (is_dict(object)) {
      for (auto [key, value] : object.as_dict()->entries()) {
        vm::step();
        if (!emit(*value, sink)) return false;
      }
    }
    return true;
  }

  bool recurse(const Value& value, const Sink& sink) {
    if (depth_ >= kMaxFrames) return fail("expression and value nest too deeply");
    ++depth_;
    bool go_on = emit(value, sink) && recurse_into(value, sink);
    --depth_;
    return go_on;
  }

  bool recurse_into(const Value& value, const Sink& sink) {
    if (is_list_like(value)) {
      for (size_t i = 0; i < list_size(value); ++i) {
        vm::step();
        if (!recurse(list_item(value, i), sink)) return false;
      }
    } else if (is_dict(value)) {
      for (auto [key, item] : value.as_dict()->entries()) {
        vm::step();
        if (!recurse(*item, sink)) return false;
      }
    }
    return true;
  }

  static bool holds(Op op, const Value& a, const Value& b) {
    switch (op) {
      case Op::Equal: return equal(a, b);
      case Op::NotEqual: return !equal(a, b);
      case Op::Less: return vm::compare(a, b) < 0;
      case Op::LessEqual: return vm::compare(a, b) <= 0;
      case Op::Greater: return vm::compare(a, b) > 0;
      default: return vm::compare(a, b) >= 0;
    }
  }

  bool compare(const Node& node, const Value& input, const Sink& sink) {
    return run(*node.right, input, [&](const Value& b) {
      return run(*node.left, input, [&](const Value& a) { return emit(Value::boolean(holds(node.op, a, b)), sink); });
    });
  }

  // Only false and null are false in jq.
  static bool is_true(const Value& value) { return !value.is_nil() && !(value.is_bool() && !value.as_bool()); }

  bool logic(const Node& node, const Value& input, const Sink& sink) {
    bool decides = node.op == Op::Or;  // the left answer that settles it
    return run(*node.left, input, [&](const Value& a) {
      if (is_true(a) == decides) return emit(Value::boolean(decides), sink);
      return run(*node.right, input, [&](const Value& b) { return emit(Value::boolean(is_true(b)), sink); });
    });
  }

  bool array(const Node& node, const Value& input, const Sink& sink) {
    auto list = new_list();
    bool whole = !node.left || run(*node.left, input, [&](const Value& item) {
      list->push(item);
      return true;
    });
    return whole && emit(list, sink);
  }

  // Every combination of the outputs of the entries from number `entry` on.
  bool object(const Node& node, size_t entry, const Value& made, const Value& input, const Sink& sink) {
    if (entry == node.entries.size()) return emit(made, sink);
    const auto& [key, value] = node.entries[entry];
    return run(*key, input, [&](const Value& name) {
      return run(*value, input, [&](const Value& part) {
        Value larger = made;
        dict_set(larger, to_key(name).get(), part);
        return object(node, entry + 1, larger, input, sink);
      });
    });
  }

  bool call(const Node& node, const Value& input, const Sink& sink) {
    const std::string& name = node.text;
    if (name == "map") return map(node, input, sink);
    if (name == "select") {
      return run(*node.left, input, [&](const Value& keep) { return !is_true(keep) || emit(input, sink); });
    }
    if (name == "has") {
      return run(*node.left, input, [&](const Value& key) { return emit(Value::boolean(has(input, key)), sink); });
    }
    if (name == "empty") return true;
    if (name == "length") return emit(length(input), sink);
    if (name == "keys") return emit(keys(input), sink);
    if (name == "values") return input.is_nil() || emit(input, sink);
    if (name == "type") return emit(text_value(jq_type(input)), sink);
    if (name == "not") return emit(Value::boolean(!is_true(input)), sink);
    if (name == "first" || name == "last") {
      size_t size = is_list_like(input) ? list_size(input) : 0;
      return emit(size ? list_item(input, name == "first" ? 0 : size - 1) : Value(), sink);
    }
    return add_up(input, sink);
  }

  bool map(const Node& node, const Value& input, const Sink& sink) {
    auto list = new_list();
    bool whole = true;
    auto add_item = [&](const Value& item) {
      return run(*node.left, item, [&](const Value& output) {
        list->push(output);
        return true;
      });
    };
    whole = iterate(input, add_item);
    return whole && emit(list, sink);
  }

  static bool has(const Value& object, const Value& key) {
    if (is_dict(object)) return key.is_string() && object.as_dict()->find(key.as_string());
    return is_list_like(object) && key.is_int() && key.as_int() >= 0 &&
           static_cast<size_t>(key.as_int()) < list_size(object);
  }

  static Value length(const Value& value) {
    if (value.is_string()) return Value::integer(value.as_string()->chars());
    if (is_list_like(value)) return Value::integer(static_cast<int64_t>(list_size(value)));
    if (is_dict(value)) return Value::integer(static_cast<int64_t>(value.as_dict()->size()));
    if (value.is_float()) return Value::number(value.as_float() < 0 ? -value.as_float() : value.as_float());
    if (value.is_int()) return value.as_int() < 0 ? *negate(value) : value;
    return Value::integer(0);
  }

  static Value keys(const Value& value) {
    auto list = new_list();
    if (is_dict(value)) {
      for (auto [key, item] : value.as_dict()->entries()) {
        vm::step();
        list->push(Value::share(key));
      }
    } else if (is_list_like(value)) {
      return new_range(0, static_cast<int64_t>(list_size(value)));
    }
    return list;
  }

  bool add_up(const Value& input, const Sink& sink) {
    Value sum;
    bool whole = iterate(input, [&](const Value& item) {
      if (sum.is_nil()) return sum = item, true;
      if (item.is_nil()) return true;
      auto total = add(std::move(sum), item);
      if (!total) return fail(display(total.error()->value));
      sum = std::move(*total);
      return true;
    });
    return whole && emit(sum, sink);
  }

  size_t outputs_ = 0;
  size_t depth_ = 0;
};

Outcome<jq::NodePtr> parse_argument(Call& call) {
  auto expression = HARN_TRY(call.text(1));
  auto tree = jq::parse(expression);
  if (!tree) return throw_text(ErrorKind::Invalid, "jq: {}", tree.error());
  return std::move(*tree);
}

Outcome<Value> run_jq(Call& call) {
  auto tree = HARN_TRY(parse_argument(call));
  Machine machine;
  auto outputs = new_list();
  machine.run(*tree, call.arg(0), [&](const Value& value) {
    outputs->push(value);
    return true;
  });
  if (!machine.error.empty()) return throw_text(ErrorKind::Invalid, "jq: {}", machine.error);
  return outputs;
}

Outcome<Value> jq_first(Call& call) {
  auto tree = HARN_TRY(parse_argument(call));
  Machine machine;
  Value first;
  machine.run(*tree, call.arg(0), [&](const Value& value) {
    first = value;
    return false;
  });
  if (!machine.error.empty()) return throw_text(ErrorKind::Invalid, "jq: {}", machine.error);
  return first;
}

constinit const Builtin kRows[] = {
    {.name = "jq",
     .signature = "(value: any, expression: string) -> list<unknown>",
     .doc = "Returns all outputs of a jq expression.",
     .example = R"(jq([{a: 1}, {a: 2}], ".[].a") == [1, 2])",
     .call = run_jq},
    {.name = "jq_first",
     .signature = "(value: any, expression: string) -> unknown",
     .doc = "Returns the first output of a jq expression, or nil.",
     .example = R"(jq_first({a: [5, 6]}, ".a[-1]") == 6)",
     .call = jq_first},
};

}  // namespace

std::span<const vm::Builtin> jq_rows() { return kRows; }

}  // namespace harn::builtins
