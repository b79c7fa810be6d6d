// Atomics: ints that tasks share and change without a lock.
#include <atomic>
#include <cmath>

#include "base/result.h"
#include "base/spin_lock.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "vm/handle.h"

namespace harn::builtins {

using namespace vm;

namespace {

struct Atomic : HandleObject {
  std::atomic<int64_t> number{0};
};

int64_t current(const HandleObject* handle) { return static_cast<const Atomic*>(handle)->number.load(); }

void display_atomic(std::string& out, const HandleObject* handle) {
  fmt::format_to(std::back_inserter(out), "<atomic:{}>", current(handle));
}

bool equal_atomics(const HandleObject* a, const HandleObject* b) { return current(a) == current(b); }

constinit const HandleType kAtomicType = {
    .name = "atomic", .destroy = destroy_handle<Atomic>, .display = display_atomic, .equal = equal_atomics};

Atomic* as_atomic(const Value& value) { return as_handle<Atomic>(value, kAtomicType); }

// Floats beyond the ints become the nearest int, NaN becomes 0.
int64_t truncate(double number) {
  constexpr double kLimit = 9223372036854775808.0;
  if (std::isnan(number)) return 0;
  if (number >= kLimit) return INT64_MAX;
  return number < -kLimit ? INT64_MIN : static_cast<int64_t>(number);
}

int64_t start_value(const Value& value) {
  if (value.is_int()) return value.as_int();
  if (value.is_float()) return truncate(value.as_float());
  return value.is_bool() && value.as_bool() ? 1 : 0;
}

Outcome<Value> atomic(Call& call) {
  auto made = new_handle<Atomic>(kAtomicType);
  made->number = start_value(call.arg(0));
  return Value(std::move(made));
}

Outcome<Value> atomic_get(Call& call) {
  Atomic* atomic = as_atomic(call.arg(0));
  return atomic ? Value::integer(atomic->number.load()) : Value();
}

Outcome<Value> atomic_set(Call& call) {
  Atomic* atomic = as_atomic(call.arg(0));
  if (!atomic || !call.arg(1).is_int()) return Value();
  return Value::integer(atomic->number.exchange(call.arg(1).as_int()));
}

Outcome<Value> atomic_add(Call& call) {
  Atomic* atomic = as_atomic(call.arg(0));
  if (!atomic || !call.arg(1).is_int()) return Value();
  return Value::integer(atomic->number.fetch_add(call.arg(1).as_int()));
}

Outcome<Value> atomic_cas(Call& call) {
  Atomic* atomic = as_atomic(call.arg(0));
  if (!atomic) return call.wrong_type(0, "an atomic");
  int64_t expected = HARN_TRY(call.integer(1));
  int64_t wanted = HARN_TRY(call.integer(2));
  return Value::boolean(atomic->number.compare_exchange_strong(expected, wanted));
}

// ---- without ceremony ----

// While there is one thread, what it does to a number is one thing to all tasks.
int64_t add_to(std::atomic<int64_t>& number, int64_t by) {
  if (!is_alone()) return number.fetch_add(by);
  int64_t before = number.load(std::memory_order_relaxed);
  number.store(static_cast<int64_t>(static_cast<uint64_t>(before) + static_cast<uint64_t>(by)),
               std::memory_order_relaxed);
  return before;
}

Step quick_add(Task&, const Value& first, Value* others, uint32_t count, Value& result) {
  Atomic* atomic = count == 2 && others[0].is_int() ? as_atomic(first) : nullptr;
  if (!atomic) return Step::Failed;
  result = Value::integer(add_to(atomic->number, others[0].as_int()));
  return Step::Done;
}

Step quick_get(Task&, const Value& first, Value*, uint32_t count, Value& result) {
  Atomic* atomic = count == 1 ? as_atomic(first) : nullptr;
  if (!atomic) return Step::Failed;
  result = Value::integer(atomic->number.load());
  return Step::Done;
}

// ---- putting away ----

Value make_atomic(Vm&) { return new_handle<Atomic>(kAtomicType); }
void atomic_fields(park::Archive& archive, HandleObject& handle) {
  archive.number(static_cast<Atomic&>(handle).number);
}

constinit const Builtin kRows[] = {
    {.name = "atomic",
     .signature = "(initial?: any) -> atomic",
     .doc = "An int that tasks share: floats are cut off, true is 1, anything else is 0.",
     .example = "to_string(atomic(5)) == \"<atomic:5>\"",
     .call = atomic},
    {.name = "atomic_add",
     .signature = "(atomic: atomic, by: int) -> int; (atomic: any, by: any) -> int?",
     .doc = "Adds to an atomic and gives its previous value; nil when an argument is of another kind.",
     .example = "atomic_add(atomic(5), 1) == 5",
     .call = atomic_add,
     .quick = quick_add},
    {.name = "atomic_cas",
     .signature = "(atomic: any, expected: int, new: int) -> bool",
     .doc = "Sets an atomic to `new` if it is `expected`; whether it was.",
     .example = "atomic_cas(atomic(1), 1, 2)",
     .call = atomic_cas},
    {.name = "atomic_get",
     .signature = "(atomic: atomic) -> int; (atomic: any) -> int?",
     .doc = "The value of an atomic; nil for anything else.",
     .example = "atomic_get(atomic(5)) == 5",
     .call = atomic_get,
     .quick = quick_get},
    {.name = "atomic_set",
     .signature = "(atomic: any, new: any) -> int?",
     .doc = "Sets an atomic and gives its previous value; nil when an argument is of another kind.",
     .example = "atomic_set(atomic(5), 6) == 5",
     .call = atomic_set},
};

}  // namespace

const park::HandleRow kAtomicHandle = {&kAtomicType, "atomic", make_atomic, atomic_fields};

std::span<const Builtin> atomic_rows() { return kRows; }

}  // namespace harn::builtins
