// Bytes to values. Whatever the bytes are, this ends in a value or an error: counts are compared with the bytes that are
// left before anything is made, values are complete before they can be referred to, and nothing recurses.
#include "base/fmt.h"
#include "data/encoding_kinds.h"
#include "data/json_objects.h"
#include "vm/ops.h"
#include "vm/pace.h"
#include "vm/transfer.h"

namespace harn::data {

using namespace vm;

std::string DecodeError::text() const { return harn::format("{} at byte {}", detail, offset); }

namespace {

// Each level takes a hundred bytes while it is read.
constexpr size_t kMaxDepth = 10'000'000;

class ValueReader {
 public:
  ValueReader(std::string_view bytes, TypeNames& types, Objects* objects = nullptr) : in_(bytes, types, objects) {}

  Decoder& in() { return in_; }

  std::expected<Value, DecodeError> read() {
    Value value;
    bool is_read = read_header() && read_value(value);
    if (is_read && in_.left() > 0) is_read = in_.fail("bytes follow the value");
    if (!is_read || !in_.is_good()) return std::unexpected(in_.error());
    return value;
  }

 private:
  bool read_header() {
    for (char c : kMagic) {
      if (in_.left() == 0 || in_.byte() != static_cast<uint8_t>(c)) return in_.fail("this is no encoded value");
    }
    uint8_t version = in_.byte();
    if (!in_.is_good()) return false;
    if (version == kVersion) return true;
    return in_.fail(harn::format("version {} of the encoding is not known here, only {}", version, kVersion));
  }

 public:
  bool read_value(Value& complete) {
    for (;;) {
      step();
      if (!begin(complete)) {
        if (!in_.is_good()) return false;
        before_part();
        continue;
      }
      // What is complete is a part of what is around it, which may be complete then.
      while (!open_.empty()) {
        Opened& around = open_.back();
        around.row->add(in_, around, std::move(complete));
        if (++around.number < around.parts) {
          before_part();
          break;
        }
        finish(around, complete);
        open_.pop_back();
      }
      if (!in_.is_good()) return false;
      if (open_.empty()) return true;
    }
  }

 private:
  // Whether the value is complete: it is opened if not.
  bool begin(Value& complete) {
    if (!open_.empty()) in_.pay_part();
    auto tag = in_.byte();
    bool with_functions = in_.objects() && tag == static_cast<uint8_t>(Tag::FrozenWithFunctions);
    bool is_frozen = with_functions || (in_.objects() && tag == static_cast<uint8_t>(Tag::Frozen));
    if (is_frozen) tag = in_.byte();
    bool is_shared = tag == static_cast<uint8_t>(Tag::Shared);
    if (is_shared) tag = in_.byte();
    if (!in_.is_good()) return false;
    if (!is_shared && !is_frozen && (read_scalar(tag, complete) || read_program_part(tag, complete))) return true;
    const KindRow* row = row_of(static_cast<Tag>(tag));
    if (!row || !may_occur(*row)) return in_.fail(harn::format("no kind of value begins with {}", tag));
    Opened opened{.row = row, .is_shared = is_shared, .is_frozen = is_frozen, .holds_functions = with_functions};
    row->read(in_, opened);
    if (!in_.is_good()) return false;
    if (opened.parts == 0) {
      finish(opened, complete);
      return in_.is_good();
    }
    if (open_.size() >= kMaxDepth) return in_.fail("nested too deeply");
    open_.push_back(std::move(opened));
    return false;
  }

  void before_part() {
    Opened& top = open_.back();
    if (top.row->read_before) top.row->read_before(in_, top);
  }

  void finish(Opened& opened, Value& complete) {
    if (opened.row->finish) opened.row->finish(in_, opened);
    complete = std::move(opened.value);
    if (opened.is_frozen) freeze_again(complete, opened.holds_functions);
    if (opened.is_shared) shared_.push_back(complete);
  }

