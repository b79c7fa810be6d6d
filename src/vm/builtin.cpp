#include "vm/builtin.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

namespace harn::vm {

// ---- arguments ----

namespace {

const Value kNil;

// The name of parameter number `index` in "(text: string, width?: int, ...rest: any) -> string".
std::string_view parameter_name(std::string_view signature, size_t index) {
  size_t depth = 0;
  size_t at = 0;
  for (; at < signature.size(); ++at) {
    char c = signature[at];
    if (c == ')' && depth == 1) return {};
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    else if (c == ')' || c == ']' || c == '}') --depth;
    else if (c == '>' && signature[at - 1] != '-') --depth;
    bool is_start = (c == '(' && depth == 1 && at == 0) || (c == ',' && depth == 1);
    if (is_start && index-- == 0) break;
  }
  while (at < signature.size() && (signature[at] == '(' || signature[at] == ',' || signature[at] == ' ')) ++at;
  size_t end = signature.find_first_of("?:,)= ", at);
  return signature.substr(at, end == std::string_view::npos ? end : end - at);
}

}  // namespace

const Value& Call::missing_argument() { return kNil; }

std::unexpected<Thrown> Call::wrong_type(uint32_t i, std::string_view expected) const {
  uint32_t receiver = row_.receiver ? 1 : 0;
  std::string_view got = type_name(arg(i));
  if (i < receiver) {
    return type_error("`{}` must be called on {}, got {}", row_.name, expected, got);
  }
  std::string_view name = parameter_name(row_.signature, i - receiver);
  if (name.empty() || name.starts_with("...")) {
    return type_error("`{}` expects {} as argument {}, got {}: {}{}", row_.name, expected, i - receiver + 1, got,
                      row_.name, row_.signature);
  }
  return type_error("`{}` expects {} for `{}`, got {}: {}{}", row_.name, expected, name, got, row_.name,
                    row_.signature);
}

Outcome<std::string_view> Call::text(uint32_t i) {
  const Value& value = arg(i);
  if (!value.is_string()) return wrong_type(i, "a string");
  return value.as_string()->view();
}

Outcome<int64_t> Call::integer(uint32_t i) {
  if (!arg(i).is_int()) return wrong_type(i, "an int");
  return arg(i).as_int();
}

Outcome<double> Call::number(uint32_t i) {
  if (!arg(i).is_number()) return wrong_type(i, "a number");
  return arg(i).as_number();
}

Outcome<bool> Call::boolean(uint32_t i) {
  if (!arg(i).is_bool()) return wrong_type(i, "a bool");
  return arg(i).as_bool();
}

Outcome<const DictObject*> Call::dict(uint32_t i) {
  if (!arg(i).is_dict() && !arg(i).is(Kind::Struct)) return wrong_type(i, "a dict");
  return arg(i).as_dict();
}

Outcome<Ref<ListObject>> Call::list(uint32_t i) {
  if (!is_list_like(arg(i))) return wrong_type(i, "a list");
  if (list_size(arg(i)) > kMaxListSize) return runtime_error(ErrorKind::Limit, "list too large");
  return to_list_object(arg(i));
}

Outcome<const SetObject*> Call::set(uint32_t i) {
  if (!arg(i).is(Kind::Set)) return wrong_type(i, "a set");
  return arg(i).as_set();
}

Outcome<std::string_view> Call::bytes(uint32_t i) {
  if (!arg(i).is(Kind::Bytes)) return wrong_type(i, "bytes");
  return arg(i).as_bytes()->view();
}

Outcome<int64_t> Call::integer_or(uint32_t i, int64_t otherwise) {
  if (arg(i).is_nil()) return otherwise;
  return integer(i);
}

Outcome<std::string_view> Call::text_or(uint32_t i, std::string_view otherwise) {
  if (arg(i).is_nil()) return otherwise;
  return text(i);
}

// ---- the table ----

namespace {

constexpr uint32_t kAnyNumber = UINT32_MAX;

// One look at the text between the outer parentheses: a comma at depth one ends a parameter; `?` or
// `=` before the next comma makes it optional; `...` takes all the rest.
void derive_arity(const Builtin& row) {
  uint32_t least = 0, most = 0;
  bool in_parameter = false, is_optional = false, is_rest = false, past_name = false;
  int depth = 0;
  auto finish = [&] {
    if (in_parameter && is_rest) most = kAnyNumber;
    else if (in_parameter) {
      ++most;
      if (!is_optional) least = most;
    }
    in_parameter = is_optional = is_rest = past_name = false;
  };
  std::string_view text = row.signature;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      ++depth;
      if (depth > 1) in_parameter = true;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && text[i - 1] != '-')) {
      if (--depth == 0) break;
    } else if (depth == 1 && c == ',') {
      finish();
    } else if (depth == 1 && c != ' ') {
      in_parameter = true;
      if (c == ':') past_name = true;
      if (c == '?' && !past_name) is_optional = true;
      if (c == '=' && (i + 1 >= text.size() || text[i + 1] != '>')) is_optional = true;
      if (c == '.' && !past_name) is_rest = true;
    }
  }
  finish();
  row.min_args = least;
  row.max_args = most;
}

