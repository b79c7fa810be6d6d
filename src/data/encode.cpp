// Values to bytes. Twice over the value: first to see whether all of it is data and what is held more than once, then
// to write. Neither recurses.
#include "base/fmt.h"
#include "base/text.h"
#include "data/encoding_kinds.h"
#include "vm/long_text.h"
#include "vm/ops.h"
#include "vm/pace.h"
#include "vm/transfer.h"

namespace harn::data {

using namespace vm;

std::string NotData::text() const {
  if (path.empty()) return harn::format("the value is of type `{}`, which {}", kind, why);
  return harn::format("`{}` is of type `{}`, which {}", path, kind, why);
}

namespace {

// A value in the middle of its parts.
struct Open {
  const Value* value;
  const KindRow* row;
  size_t cursor = 0;
  size_t number = 0;       // of the next part
  bool is_frozen = false;  // so are its parts
  bool holds_functions = false;
};

// An object that one value holds cannot be met a second time.
bool may_be_shared(const Value& value, const KindRow& row) {
  return refs_of(value.object()) != 1 && row.is_shareable && row.is_shareable(value);
}

const KindRow* row_in(const Value& value, const Objects* objects) {
  return objects ? row_among_objects(value) : row_of(value);
}

// ---- looking ----

class Surveyor {
 public:
  Surveyor(Survey& survey, TypeNames& types, Objects* objects = nullptr)
      : survey_(survey), types_(types), objects_(objects) {}

  std::expected<void, NotData> look(const Value& value) {
    open_.clear();
    if (!see(value)) return refuse(value);
    while (!open_.empty()) {
      Open& top = open_.back();
      const Value* part = top.row->part(*top.value, top.cursor);
      if (!part) {
        open_.pop_back();
        continue;
      }
      ++top.number;
      if (!see(*part)) return refuse(*part);
    }
    return {};
  }

 private:
  // False when it is no data.
  bool see(const Value& value) {
    step();
    if (!value.is_heap()) return objects_ || !value.is(Kind::Builtin);
    const KindRow* row = row_in(value, objects_);
    if (!row && objects_) return objects_->number_of(value).has_value();
    if (!row || (row->type && !knows(row->type(value)))) return false;
    if (may_be_shared(value, *row) && ++survey_.shared[value.object()].times > 1) return true;
    if (row->part) open_.push_back({&value, row});
    return true;
  }

  bool knows(const Object* type) {
    if (objects_) return objects_->number_of(Value::share(const_cast<Object*>(type))).has_value();
    if (survey_.types.contains(type)) return true;
    auto name = types_.name_of(Value::share(const_cast<Object*>(type)));
    if (name) survey_.types.emplace(type, *std::move(name));
    return name.has_value();
  }

  std::unexpected<NotData> refuse(const Value& value) const {
    NotData refused{.kind = std::string(type_name(value)), .why = "is not data"};
    for (const Open& open : open_) open.row->append_path(refused.path, *open.value, open.number - 1);
    const KindRow* row = value.is_heap() ? row_of(value) : nullptr;
    if (objects_) refused.why = objects_->why_not();
    if (objects_ || !row || !row->type) return std::unexpected(std::move(refused));
    refused.kind = name_of(row->type(value))->view();
    refused.why = "is not declared at the top level and could not be found again";
    return std::unexpected(std::move(refused));
  }

  static const StringObject* name_of(const Object* type) {
    if (type->kind == Kind::StructType) return static_cast<const StructTypeObject*>(type)->name;
    return static_cast<const EnumTypeObject*>(type)->name;
  }

  Survey& survey_;
  TypeNames& types_;
  Objects* objects_;
  std::vector<Open> open_;
};

// ---- writing ----

class ValueWriter {
 public:
  ValueWriter(std::string& out, Survey& survey, Objects* objects = nullptr)
      : out_(out, survey, objects), survey_(survey), objects_(objects) {}

  void write(const Value& value) {
    begin(value);
    while (!open_.empty()) {
      Open& top = open_.back();
      const Value* part = top.row->part(*top.value, top.cursor);
      if (!part) {
        const Value& complete = *top.value;
        const KindRow& row = *top.row;
        open_.pop_back();
        end(complete, row);
        continue;
      }
      if (top.row->write_before) top.row->write_before(out_, *top.value, top.number);
      ++top.number;
      begin(*part);
    }
  }

 private:
  void tag(Tag tag) { out_.byte(static_cast<uint8_t>(tag)); }

  void begin(const Value& value) {
    step();
    if (!value.is_heap()) return write_scalar(value);
    const KindRow* found = row_in(value, objects_);
    if (!found) return write_object(value);
    const KindRow& row = *found;
    const Sighting* seen = find_shared(value, row);
    if (seen && seen->number_plus_one) {
      tag(Tag::Again);
      return out_.number(seen->number_plus_one - 1);
    }
    bool is_frozen = objects_ && refs_of(value.object()) < 0;
    bool with_functions = is_frozen && holds_functions(value.object());
    bool is_known = !open_.empty() && open_.back().is_frozen && open_.back().holds_functions == with_functions;
    if (is_frozen && !is_known) tag(with_functions ? Tag::FrozenWithFunctions : Tag::Frozen);
    if (seen) tag(Tag::Shared);
    tag(row.tag);
    row.write(out_, value);
    if (row.part)
      open_.push_back({.value = &value, .row = &row, .is_frozen = is_frozen, .holds_functions = with_functions});
    else end(value, row);
  }