  // False when it is none.
  bool read_scalar(uint8_t tag, Value& value) {
    if (tag >= static_cast<uint8_t>(Tag::SmallInt)) {
      value.set_int(tag - static_cast<uint8_t>(Tag::SmallInt));
      return true;
    }
    switch (static_cast<Tag>(tag)) {
      case Tag::Nil: value.set_nil(); return true;
      case Tag::False: value.set_bool(false); return true;
      case Tag::True: value.set_bool(true); return true;
      case Tag::Int: value.set_int(in_.signed_number()); return true;
      case Tag::Float: value.set_float(std::bit_cast<double>(in_.word())); return true;
      case Tag::Again: return read_again(value);
      default: return false;
    }
  }

  // Iterators and the like are objects where there are objects.
  bool may_occur(const KindRow& row) {
    bool is_object = row.tag == Tag::Iter || row.tag == Tag::Rng || row.tag == Tag::Type;
    return in_.objects() ? !is_object : row.tag != Tag::HoledSet;
  }

  // What only the values of a whole program have. False when it is none of that.
  bool read_program_part(uint8_t tag, Value& value) {
    if (!in_.objects()) return false;
    switch (static_cast<Tag>(tag)) {
      case Tag::Unset: value = Value::unset(); return true;
      case Tag::Builtin:
        if (const Builtin* row = in_.objects()->builtin(in_.number())) value = Value::builtin(row);
        else in_.fail("there is no such builtin");
        return true;
      case Tag::Object:
        value = in_.objects()->object(in_.number());
        if (value.is_nil()) in_.fail("there is no such object");
        return true;
      default: return false;
    }
  }

  bool read_again(Value& value) {
    uint64_t number = in_.number();
    if (number < shared_.size()) value = shared_[number];
    else in_.fail("a part is referred to before it is there");
    return true;
  }

  Decoder in_;
  std::vector<Opened> open_;
  std::vector<Value> shared_;
};

}  // namespace

std::expected<Value, DecodeError> decode(std::string_view bytes, TypeNames& types) {
  return ValueReader(bytes, types).read();
}

struct ValuesReader::State {
  State(std::string_view bytes, Objects& objects) : reader(bytes, no_types, &objects) {}