// Names are short: a multiply per eight bytes is enough.
uint64_t name_hash(std::string_view name) {
  uint64_t hash = name.size();
  size_t at = 0;
  for (; at + 8 <= name.size(); at += 8) {
    uint64_t word;
    memcpy(&word, name.data() + at, 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  }
  uint64_t word = 0;
  memcpy(&word, name.data() + at, name.size() - at);
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

class NameIndex {
 public:
  explicit NameIndex(size_t rows) : slots_(std::bit_ceil(rows * 2 + 8)) {}

  void add(const Builtin* row) {
    size_t at = name_hash(row->name);
    while (slots_[at & (slots_.size() - 1)]) ++at;
    slots_[at & (slots_.size() - 1)] = row;
  }

  template <class Accept>
  const Builtin* find(std::string_view name, Accept accept) const {
    for (size_t at = name_hash(name);; ++at) {
      const Builtin* row = slots_[at & (slots_.size() - 1)];
      if (!row || (row->name == name && accept(*row))) return row;
    }
  }

 private:
  std::vector<const Builtin*> slots_;
};

}  // namespace

struct BuiltinTable::Impl {
  explicit Impl(size_t rows) : functions(rows), methods(rows) { by_id.reserve(rows); }

  NameIndex functions;
  NameIndex methods;
  std::vector<const Builtin*> all;
  std::vector<const Builtin*> by_id;
  std::once_flag sort_once;  // only documentation and completion want the order
};

BuiltinTable::BuiltinTable(std::span<const std::span<const Builtin>> families) {
  size_t rows = 0;
  for (auto family : families) rows += family.size();
  impl_ = new Impl(rows);
  for (auto family : families) {
    for (const Builtin& row : family) {
      derive_arity(row);
      row.id = static_cast<uint32_t>(impl_->by_id.size());
      impl_->by_id.push_back(&row);
      (row.receiver ? impl_->methods : impl_->functions).add(&row);
    }
  }
  by_id_ = impl_->by_id.data();
}

BuiltinTable::~BuiltinTable() { delete impl_; }

const Builtin* BuiltinTable::find(std::string_view name) const {
  return impl_->functions.find(name, [](const Builtin&) { return true; });
}

const Builtin* BuiltinTable::find_method(Kind receiver, std::string_view name) const {
  return impl_->methods.find(name, [&](const Builtin& row) { return (row.receiver & on(receiver)) != 0; });
}

std::span<const Builtin* const> BuiltinTable::rows() const {
  std::call_once(impl_->sort_once, [&] {
    impl_->all = impl_->by_id;
    std::sort(impl_->all.begin(), impl_->all.end(), [](const Builtin* a, const Builtin* b) {
      bool a_method = a->receiver != 0, b_method = b->receiver != 0;
      if (a_method != b_method) return b_method;
      return a->name != b->name ? a->name < b->name : a->receiver < b->receiver;
    });
  });
  return impl_->all;
}

}  // namespace harn::vm
