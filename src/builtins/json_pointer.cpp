#include <charconv>
#include <string>
#include <vector>

#include "base/result.h"
#include "builtins/families.h"

// RFC 6901 pointers: "/a/0/b" names a place inside nested dicts and lists.
namespace harn::builtins {
namespace {

using namespace vm;

constexpr size_t kMaxSteps = 1000;

Outcome<std::string> unescape(std::string_view name, std::string_view raw) {
  std::string step;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '~') {
      step += raw[i];
      continue;
    }
    if (++i == raw.size()) return throw_text(ErrorKind::Invalid, "{}: dangling '~' in pointer", name);
    if (raw[i] == '0') step += '~';
    else if (raw[i] == '1') step += '/';
    else return throw_text(ErrorKind::Invalid, "{}: invalid escape '~{}' in pointer", name, raw[i]);
  }
  return step;
}

Outcome<std::vector<std::string>> split_pointer(Call& call) {
  std::string_view name = call.row().name;
  auto pointer = HARN_TRY(call.text(1));
  std::vector<std::string> steps;
  if (pointer.empty()) return steps;
  if (pointer[0] != '/') return throw_text(ErrorKind::Invalid, "{}: pointer must be empty or start with '/'", name);
  for (size_t at = 1;;) {
    size_t end = pointer.find('/', at);
    steps.push_back(HARN_TRY(unescape(name, pointer.substr(at, end - at))));
    if (steps.size() > kMaxSteps)
      return throw_text(ErrorKind::Limit, "{}: pointer has more than {} steps", name, kMaxSteps);
    if (end == std::string_view::npos) return steps;
    at = end + 1;
  }
}

// The item number a step names, or -1. RFC 6901 allows no leading zeros.
int64_t item_number(std::string_view step, size_t size) {
  if (step.empty() || (step.size() > 1 && step[0] == '0')) return -1;
  uint64_t number = 0;
  auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), number);
  if (error != std::errc() || end != step.data() + step.size() || number >= size) return -1;
  return static_cast<int64_t>(number);
}

bool is_dict(const Value& value) { return value.is_dict() || value.is(Kind::Struct); }

// The part of `value` that a step leads to; false when there is none.
bool follow(const Value& value, std::string_view step, Value& part) {
  if (is_dict(value)) {
    const Value* found = value.as_dict()->find(step);
    if (found) part = *found;
    return found != nullptr;
  }
  if (!is_list_like(value)) return false;
  int64_t number = item_number(step, list_size(value));
  if (number >= 0) part = list_item(value, static_cast<size_t>(number));
  return number >= 0;
}

Outcome<Value> json_pointer(Call& call) {
  auto steps = HARN_TRY(split_pointer(call));
  Value value = call.take(0);
  for (const std::string& step : steps) {
    Value part;
    if (!follow(value, step, part)) return Value();
    value = std::move(part);
  }
  return value;
}

// Changes the place that the steps name. Unreachable places leave the value as it is.
void set_at(Value& value, std::span<const std::string> steps, const Value& fresh) {
  if (steps.empty()) return void(value = fresh);
  const std::string& step = steps[0];
  bool is_last = steps.size() == 1;
  if (is_dict(value)) {
    Value part;
    if (!follow(value, step, part) && !is_last) return;
    set_at(part, steps.subspan(1), fresh);
    dict_set(value, std::string_view(step), std::move(part));
  } else if (is_list_like(value)) {
    size_t size = list_size(value);
    if (size >= kMaxListSize) return;
    int64_t number = step == "-" ? static_cast<int64_t>(size) : item_number(step, size + 1);
    if (number < 0) return;
    if (static_cast<size_t>(number) == size) {
      if (is_last) writable_list(value)->push(fresh);
      return;
    }
    Value part = list_item(value, static_cast<size_t>(number));
    set_at(part, steps.subspan(1), fresh);
    writable_list(value)->items[number] = std::move(part);
  }
}

Outcome<Value> json_pointer_set(Call& call) {
  auto steps = HARN_TRY(split_pointer(call));
  Value value = call.take(0);
  set_at(value, steps, call.arg(2));
  return value;
}

void erase_at(Value& value, std::span<const std::string> steps) {
  const std::string& step = steps[0];
  Value part;
  if (!follow(value, step, part)) return;
  bool is_last = steps.size() == 1;
  if (!is_last) erase_at(part, steps.subspan(1));
  if (is_dict(value)) {
    if (is_last) dict_erase(value, step);
    else dict_set(value, std::string_view(step), std::move(part));
    return;
  }
  if (list_size(value) > kMaxListSize) return;
  auto number = static_cast<size_t>(item_number(step, list_size(value)));
  ListObject* list = writable_list(value);
  if (!is_last) {
    list->items[number] = std::move(part);
    return;
  }
  for (size_t i = number; i + 1 < list->size; ++i) list->items[i] = std::move(list->items[i + 1]);
  list->items[--list->size].~Value();
}

Outcome<Value> json_pointer_delete(Call& call) {
  auto steps = HARN_TRY(split_pointer(call));
  if (steps.empty()) return Value();
  Value value = call.take(0);
  erase_at(value, steps);
  return value;
}

constinit const Builtin kRows[] = {
    {.name = "json_pointer",
     .signature = "(value: any, pointer: string) -> unknown",
     .doc = "Returns the part of the value that a JSON pointer names, or nil.",
     .example = R"(json_pointer({a: [1, 2]}, "/a/1") == 2)",
     .call = json_pointer},
    {.name = "json_pointer_delete",
     .signature = "(value: any, pointer: string) -> any",
     .doc = "Returns the value without the part that a JSON pointer names.",
     .example = R"(json_pointer_delete({a: [1, 2]}, "/a/0") == {a: [2]})",
     .call = json_pointer_delete},
    {.name = "json_pointer_set",
     .signature = "(value: any, pointer: string, new: any) -> any",
     .doc = "Returns the value with the part that a JSON pointer names replaced or added.",
     .example = R"(json_pointer_set({a: [1]}, "/a/-", 2) == {a: [1, 2]})",
     .call = json_pointer_set},
};

}  // namespace

std::span<const vm::Builtin> json_pointer_rows() { return kRows; }

}  // namespace harn::builtins
