#include "builtins/schema_validate.h"

#include <algorithm>
#include <cmath>

#include "base/fmt.h"
#include "builtins/regex_matches.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::builtins::schema {

using namespace vm;

namespace {

constexpr int kMaxDepth = 300;
// Branches of branches can multiply; this many places are visited, then the schema is refused.
constexpr size_t kMaxSteps = 20'000'000;
constexpr size_t kMaxErrors = 1000;

std::string number_text(const Value& number) { return display(number); }

bool is_dict(const Value& value) { return value.is_dict() || value.is(Kind::Struct); }

std::string_view text_of(const Value& value) { return value.as_string()->view(); }

// A count such as min_length: whole numbers only.
bool is_count(const Value* value) { return value && value->is_int(); }

std::string type_list(const Value& type) {
  if (type.is_string()) return std::string(canonical_type(text_of(type)));
  std::string names;
  for (const Value& name : type.as_list()->values()) {
    if (!names.empty()) names += '|';
    names += canonical_type(text_of(name));
  }
  return names;
}

}  // namespace

void Validator::report(std::string text) {
  ++failures_;
  if (silent_ || errors.size() >= kMaxErrors) return;
  errors.push_back(harn::format("at {}: {}", path_.empty() ? "root" : path_, text));
}

void Validator::reject(std::string why) {
  if (malformed.empty()) malformed = std::move(why);
}

bool Validator::validate(const Value& value) {
  failures_ = 0;
  steps_ = 0;
  path_.clear();
  check(value, root_);
  return failures_ == 0 && !is_stopped();
}

bool Validator::fits(const Value& value, const Value& schema) {
  size_t before = failures_;
  ++silent_;
  check(value, schema);
  --silent_;
  bool fitted = failures_ == before;
  failures_ = before;
  return fitted;
}

bool Validator::check(const Value& value, const Value& schema) {
  if (is_stopped()) return false;
  if (++steps_ > kMaxSteps) return reject("schema takes too many steps to check"), false;
  size_t before = failures_;
  if (schema.is_bool()) {
    if (!schema.as_bool()) report("no value is allowed here");
    return failures_ == before;
  }
  if (!schema.is_dict()) return reject("schema must be a dict"), false;
  if (depth_ >= kMaxDepth) return report("nested too deeply to check"), false;
  ++depth_;
  check_keywords(value, Keywords(schema.as_dict()));
  --depth_;
  return failures_ == before;
}

void Validator::check_keywords(const Value& value, const Keywords& words) {
  const Value* nullable = words[Keyword::Nullable];
  if (value.is_nil() && nullable && truthy(*nullable)) return;
  if (const Value* reference = words[Keyword::Ref]) check_reference(value, *reference);
  if (const Value* type = words[Keyword::Type]) {
    size_t before = failures_;
    const Value* unique = words[Keyword::UniqueItems];
    check_type(value, *type, unique && truthy(*unique));
    if (failures_ != before) return;  // the rest would only repeat it
  }
  check_choices(value, words);
  check_branches(value, words);
  switch (type_bit(value)) {
    case kInt:
    case kFloat: return check_number(value, words);
    case kString: return check_text(value, words);
    case kList:
    case kSet: return check_items(value, words);
    case kDict: return check_dict(value, words);
    default: return;
  }
}

void Validator::check_reference(const Value& value, const Value& reference) {
  const Value* target = reference.is_string() ? resolve(root_, text_of(reference)) : nullptr;
  if (!target) return report(harn::format("unresolved schema reference '{}'", display(reference)));
  check(value, *target);
}

uint32_t Validator::allowed_types(const Value& type) {
  auto bits_of = [&](const Value& name) -> uint32_t {
    uint32_t bits = name.is_string() ? type_bits(text_of(name)) : 0;
    if (!bits) reject(harn::format("unknown schema type '{}'", display(name)));
    return bits;
  };
  if (!type.is_list()) return bits_of(type);
  uint32_t bits = 0;
  for (const Value& name : type.as_list()->values()) bits |= bits_of(name);
  return bits;
}

