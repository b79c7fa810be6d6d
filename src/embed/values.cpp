#include "embed/values.h"

#include "base/result.h"
#include "base/text.h"
#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::embed {

using vm::Kind;
using vm::Outcome;

namespace {

// A part that is reached on several ways is one object to the program and many to the host.
constexpr size_t kMostParts = 50'000'000;

std::unexpected<vm::Thrown> too_deep() {
  return vm::throw_text(ErrorKind::Limit, "a value is nested more than {} levels deep", kDeepest);
}

class Reader {
 public:
  Outcome<Value> read(const vm::Value& value, int depth = 0) {
    vm::step();
    if (++parts_ > kMostParts) return vm::throw_text(ErrorKind::Limit, "a value has more than {} parts", kMostParts);
    if (depth > kDeepest) return too_deep();
    switch (value.kind()) {
      case Kind::Nil:
      case Kind::Unset: return Value();
      case Kind::Bool: return Value(value.as_bool());
      case Kind::Int: return Value(value.as_int());
      case Kind::Float: return Value(value.as_float());
      case Kind::String: return Value(value.as_string()->view());
      case Kind::Bytes: return Value(Bytes{std::string(value.as_bytes()->view())});
      case Kind::List:
      case Kind::Range: return list(value, depth);
      case Kind::Set: return items(vm::set_items(value.as_set())->values(), depth);
      case Kind::Pair: return pair(*value.as<vm::PairObject>(), depth);
      case Kind::Dict:
      case Kind::Struct: return dict(*value.as_dict(), depth);
      case Kind::Enum: return variant(*value.as_enum(), depth);
      default:
        return vm::throw_text(ErrorKind::Unsupported, "a {} is no plain data: it cannot leave the program",
                              vm::type_name(value));
    }
  }

  Outcome<List> read_all(std::span<const vm::Value> values, int depth) {
    List out;
    out.reserve(values.size());
    for (const vm::Value& value : values) out.push_back(HARN_TRY(read(value, depth)));
    return out;
  }

 private:
  Outcome<Value> items(std::span<const vm::Value> values, int depth) {
    return Value(HARN_TRY(read_all(values, depth + 1)));
  }

  Outcome<Value> list(const vm::Value& list, int depth) {
    if (list.is(Kind::List)) return items(list.as_list()->values(), depth);
    List out;
    for (size_t i = 0; i < vm::list_size(list); ++i) out.push_back(HARN_TRY(read(vm::list_item(list, i), depth + 1)));
    return Value(std::move(out));
  }

  Outcome<Value> pair(const vm::PairObject& pair, int depth) {
    List out;
    out.push_back(HARN_TRY(read(pair.first, depth + 1)));
    out.push_back(HARN_TRY(read(pair.second, depth + 1)));
    return Value(std::move(out));
  }

  Outcome<Value> dict(const vm::DictObject& dict, int depth) {
    Dict out;
    for (auto [key, value] : dict.entries())
      out.emplace_hint(out.end(), key->view(), HARN_TRY(read(*value, depth + 1)));
    return Value(std::move(out));
  }

  Outcome<Value> variant(const vm::EnumObject& value, int depth) {
    Dict out;
    out.emplace("enum", value.type->name->view());
    out.emplace("variant", value.info().name->view());
    out.emplace("values", HARN_TRY(read_all(value.values(), depth + 1)));
    return Value(std::move(out));
  }

  size_t parts_ = 0;
};

Outcome<vm::Value> write(const Value& value, int depth);

struct Writer {
  int depth;

  Outcome<vm::Value> operator()(std::nullptr_t) const { return vm::Value(); }
  Outcome<vm::Value> operator()(bool value) const { return vm::Value::boolean(value); }
  Outcome<vm::Value> operator()(int64_t value) const { return vm::Value::integer(value); }
  Outcome<vm::Value> operator()(double value) const { return vm::Value::number(value); }
  Outcome<vm::Value> operator()(const std::string& value) const {
    if (!text::is_valid_utf8(value)) return vm::throw_text(ErrorKind::Invalid, "a text of the host is not UTF-8");
    return vm::text_value(value);
  }
  Outcome<vm::Value> operator()(const Bytes& value) const { return vm::Value(vm::new_bytes(value.octets)); }
  Outcome<vm::Value> operator()(const List& value) const {
    auto list = vm::new_list(value.size());
    for (const Value& item : value) list->push(HARN_TRY(write(item, depth + 1)));
    return vm::Value(std::move(list));
  }
  Outcome<vm::Value> operator()(const Dict& value) const {
    vm::Value dict = vm::new_dict();
    for (const auto& [key, field] : value) {
      if (!text::is_valid_utf8(key)) return vm::throw_text(ErrorKind::Invalid, "a key of the host is not UTF-8");
      vm::dict_set(dict, key, HARN_TRY(write(field, depth + 1)));
    }
    return dict;
  }
};

Outcome<vm::Value> write(const Value& value, int depth) {
  vm::step();
  if (depth > kDeepest) return too_deep();
  return std::visit(Writer{depth}, value.data());
}

}  // namespace

Outcome<Value> to_host(const vm::Value& value) { return Reader().read(value); }

Outcome<List> to_host(std::span<const vm::Value> values) { return Reader().read_all(values, 0); }

Outcome<vm::Value> to_program(const Value& value) { return write(value, 0); }

Outcome<std::vector<vm::Value>> to_program(const List& values) {
  std::vector<vm::Value> out;
  for (const Value& value : values) out.push_back(HARN_TRY(to_program(value)));
  return out;
}

}  // namespace harn::embed
