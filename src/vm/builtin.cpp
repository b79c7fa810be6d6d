#include "vm/builtin.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "vm/handle.h"

namespace harn::vm {

// ---- arguments ----

namespace {

const Value kNil;

}  // namespace

const Value& Call::missing_argument() { return kNil; }

std::unexpected<Thrown> Call::wrong_type(uint32_t i, std::string_view expected) const {
  uint32_t receiver = row_.receiver ? 1 : 0;
  std::string_view got = type_name(arg(i));
  if (i < receiver) {
    return type_error("`{}` must be called on {}, got {}", row_.name, expected, got);
  }
  std::string_view name = row_.signature.parameter_name(i - receiver);
  std::string parameter =
      name.empty() ? fmt::format("as argument {}", i - receiver + 1) : fmt::format("for `{}`", name);
  return type_error("`{}` expects {} {}, got {}: {}", row_.name, expected, parameter, got,
                    row_.signature.brief(row_.name));
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

bool has_method(const Value& receiver, const Builtin& row) {
  if (!(row.receiver & on(receiver.kind()))) return false;
  return !receiver.is(Kind::Handle) || receiver.as<HandleObject>()->type == row.handle;
}

namespace {

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
  if (at < name.size()) memcpy(&word, name.data() + at, name.size() - at);
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

// Finds rows by their names.
class NameIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit NameIndex(const std::vector<const Builtin*>& rows, size_t expected)
      : rows_(rows), slots_(std::bit_ceil(expected * 2 + 8)) {}

  void add(uint32_t id) {
    size_t at = name_hash(rows_[id]->name);
    while (slots_[at & (slots_.size() - 1)]) ++at;
    slots_[at & (slots_.size() - 1)] = id + 1;
  }
  // In the place of the row that has the name already.
  void put(uint32_t id) {
    for (size_t at = name_hash(rows_[id]->name);; ++at) {
      uint32_t& slot = slots_[at & (slots_.size() - 1)];
      if (slot && rows_[slot - 1]->name != rows_[id]->name) continue;
      slot = id + 1;
      return;
    }
  }

  template <class Accept>
  uint32_t find(std::string_view name, Accept accept) const {
    for (size_t at = name_hash(name);; ++at) {
      uint32_t slot = slots_[at & (slots_.size() - 1)];
      if (slot == 0) return kNone;
      const Builtin& row = *rows_[slot - 1];
      if (row.name == name && accept(row)) return slot - 1;
    }
  }

 private:
  const std::vector<const Builtin*>& rows_;
  std::vector<uint32_t> slots_;  // numbers of rows, plus one; 0: empty
};

}  // namespace

struct BuiltinTable::Impl {
  explicit Impl(size_t rows) : functions(by_id, rows), methods(by_id, rows) { by_id.reserve(rows); }

  void add_property(const Builtin& row) {
    for (size_t kind = 0; kind < properties.size(); ++kind) {
      if (row.receiver & on(static_cast<Kind>(kind))) properties[kind].push_back(&row);
    }
  }

  const Builtin* row(uint32_t id) const { return id == NameIndex::kNone ? nullptr : by_id[id]; }

  std::vector<const Builtin*> by_id;
  NameIndex functions;
  NameIndex methods;
  // Few for each kind, and asked for with every field that is not there.
  std::array<std::vector<const Builtin*>, static_cast<size_t>(Kind::Count)> properties;
  std::vector<const Builtin*> all;
  std::once_flag sort_once;  // only documentation and completion want the order
};

BuiltinTable::BuiltinTable(std::span<const std::span<const Builtin>> families) {
  size_t rows = 0;
  for (auto family : families) rows += family.size();
  impl_ = new Impl(rows);
  for (auto family : families) {
    for (const Builtin& row : family) {
      auto id = static_cast<uint32_t>(impl_->by_id.size());
      impl_->by_id.push_back(&row);
      if (row.receiver) impl_->methods.add(id);
      else impl_->functions.put(id);
      if (has(row.flags, BuiltinFlags::Property)) impl_->add_property(row);
    }
  }
  by_id_ = impl_->by_id.data();
}

BuiltinTable::~BuiltinTable() { delete impl_; }

const Builtin* BuiltinTable::find(std::string_view name) const {
  return impl_->row(impl_->functions.find(name, [](const Builtin&) { return true; }));
}

std::optional<uint32_t> BuiltinTable::find_id(std::string_view name) const {
  uint32_t id = impl_->functions.find(name, [](const Builtin&) { return true; });
  return id == NameIndex::kNone ? std::nullopt : std::optional(id);
}

const Builtin* BuiltinTable::find_method(const Value& receiver, std::string_view name) const {
  return impl_->row(impl_->methods.find(name, [&](const Builtin& row) { return has_method(receiver, row); }));
}

const Builtin* BuiltinTable::find_property(const Value& receiver, std::string_view name) const {
  for (const Builtin* row : impl_->properties[static_cast<size_t>(receiver.kind())]) {
    if (row->name == name && has_method(receiver, *row)) return row;
  }
  return nullptr;
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