void Validator::check_type(const Value& value, const Value& type, bool accepts_set) {
  uint32_t allowed = allowed_types(type);
  if (is_stopped()) return;
  if (accepts_set && (allowed & kList)) allowed |= kSet;
  if (allowed & type_bit(value)) return;
  report(harn::format("expected type '{}', got '{}'", type_list(type), type_name(value)));
}

void Validator::check_choices(const Value& value, const Keywords& words) {
  if (const Value* constant = words[Keyword::Const]; constant && !equal(value, *constant)) {
    report(harn::format("expected constant {}, got {}", display(*constant), display(value)));
  }
  const Value* choices = words[Keyword::Enum];
  if (!choices) return;
  if (!is_list_like(*choices)) return reject("schema `enum` must be a list");
  if (!contains(*choices, value)) report(harn::format("value must be one of {}", display(*choices)));
}

void Validator::check_branches(const Value& value, const Keywords& words) {
  auto list_of = [&](Keyword word, std::string_view name) -> const ListObject* {
    const Value* branches = words[word];
    if (!branches) return nullptr;
    if (branches->is_list()) return branches->as_list();
    reject(harn::format("schema `{}` must be a list", name));
    return nullptr;
  };
  if (const ListObject* branches = list_of(Keyword::Union, "union")) {
    auto matches = [&](const Value& branch) { return fits(value, branch); };
    if (!std::any_of(branches->items, branches->items + branches->size, matches)) {
      report("value did not match any union branch");
    }
  }
  if (const ListObject* branches = list_of(Keyword::OneOf, "oneOf")) {
    auto matches = [&](const Value& branch) { return fits(value, branch); };
    auto count = std::count_if(branches->items, branches->items + branches->size, matches);
    if (count == 0) report("value did not match any union branch");
    if (count > 1) report(harn::format("value matched {} branches of oneOf, expected exactly one", count));
  }
  if (const ListObject* branches = list_of(Keyword::AllOf, "all_of")) {
    for (const Value& branch : branches->values()) check(value, branch);
  }
  if (const Value* excluded = words[Keyword::Not]; excluded && fits(value, *excluded)) {
    report("value must not match the schema under `not`");
  }
  if (const Value* condition = words[Keyword::If]) {
    const Value* consequence = words[fits(value, *condition) ? Keyword::Then : Keyword::Else];
    if (consequence) check(value, *consequence);
  }
}

void Validator::check_number(const Value& value, const Keywords& words) {
  auto limit = [&](Keyword word) -> const Value* {
    const Value* number = words[word];
    return number && number->is_number() ? number : nullptr;
  };
  // An older draft has `exclusiveMinimum: true` beside `minimum`.
  auto is_exclusive = [&](Keyword word) { return words[word] && words[word]->is_bool() && words[word]->as_bool(); };
  auto report_limit = [&](std::string_view sign, const Value& number) {
    report(harn::format("expected value {} {}, got {}", sign, number_text(number), number_text(value)));
  };
  if (const Value* min = limit(Keyword::Min)) {
    if (is_exclusive(Keyword::ExclusiveMin) ? !less(*min, value) : less(value, *min)) {
      report_limit(is_exclusive(Keyword::ExclusiveMin) ? ">" : ">=", *min);
    }
  }
  if (const Value* max = limit(Keyword::Max)) {
    if (is_exclusive(Keyword::ExclusiveMax) ? !less(value, *max) : less(*max, value)) {
      report_limit(is_exclusive(Keyword::ExclusiveMax) ? "<" : "<=", *max);
    }
  }
  if (const Value* min = limit(Keyword::ExclusiveMin); min && !less(*min, value)) report_limit(">", *min);
  if (const Value* max = limit(Keyword::ExclusiveMax); max && !less(value, *max)) report_limit("<", *max);
  if (const Value* unit = limit(Keyword::MultipleOf); unit && unit->as_number() > 0) {
    double ratio = value.as_number() / unit->as_number();
    bool is_multiple = value.is_int() && unit->is_int() ? value.as_int() % unit->as_int() == 0
                                                        : std::abs(ratio - std::round(ratio)) < 1e-9;
    if (!is_multiple) report(harn::format("expected a multiple of {}, got {}", number_text(*unit), number_text(value)));
  }
}

