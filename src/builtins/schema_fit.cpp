#include "builtins/schema_fit.h"

#include <cmath>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "data/number_text.h"
#include "vm/objects.h"
#include "vm/ops.h"

namespace harn::builtins::schema {

using namespace vm;

namespace {

// Kinds of repairs, as programs are told.
constexpr std::string_view kDroppedKey = "dropped_key";
constexpr std::string_view kEnumSpelling = "enum_spelling";
constexpr std::string_view kFloatToInt = "float_to_int";
constexpr std::string_view kIntToFloat = "int_to_float";
constexpr std::string_view kParsedText = "parsed_text";
constexpr std::string_view kRenamedKey = "renamed_key";
constexpr std::string_view kTextToBool = "text_to_bool";
constexpr std::string_view kTextToNil = "text_to_nil";
constexpr std::string_view kTextToNumber = "text_to_number";
constexpr std::string_view kToText = "to_text";
constexpr std::string_view kUnwrappedList = "unwrapped_list";
constexpr std::string_view kUnwrappedObject = "unwrapped_object";
constexpr std::string_view kWrappedInList = "wrapped_in_list";

constexpr int kMaxDepth = 300;

bool is_dict(const Value& value) { return value.is_dict(); }

// The very same: 3 and 3.0 are equal, and so is what holds them.
bool is_same(const Value& a, const Value& b) { return type_bit(a) == type_bit(b) && a.bits() == b.bits(); }

// Letters and digits in lower case: what is left when spelling does not matter.
std::string bare(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool is_sign = static_cast<unsigned char>(c) < 0x80 && !isalnum(static_cast<unsigned char>(c));
    if (!is_sign) out += text::ascii_lower(c);
  }
  return out;
}

// The one number in a text such as "3 units" or "$1,200.50"; nothing when there are none or several.
std::optional<std::string> only_number(std::string_view text) {
  std::optional<std::string> found;
  for (size_t i = 0; i < text.size();) {
    if (!isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    if (found) return std::nullopt;
    std::string digits = i > 0 && text[i - 1] == '-' ? "-" : "";
    for (; i < text.size(); ++i) {
      bool is_next_digit = i + 1 < text.size() && isdigit(static_cast<unsigned char>(text[i + 1]));
      if (isdigit(static_cast<unsigned char>(text[i])) || (text[i] == '.' && is_next_digit)) digits += text[i];
      else if (text[i] != ',' || !is_next_digit) break;
    }
    found = std::move(digits);
  }
  return found;
}

// Whole numbers that are written with a point are whole numbers.
Value whole_number(double number) {
  bool fits = std::trunc(number) == number && std::abs(number) < 9e15;
  return fits ? Value::integer(static_cast<int64_t>(number)) : Value::number(number);
}

// "42", "-1.5e3", and nothing else beside it.
bool is_number(std::string_view text) {
  bool has_sign = text.starts_with('-') || text.starts_with('+');
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  bool is_plain = digits.find_first_not_of("0123456789.eE+-") == digits.npos;
  return is_plain && !digits.empty() && (isdigit(static_cast<unsigned char>(digits[0])) || digits[0] == '.') &&
         data::parse_float(text.starts_with('+') ? digits : text).has_value();
}

std::optional<Value> number_in(std::string_view text, uint32_t wanted, Guess guess) {
  if (guess == Guess::Little && !is_number(text)) return std::nullopt;
  auto digits = guess == Guess::Little ? std::optional(std::string(text.starts_with('+') ? text.substr(1) : text))
                                       : only_number(text);
  if (!digits) return std::nullopt;
  auto number = data::parse_float(*digits);
  if (!number) return std::nullopt;
  if (wanted & kInt) {
    if (auto whole = data::parse_int(*digits)) return Value::integer(*whole);
    Value value = whole_number(*number);
    if (value.is_int()) return value;
  }
  if (wanted & kFloat) return Value::number(*number);
  return std::nullopt;
}

std::optional<bool> bool_in(std::string_view text) {
  std::string word = bare(text);
  for (std::string_view yes : {"true", "yes", "y", "1", "on"}) {
    if (word == yes) return true;
  }
  for (std::string_view no : {"false", "no", "n", "0", "off"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

bool says_nothing(std::string_view text) {
  std::string word = bare(text);
  return word.empty() || word == "null" || word == "none" || word == "nil" || word == "na" || word == "undefined";
}

uint32_t wanted_types(const Keywords& words) {
  uint32_t bits = 0;
  if (const Value* type = words[Keyword::Type]) {
    if (type->is_string()) bits = type_bits(type->as_string()->view());
    if (type->is_list()) {
      for (const Value& name : type->as_list()->values()) {
        if (name.is_string()) bits |= type_bits(name.as_string()->view());
      }
    }
  } else {
    if (words[Keyword::Properties]) bits = kDict;
    if (words[Keyword::Items]) bits = kList;
  }
  if (bits == 0) bits = kAny;
  if (words[Keyword::Nullable] && truthy(*words[Keyword::Nullable])) bits |= kNil;
  return bits;
}

}  // namespace

data::LooseReader::Wanted wanted_brackets(const Value& schema) {
  using Wanted = data::LooseReader::Wanted;
  if (!schema.is_dict()) return Wanted::Any;
  Keywords words(schema.as_dict());
  const Value* type = words[Keyword::Type];
  uint32_t bits = type && type->is_string() ? type_bits(type->as_string()->view()) : 0;
  if (bits == kList || (bits == 0 && words[Keyword::Items])) return Wanted::List;
  return bits == kDict || (bits == 0 && words[Keyword::Properties]) ? Wanted::Object : Wanted::Any;
}

void Fitter::note(std::string_view kind) {
  if (repairs.size() < 1000) repairs.push_back({kind, path_.empty() ? "root" : path_});
}

bool Fitter::is_valid(const Value& value, const Value& schema) {
  Value own = schema;
  // References lead from the whole schema.
  if (schema.is_dict() && root_.is_dict()) {
    for (std::string_view name : {"$defs", "definitions", "components"}) {
      const Value* shared = root_.as_dict()->find(name);
      if (shared && !schema.as_dict()->find(name)) dict_set(own, name, *shared);
    }
  }
  return Validator(own, regexes_).validate(value);
}

Value Fitter::fit(const Value& value) {
  if (Validator(root_, regexes_).validate(value)) return value;
  return fit(value, root_);
}

Value Fitter::fit(Value value, const Value& schema) {
  if (!schema.is_dict() || depth_ > kMaxDepth) return value;
  Keywords words(schema.as_dict());
  ++depth_;
  if (const Value* reference = words[Keyword::Ref]; reference && reference->is_string()) {
    const Value* found = resolve(root_, reference->as_string()->view());
    if (found) value = fit(std::move(value), *found);
  }
  value = fit_words(std::move(value), words);
  --depth_;
  return value;
}

Value Fitter::fit_words(Value value, const Keywords& words) {
  for (Keyword word : {Keyword::Union, Keyword::OneOf}) {
    if (words[word] && words[word]->is_list()) return fit_branches(value, *words[word]);
  }
  if (words[Keyword::AllOf] && words[Keyword::AllOf]->is_list()) {
    for (const Value& part : words[Keyword::AllOf]->as_list()->values()) value = fit(std::move(value), part);
  }
  bool has_choices = words[Keyword::Enum] && words[Keyword::Enum]->is_list();
  if (has_choices && guess_ == Guess::Much) return fit_choice(value, *words[Keyword::Enum]);
  value = fit_type(std::move(value), wanted_types(words), words);
  if (value.is_list()) return fit_items(std::move(value), words);
  if (is_dict(value)) return fit_properties(std::move(value), words);
  return value;
}

// ---- unions ----

// The first branch that it fits as it is, else the one that takes the fewest repairs.
Value Fitter::fit_branches(const Value& value, const Value& branches) {
  for (const Value& branch : branches.as_list()->values()) {
    if (is_valid(value, branch)) return value;
  }
  std::vector<FitRepair> before = std::move(repairs), best;
  std::optional<Value> found;
  for (const Value& branch : branches.as_list()->values()) {
    repairs.clear();
    Value fitted = fit(value, branch);
    if (!is_valid(fitted, branch) || (found && repairs.size() >= best.size())) continue;
    found = std::move(fitted);
    best = repairs;
  }
  repairs = std::move(before);
  repairs.insert(repairs.end(), best.begin(), best.end());
  return found ? *std::move(found) : value;
}

// ---- enums ----

// The one choice that is spelled alike, or the one that is among the words of a sentence.
Value Fitter::fit_choice(const Value& value, const Value& choices) {
  auto all = choices.as_list()->values();
  for (const Value& choice : all) {
    if (equal(choice, value)) return value;
  }
  std::string given = bare(value.is_string() ? std::string(value.as_string()->view()) : display(value));
  const Value* alike = nullptr;
  for (const Value& choice : all) {
    if (bare(display(choice)) != given) continue;
    if (alike) return value;
    alike = &choice;
  }
  if (!alike && value.is_string()) {
    std::string sentence = " ";
    for (char c : value.as_string()->view()) {
      bool is_word = isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
      sentence += is_word ? text::ascii_lower(c) : ' ';
    }
    sentence += ' ';
    for (const Value& choice : all) {
      std::string word = " " + text::ascii_lower(display(choice)) + " ";
      if (word.size() < 3 || !sentence.contains(word)) continue;
      if (alike) return value;
      alike = &choice;
    }
  }
  if (!alike) return value;
  note(kEnumSpelling);
  return *alike;
}

// ---- types ----

Value Fitter::fit_type(Value value, uint32_t wanted, const Keywords& words) {
  if (type_bit(value) & wanted) return value;
  if (value.is_string()) {
    value = fit_text(value, wanted);
    if (type_bit(value) & wanted) return value;
  }
  if (value.is_float() && (wanted & kInt) && std::trunc(value.as_float()) == value.as_float()) {
    Value whole = whole_number(value.as_float());
    if (whole.is_int()) return note(kFloatToInt), whole;
  }
  if (value.is_int() && (wanted & kFloat)) {
    note(kIntToFloat);
    return Value::number(static_cast<double>(value.as_int()));
  }
  if (guess_ == Guess::Little) return value;
  bool is_scalar = value.is_int() || value.is_float() || value.is_bool();
  if (is_scalar && (wanted & kString)) {
    note(kToText);
    return text_value(display(value));
  }
  if (value.is_list() && value.as_list()->size == 1 && !(wanted & kList)) {
    Value inner = value.as_list()->items[0];
    if (!(type_bit(inner) & wanted) && !inner.is_string()) return value;
    note(kUnwrappedList);
    return fit_type(std::move(inner), wanted, words);
  }
  if (is_dict(value)) {
    Value inner = unwrapped(value, wanted, words);
    if (!inner.is(Kind::Unset)) return inner;
  }
  if ((wanted & kList) && !value.is_nil()) {
    note(kWrappedInList);
    auto list = new_list(1);
    list->push(std::move(value));
    return list;
  }
  return value;
}

// Numbers, yes and no, and JSON that was written as text.
Value Fitter::fit_text(const Value& value, uint32_t wanted) {
  std::string_view text = text::trim(value.as_string()->view());
  bool is_json = guess_ == Guess::Much && (wanted & (kDict | kList));
  if (is_json && (text.starts_with('{') || text.starts_with('['))) {
    if (auto parsed = data::parse_json(text); parsed && (type_bit(*parsed) & wanted)) return note(kParsedText), *parsed;
  }
  if (wanted & (kInt | kFloat)) {
    if (auto number = number_in(text, wanted, guess_)) return note(kTextToNumber), *number;
  }
  if (wanted & kBool) {
    if (auto answer = bool_in(text)) return note(kTextToBool), Value::boolean(*answer);
  }
  if ((wanted & kNil) && guess_ == Guess::Much && says_nothing(text)) return note(kTextToNil), Value();
  return value;
}

// {"result": [...]} where a list is wanted, {"answer": 3} where an int is.
Value Fitter::unwrapped(const Value& dict, uint32_t wanted, const Keywords& words) {
  if ((wanted & kDict) || dict.as_dict()->size() != 1) return Value::unset();
  Value inner;
  for (auto [key, value] : dict.as_dict()->entries()) inner = *value;
  if (type_bit(inner) & wanted) return note(kUnwrappedObject), inner;
  if (!inner.is_string()) return Value::unset();
  size_t before = repairs.size();
  note(kUnwrappedObject);
  Value fitted = fit_type(inner, wanted & ~kList, words);
  if (type_bit(fitted) & wanted) return fitted;
  repairs.resize(before);
  return Value::unset();
}

// ---- what is inside ----

Value Fitter::fit_items(Value list, const Keywords& words) {
  const Value* schema = words[Keyword::Items];
  if (!schema || !schema->is_dict()) return list;
  size_t length = path_.size();
  for (size_t i = 0; i < list.as_list()->size; ++i) {
    path_ += fmt::format("[{}]", i);
    Value item = fit(list.as_list()->items[i], *schema);
    if (!is_same(item, list.as_list()->items[i])) writable_list(list)->items[i] = std::move(item);
    path_.resize(length);
  }
  return list;
}

// "userName" and "User name" for "user_name", where nothing else has that name.
void Fitter::rename_keys(Value& dict, const DictObject* properties) {
  std::vector<std::pair<std::string, std::string>> renamed;
  for (auto [key, value] : dict.as_dict()->entries()) {
    if (properties->find(key->view())) continue;
    std::string given = bare(key->view());
    for (auto [wanted, schema] : properties->entries()) {
      if (bare(wanted->view()) != given || dict.as_dict()->find(wanted->view())) continue;
      renamed.emplace_back(key->view(), wanted->view());
      break;
    }
  }
  for (auto& [from, to] : renamed) {
    if (dict.as_dict()->find(to)) continue;
    note(kRenamedKey);
    Value value = *dict.as_dict()->find(from);
    dict_erase(dict, from);
    dict_set(dict, to, std::move(value));
  }
}

void Fitter::drop_keys(Value& dict, const DictObject* properties) {
  std::vector<std::string> others;
  for (auto [key, value] : dict.as_dict()->entries()) {
    if (!properties->find(key->view())) others.emplace_back(key->view());
  }
  for (const std::string& key : others) {
    note(kDroppedKey);
    dict_erase(dict, key);
  }
}

void Fitter::fit_value(Value& dict, std::string_view key, const Value& schema) {
  size_t length = path_.size();
  path_ += fmt::format("{}{}", length ? "." : "", key);
  Value fitted = fit(*dict.as_dict()->find(key), schema);
  const Value& before = *dict.as_dict()->find(key);
  if (!is_same(fitted, before)) dict_set(dict, key, std::move(fitted));
  path_.resize(length);
}

Value Fitter::fit_properties(Value dict, const Keywords& words) {
  const Value* properties = words[Keyword::Properties];
  const Value* more = words[Keyword::AdditionalProperties];
  if (!properties || !properties->is_dict() || properties->as_dict()->size() == 0) {
    if (!more || !more->is_dict()) return dict;
    std::vector<std::string> keys;
    for (auto [key, value] : dict.as_dict()->entries()) keys.emplace_back(key->view());
    for (const std::string& key : keys) fit_value(dict, key, *more);
    return dict;
  }
  const DictObject* known = properties->as_dict();
  if (guess_ == Guess::Much) rename_keys(dict, known);
  // {"person": {...}} where the person itself is wanted.
  if (guess_ == Guess::Much && dict.as_dict()->size() == 1) {
    for (auto [key, inner] : dict.as_dict()->entries()) {
      if (known->find(key->view()) || !is_dict(*inner)) break;
      note(kUnwrappedObject);
      Value only = *inner;
      return fit_properties(std::move(only), words);
    }
  }
  if (guess_ == Guess::Much && more && more->is_bool() && !more->as_bool()) drop_keys(dict, known);
  for (auto [name, schema] : known->entries()) {
    if (dict.as_dict()->find(name->view())) fit_value(dict, name->view(), *schema);
  }
  return dict;
}

// ---- parts ----

// The types that a branch of a union takes.
static uint32_t types_of(const Value& schema) {
  return schema.is_dict() ? wanted_types(Keywords(schema.as_dict())) : kAny;
}

// Of several branches the only one that takes a value of this type, or null.
static const Value* only_branch(const Value& branches, uint32_t type) {
  const Value* found = nullptr;
  for (const Value& branch : branches.as_list()->values()) {
    if (!(types_of(branch) & type)) continue;
    if (found) return nullptr;
    found = &branch;
  }
  return found;
}

// A text that is one of the choices may still become a longer one.
static bool is_final_choice(const Value& part, const Value& choices) {
  bool is_one = false;
  for (const Value& choice : choices.as_list()->values()) {
    if (equal(choice, part)) is_one = true;
    else if (part.is_string() && choice.is_string() && choice.as_string()->view().starts_with(part.as_string()->view()))
      return false;
  }
  return is_one;
}

Value Fitter::certain(const Value& part, const Value& schema, const Certain& last) {
  // Only what is still open is made anew by the reader.
  bool is_container = part.is_list() || is_dict(part);
  if (is_container && is_same(part, last.part) && !last.shown.is_nil()) return last.shown;
  if (!schema.is_dict() || depth_ > kMaxDepth) return part;
  ++depth_;
  Value out = certain_of(part, schema, Keywords(schema.as_dict()), last);
  --depth_;
  return out;
}

Value Fitter::certain_of(const Value& part, const Value& schema, const Keywords& words, const Certain& last) {
  if (const Value* reference = words[Keyword::Ref]; reference && reference->is_string()) {
    const Value* found = resolve(root_, reference->as_string()->view());
    return found ? certain(part, *found, last) : part;
  }
  for (Keyword word : {Keyword::Union, Keyword::OneOf}) {
    if (!words[word] || !words[word]->is_list()) continue;
    const Value* branch = only_branch(*words[word], type_bit(part));
    return branch ? certain(part, *branch, last) : Value::unset();
  }
  if (words[Keyword::AllOf]) return Value::unset();
  if (words[Keyword::Enum] && words[Keyword::Enum]->is_list())
    return is_final_choice(part, *words[Keyword::Enum]) ? part : Value::unset();
  if (!(type_bit(part) & wanted_types(words))) {
    if (part.is_string() || part.is_list() || is_dict(part)) return Value::unset();
    Value fitted = fit(part, schema);
    return is_valid(fitted, schema) ? fitted : Value::unset();
  }
  if (part.is_list()) return certain_items(part, words, last);
  if (is_dict(part)) return certain_properties(part, words, last);
  return part;
}

static Value item_of(const Value& list, size_t index) {
  return list.is_list() && index < list.as_list()->size ? Value(list.as_list()->items[index]) : Value();
}

static Value field_of(const Value& dict, std::string_view key) {
  const Value* found = is_dict(dict) ? dict.as_dict()->find(key) : nullptr;
  return found ? Value(*found) : Value();
}

// Up to the first item of which nothing is certain.
Value Fitter::certain_items(const Value& list, const Keywords& words, const Certain& last) {
  const Value* schema = words[Keyword::Items];
  if (!schema || !schema->is_dict()) return list;
  auto items = list.as_list()->values();
  auto out = new_list(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    Value shown = certain(items[i], *schema, {item_of(last.part, i), item_of(last.shown, i)});
    if (shown.is(Kind::Unset)) break;
    out->push(std::move(shown));
  }
  return out;
}

// A name that the schema does not have may be another spelling of one that it has, or be left out.
Value Fitter::certain_properties(const Value& dict, const Keywords& words, const Certain& last) {
  const Value* properties = words[Keyword::Properties];
  const Value* more = words[Keyword::AdditionalProperties];
  bool has_names = properties && properties->is_dict() && properties->as_dict()->size() > 0;
  if (!has_names && (!more || !more->is_dict())) return dict;
  Value out = new_dict();
  for (auto [key, value] : dict.as_dict()->entries()) {
    std::string_view name = key->view();
    const Value* own = has_names ? properties->as_dict()->find(name) : more;
    if (!own) continue;
    Value shown = certain(*value, *own, {field_of(last.part, name), field_of(last.shown, name)});
    if (!shown.is(Kind::Unset)) dict_set(out, name, std::move(shown));
  }
  return out;
}

}  // namespace harn::builtins::schema