  BuiltInTypes no_types;
  ValueReader reader;
};

ValuesReader::ValuesReader(std::string_view bytes, Objects& objects)
    : state_(std::make_unique<State>(bytes, objects)) {}
ValuesReader::~ValuesReader() = default;

Value ValuesReader::value() {
  Value value;
  if (!is_good() || !state_->reader.read_value(value)) return Value();
  return value;
}
uint64_t ValuesReader::number() { return is_good() ? state_->reader.in().number() : 0; }
int64_t ValuesReader::signed_number() { return is_good() ? state_->reader.in().signed_number() : 0; }
uint64_t ValuesReader::word() { return is_good() ? state_->reader.in().word() : 0; }
uint8_t ValuesReader::byte() { return is_good() ? state_->reader.in().byte() : 0; }
std::string_view ValuesReader::text() { return is_good() ? state_->reader.in().text() : std::string_view(); }
size_t ValuesReader::count() { return is_good() ? state_->reader.in().count() : 0; }
size_t ValuesReader::left() const { return state_->reader.in().left(); }
bool ValuesReader::is_good() const { return state_->reader.in().is_good(); }
bool ValuesReader::fail(std::string detail) { return state_->reader.in().fail(std::move(detail)); }
DecodeError ValuesReader::error() const { return state_->reader.in().error(); }

// ---- what rows read with ----

bool Decoder::fail(std::string detail) {
  if (!is_good()) return false;  // the first one is the cause
  error_ = std::move(detail);
  error_offset_ = offset();
  return false;
}

DecodeError Decoder::error() const {
  if (!error_.empty()) return {error_, error_offset_};
  return {"the bytes end too early, or a length is wrong", offset()};
}

bool Decoder::owe_parts(Opened& opened, uint64_t parts) {
  if (!is_good() || parts > left() - std::min(left(), owed_))
    return fail("a value has more parts than there are bytes");
  owed_ += parts;
  opened.parts = static_cast<size_t>(parts);
  return true;
}

Ref<StringObject> Decoder::name() {
  uint64_t form = number();
  if (form >= 2 && form - 2 < names_.size()) return names_[form - 2];
  if (form >= 2) fail("a name is referred to before it is there");
  std::string_view written = text();
  auto made = new_string(written.size() <= kMaxStringSize ? written : std::string_view());
  if (form == 1) names_.push_back(made);
  return made;
}

// Here they are what they were there.
const KnownType* Decoder::type_among_objects() {
  uint64_t wanted = number();
  auto [found, is_new] = object_types_.try_emplace(wanted);
  KnownType& known = found->second;
  if (is_new) {
    known.type = objects_->object(wanted);
    if (known.type.is(Kind::EnumType)) {
      const auto* type = known.type.as<EnumTypeObject>();
      for (const EnumVariantInfo& variant : std::span(type->variants, type->count)) {
        known.variants.push_back(
            {Ref<StringObject>::share(variant.name), variant.has_payload ? variant.arity + 1u : 0u});
      }
    }
  }
  bool is_type = known.type.is(Kind::EnumType) || known.type.is(Kind::StructType);
  if (!is_type) fail("a type is none");
  return is_good() ? &known : nullptr;
}

const KnownType* Decoder::type() {
  if (objects_) return type_among_objects();
  uint64_t form = number();
  if (form > 0 && form - 1 < known_types_.size()) return &known_types_[form - 1];
  if (form > 0) fail("a type is referred to before it is there");
  TypeName name{std::string(text()), std::string(text())};
  if (!is_good()) return nullptr;
  KnownType known{types_.find(name), {}};
  uint64_t is_enum = number();
  if (!known.type.is(is_enum ? Kind::EnumType : Kind::StructType)) {
    std::string where = name.module.empty() ? "" : harn::format(" in `{}`", name.module);
    fail(harn::format("this program has no {} `{}`{} at the top level", is_enum ? "enum" : "struct", name.name, where));
    return nullptr;
  }
  bool is_read = is_enum ? read_enum_type(name, known) : read_struct_type(name, known.type);
  if (!is_read) return nullptr;
  known_types_.push_back(std::move(known));
  return &known_types_.back();
}

bool Decoder::read_struct_type(const TypeName& name, const Value& found) {
  const Shape* shape = found.as<StructTypeObject>()->shape;
  size_t size = count();
  bool is_same = size == shape->count;
  for (size_t i = 0; i < size && is_good(); ++i) {
    step();
    is_same &= shape->find(this->name().get()) >= 0;
  }
  if (is_good() && !is_same) fail(harn::format("the struct `{}` has other fields now", name.name));
  return is_good();
}

bool Decoder::read_enum_type(const TypeName&, KnownType& known) {
  size_t size = count();
  for (size_t i = 0; i < size && is_good(); ++i) {
    step();
    auto variant = name();
    known.variants.push_back({std::move(variant), number()});
  }
  return is_good();
}

void Decoder::keys(Opened& opened) {
  uint64_t form = number();
  if (form == 0) return void(owe_parts(opened, number()));
  if (form == 1) read_key_list();
  size_t list = form == 1 ? key_lists_.size() - 1 : form - 2;
  if (list >= key_lists_.size()) return void(fail("a list of keys is referred to before it is there"));
  if (owe_parts(opened, key_lists_[list].keys.size())) opened.keys = list;
}

void Decoder::read_key_list() {
  KeyList& list = key_lists_.emplace_back();
  size_t size = count();
  for (size_t i = 0; i < size && is_good(); ++i) {
    step();
    list.keys.push_back(name());
    bool is_behind = i == 0 || list.keys[i - 1]->view() < list.keys[i]->view();
    if (is_good() && !is_behind) fail("keys are not in order");
  }
  if (is_good()) list.shape = find_data_shape(list.keys);
}

}  // namespace harn::data