static Value key_value(const StringObject* key) { return Value::share(const_cast<StringObject*>(key)); }

// False when the pattern itself is wrong (which is reported).
bool Validator::matches_pattern(std::string_view pattern, const Value& text, bool& matched) {
  auto regex = regexes_.get(pattern, "", text.as_string()->is_ascii());
  if (!regex) {
    report(harn::format("invalid regex pattern '{}': {}", pattern, regex.error()));
    return false;
  }
  matched = has_match(*regex, text);
  return true;
}

void Validator::check_text(const Value& value, const Keywords& words) {
  const StringObject* text = value.as_string();
  auto size = static_cast<int64_t>(text->chars());
  if (const Value* min = words[Keyword::MinLength]; is_count(min) && size < min->as_int()) {
    report(harn::format("expected length >= {}, got {}", min->as_int(), size));
  }
  if (const Value* max = words[Keyword::MaxLength]; is_count(max) && size > max->as_int()) {
    report(harn::format("expected length <= {}, got {}", max->as_int(), size));
  }
  const Value* pattern = words[Keyword::Pattern];
  if (!pattern) return;
  if (!pattern->is_string()) return reject("schema `pattern` must be a string");
  bool matched = false;
  if (matches_pattern(text_of(*pattern), value, matched) && !matched) {
    report(harn::format("value does not match pattern '{}'", text_of(*pattern)));
  }
}

void Validator::check_items(const Value& value, const Keywords& words) {
  auto size = static_cast<int64_t>(value.is(Kind::Set) ? value.as_set()->size : list_size(value));
  for (auto [word_min, word_max] :
       {std::pair(Keyword::MinItems, Keyword::MaxItems), std::pair(Keyword::MinLength, Keyword::MaxLength)}) {
    if (const Value* min = words[word_min]; is_count(min) && size < min->as_int()) {
      report(harn::format("expected at least {} items, got {}", min->as_int(), size));
    }
    if (const Value* max = words[word_max]; is_count(max) && size > max->as_int()) {
      report(harn::format("expected at most {} items, got {}", max->as_int(), size));
    }
  }
  const Value* items = words[Keyword::Items];
  const Value* prefix = words[Keyword::PrefixItems];
  const Value* unique = words[Keyword::UniqueItems];
  bool looks_inside = items || prefix || words[Keyword::Contains] || (unique && truthy(*unique));
  if (!looks_inside) return;
  if (value.is(Kind::Range) && list_size(value) > kMaxListSize) return report("list too large to check");

  Ref<ListObject> list = value.is(Kind::Set) ? set_items(value.as_set()) : to_list_object(value);
  size_t prefix_size = 0;
  if (prefix) {
    if (!prefix->is_list()) return reject("schema `prefixItems` must be a list");
    prefix_size = prefix->as_list()->size;
  }
  size_t path_size = path_.size();
  for (size_t i = 0; i < list->size && !is_stopped(); ++i) {
    step();
    const Value* schema = i < prefix_size ? &prefix->as_list()->items[i] : items;
    if (!schema) break;
    fmt::format_to(std::back_inserter(path_), "{}[{}]", path_size ? "" : "root", i);
    check(list->items[i], *schema);
    path_.resize(path_size);
  }
  if (unique && truthy(*unique)) {
    auto seen = new_set();
    for (const Value& item : list->values()) {
      step();
      // A set tells 1 from 1.0; JSON does not.
      Value key = item.is_float() && item.as_float() == std::trunc(item.as_float()) && std::abs(item.as_float()) < 1e15
                      ? Value::integer(static_cast<int64_t>(item.as_float()))
                      : item;
      if (!seen->insert(std::move(key))) return report("expected unique items");
    }
  }
  check_contains(list->values(), words);
}