  void write_object(const Value& value) {
    tag(Tag::Object);
    out_.number(*objects_->number_of(value));
  }

  // Numbers are given to complete values, so that no value can be a part of itself.
  void end(const Value& value, const KindRow& row) {
    if (Sighting* seen = find_shared(value, row)) seen->number_plus_one = ++numbered_;
  }

  Sighting* find_shared(const Value& value, const KindRow& row) {
    if (!may_be_shared(value, row)) return nullptr;
    auto found = survey_.shared.find(value.object());
    return found != survey_.shared.end() && found->second.times > 1 ? &found->second : nullptr;
  }

  void write_scalar(const Value& value) {
    switch (value.kind()) {
      case Kind::Bool: return tag(value.as_bool() ? Tag::True : Tag::False);
      case Kind::Int: return write_int(value.as_int());
      case Kind::Float: tag(Tag::Float); return out_.word(value.bits());
      case Kind::Unset: return tag(objects_ ? Tag::Unset : Tag::Nil);
      case Kind::Builtin: tag(Tag::Builtin); return out_.number(objects_->number_of(value.as_builtin()));
      default: return tag(Tag::Nil);
    }
  }

  void write_int(int64_t number) {
    constexpr auto kSmall = static_cast<uint8_t>(Tag::SmallInt);
    if (number >= 0 && number < kSmall) return out_.byte(static_cast<uint8_t>(kSmall | number));
    tag(Tag::Int);
    out_.signed_number(number);
  }

  Encoder out_;
  Survey& survey_;
  Objects* objects_;
  std::vector<Open> open_;
  uint32_t numbered_ = 0;
};

}  // namespace

// What is put away is a program that stands still: nobody else can be let in meanwhile.
struct ValuesWriter::State {
  explicit State(Objects& objects) : surveyor(survey, no_types, &objects), writer(bytes, survey, &objects) {}

  Survey survey;
  BuiltInTypes no_types;
  std::string bytes;
  Surveyor surveyor;
  ValueWriter writer;
};

ValuesWriter::ValuesWriter(Objects& objects) : state_(std::make_unique<State>(objects)) {}
ValuesWriter::~ValuesWriter() = default;

std::expected<void, NotData> ValuesWriter::look(const Value& value) { return state_->surveyor.look(value); }

void ValuesWriter::write(std::string& out, const Value& value) {
  state_->bytes.swap(out);  // it writes where it always does
  state_->writer.write(value);
  state_->bytes.swap(out);
}

std::expected<void, NotData> encode(std::string& out, const Value& value, TypeNames& types) {
  Survey survey;
  if (auto seen = Surveyor(survey, types).look(value); !seen) return seen;
  out += kMagic;
  out += static_cast<char>(kVersion);
  ValueWriter(out, survey).write(value);
  return {};
}

// ---- what rows write with ----

void Encoder::long_text(std::string_view text) {
  number(text.size());
  for (; text.size() > kTextPiece; text.remove_prefix(kTextPiece)) {
    step_bytes(kTextPiece);
    raw(text.substr(0, kTextPiece));
  }
  step_bytes(text.size());
  raw(text);
}

// 0 and the text; 1 and a text that gets the next number; 2 and above: a number.
void Encoder::name(const StringObject* name) {
  bool may_come_again = refs_of(name) != 1;
  if (!may_come_again) {
    number(0);
    return long_text(name->view());
  }
  auto [known, is_new] = names_.of(name);
  if (!is_new) return number(known + 2);
  number(1);
  long_text(name->view());
}

// 0 and its description, which gets the next number; 1 and above: a number.
void Encoder::type(const Object* type) {
  if (objects_) return number(*objects_->number_of(Value::share(const_cast<Object*>(type))));
  auto [known, is_new] = types_.of(type);
  if (!is_new) return number(known + 1);
  number(0);
  describe(type);
}

void Encoder::describe(const Object* type) {
  const TypeName& where = survey_.types.at(type);
  text(where.module);
  text(where.name);
  if (type->kind == Kind::StructType) {
    const Shape* shape = static_cast<const StructTypeObject*>(type)->shape;
    number(0);
    number(shape->count);
    for (uint32_t i = 0; i < shape->count; ++i) name(shape->keys[i]);
    return;
  }
  const auto* declared = static_cast<const EnumTypeObject*>(type);
  number(1);
  number(declared->count);
  for (uint32_t i = 0; i < declared->count; ++i) {
    const EnumVariantInfo& variant = declared->variants[i];
    name(variant.name);
    number(variant.has_payload ? variant.arity + 1u : 0u);
  }
}

// 0 and how many: a table; 1 and a list of keys, which gets the next number; 2 and above: such a list.
void Encoder::keys(const DictObject* dict) {
  if (!dict->shape) {
    number(0);
    return number(dict->size());
  }
  auto [known, is_new] = shapes_.of(dict->shape);
  if (!is_new) return number(known + 2);
  number(1);
  number(dict->size());
  for (auto [key, value] : dict->entries()) name(key);
}

}  // namespace harn::data