void Validator::check_contains(std::span<const Value> items, const Keywords& words) {
  const Value* wanted = words[Keyword::Contains];
  if (!wanted) return;
  int64_t min = is_count(words[Keyword::MinContains]) ? words[Keyword::MinContains]->as_int() : 1;
  int64_t max = is_count(words[Keyword::MaxContains]) ? words[Keyword::MaxContains]->as_int() : INT64_MAX;
  int64_t found = std::count_if(items.begin(), items.end(), [&](const Value& item) {
    step();
    return fits(item, *wanted);
  });
  if (found < min) report(harn::format("expected at least {} items that match `contains`, got {}", min, found));
  if (found > max) report(harn::format("expected at most {} items that match `contains`, got {}", max, found));
}

void Validator::check_dict(const Value& value, const Keywords& words) {
  const DictObject* dict = value.as_dict();
  if (const Value* required = words[Keyword::Required]; required && is_list_like(*required)) {
    for (size_t i = 0; i < list_size(*required); ++i) {
      Value name = list_item(*required, i);
      if (name.is_string() && !dict->find(name.as_string())) {
        report(harn::format("missing required key '{}'", text_of(name)));
      }
    }
  }
  for (Keyword word :
       {Keyword::Properties, Keyword::PatternProperties, Keyword::DependentRequired, Keyword::DependentSchemas}) {
    if (words[word] && !words[word]->is_dict()) return reject("schema `properties` and its kind must be dicts");
  }
  auto size = static_cast<int64_t>(dict->size());
  if (const Value* min = words[Keyword::MinProperties]; is_count(min) && size < min->as_int()) {
    report(harn::format("expected at least {} keys, got {}", min->as_int(), size));
  }
  if (const Value* max = words[Keyword::MaxProperties]; is_count(max) && size > max->as_int()) {
    report(harn::format("expected at most {} keys, got {}", max->as_int(), size));
  }
  bool looks_inside = words[Keyword::Properties] || words[Keyword::AdditionalProperties] ||
                      words[Keyword::PatternProperties] || words[Keyword::PropertyNames];
  if (looks_inside) {
    for (auto [key, item] : dict->entries()) {
      step();
      if (is_stopped()) return;
      check_entry(key, *item, words);
    }
  }
  check_dependencies(dict, value, words);
}

void Validator::check_entry(const StringObject* key, const Value& value, const Keywords& words) {
  size_t path_size = path_.size();
  bool is_known = false;
  auto check_below = [&](const Value& schema) {
    if (path_size) path_ += '.';
    path_ += key->view();
    check(value, schema);
    path_.resize(path_size);
  };
  if (const Value* properties = words[Keyword::Properties]) {
    if (const Value* schema = properties->as_dict()->find(key)) {
      is_known = true;
      check_below(*schema);
    }
  }
  if (const Value* patterns = words[Keyword::PatternProperties]) {
    for (auto [pattern, schema] : patterns->as_dict()->entries()) {
      bool matched = false;
      if (!matches_pattern(pattern->view(), key_value(key), matched)) return;
      if (!matched) continue;
      is_known = true;
      check_below(*schema);
    }
  }
  if (const Value* names = words[Keyword::PropertyNames]) check_below_name(key, *names);
  const Value* additional = words[Keyword::AdditionalProperties];
  if (is_known || !additional) return;
  if (!additional->is_bool()) return check_below(*additional);
  if (!additional->as_bool()) report(harn::format("unexpected key '{}'", key->view()));
}

void Validator::check_below_name(const StringObject* key, const Value& schema) { check(key_value(key), schema); }

void Validator::check_dependencies(const DictObject* dict, const Value& value, const Keywords& words) {
  if (const Value* dependent = words[Keyword::DependentRequired]) {
    for (auto [key, needed] : dependent->as_dict()->entries()) {
      if (!dict->find(key) || !is_list_like(*needed)) continue;
      for (size_t i = 0; i < list_size(*needed); ++i) {
        Value name = list_item(*needed, i);
        if (name.is_string() && !dict->find(name.as_string())) {
          report(harn::format("missing required key '{}'", text_of(name)));
        }
      }
    }
  }
  if (const Value* dependent = words[Keyword::DependentSchemas]) {
    for (auto [key, schema] : dependent->as_dict()->entries()) {
      if (dict->find(key)) check(value, *schema);
    }
  }
}

// ---- defaults ----

Value Validator::with_defaults(const Value& value) {
  Value result = value;
  steps_ = 0;
  if (result.is_nil() && root_.is_dict()) {
    const Value* otherwise = Keywords(root_.as_dict())[Keyword::Default];
    if (otherwise) result = *otherwise;
  }
  fill(result, root_, 0);
  return result;
}

void Validator::fill_properties(Value& value, const Keywords& words, int depth) {
  const Value* properties = words[Keyword::Properties];
  if (properties && properties->is_dict()) {
    for (auto [key, schema] : properties->as_dict()->entries()) {
      const Value* given = value.as_dict()->find(key);
      Value item;
      if (given) {
        item = *given;
      } else {
        const Value* otherwise = schema->is_dict() ? Keywords(schema->as_dict())[Keyword::Default] : nullptr;
        if (!otherwise) continue;
        item = *otherwise;
      }
      fill(item, *schema, depth);
      dict_set(value, static_cast<const StringObject*>(key), std::move(item));
    }
  }
  const Value* additional = words[Keyword::AdditionalProperties];
  if (!additional || !additional->is_dict()) return;
  Value source = value;
  for (auto [key, given] : source.as_dict()->entries()) {
    if (properties && properties->is_dict() && properties->as_dict()->find(key)) continue;
    Value item = *given;
    fill(item, *additional, depth);
    dict_set(value, static_cast<const StringObject*>(key), std::move(item));
  }
}

void Validator::fill(Value& value, const Value& schema, int depth) {
  if (!schema.is_dict() || depth > kMaxDepth || is_stopped()) return;
  if (++steps_ > kMaxSteps) return reject("schema takes too many steps to check");
  Keywords words(schema.as_dict());
  if (const Value* reference = words[Keyword::Ref]; reference && reference->is_string()) {
    if (const Value* target = resolve(root_, text_of(*reference))) fill(value, *target, depth + 1);
  }
  if (const Value* all = words[Keyword::AllOf]; all && all->is_list()) {
    for (const Value& branch : all->as_list()->values()) fill(value, branch, depth + 1);
  }
  for (Keyword word : {Keyword::Union, Keyword::OneOf}) {
    const Value* branches = words[word];
    if (!branches || !branches->is_list()) continue;
    for (const Value& branch : branches->as_list()->values()) {
      Value filled = value;
      fill(filled, branch, depth + 1);
      if (!fits(filled, branch)) continue;
      value = std::move(filled);
      break;
    }
  }
  if (is_dict(value)) return fill_properties(value, words, depth + 1);
  const Value* items = words[Keyword::Items];
  if (!items || !items->is_dict() || !value.is_list()) return;
  for (size_t i = 0; i < value.as_list()->size; ++i) {
    step();
    Value item = value.as_list()->items[i];
    fill(item, *items, depth + 1);
    if (item.bits() != value.as_list()->items[i].bits()) writable_list(value)->items[i] = std::move(item);
  }
}

}  // namespace harn::builtins::schema
