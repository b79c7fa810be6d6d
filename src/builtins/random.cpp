#include <algorithm>
#include <bit>

#include "base/result.h"
#include "builtins/bounds.h"
#include "builtins/families.h"
#include "builtins/generator.h"
#include "effects/random.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

uint64_t next_random(RandomState state) {
  uint64_t result = std::rotl(state[1] * 5, 7) * 9;
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = std::rotl(state[3], 45);
  return result;
}

uint64_t random_below(RandomState state, uint64_t bound) {
  if (bound == 0) return next_random(state);
  // Lemire: the high half of a product is uniform once the few low halves that would favour small
  // results are thrown away.
  uint64_t threshold = -bound % bound;
  for (;;) {
    auto product = static_cast<unsigned __int128>(next_random(state)) * bound;
    if (static_cast<uint64_t>(product) >= threshold) return static_cast<uint64_t>(product >> 64);
  }
}

namespace {

// The state to draw from, and the number of the first argument behind the optional handle.
struct Source {
  RandomState state;
  uint32_t next;
};

Outcome<Source> source_of(Call& call) {
  if (call.arg(0).is(Kind::Rng)) return Source{call.arg(0).as<RngObject>()->state, 1};
  return Source{HARN_TRY(effects::task_generator(effects::Run::current(call.vm()))), 0};
}

Outcome<Value> rng_seed(Call& call) {
  if (!call.arg(0).is_int()) return type_error("rng_seed(seed): seed must be an integer");
  return new_rng(static_cast<uint64_t>(call.arg(0).as_int()));
}

Outcome<Value> random(Call& call) {
  if (call.has(0) && !call.arg(0).is(Kind::Rng)) return call.wrong_type(0, "an rng");
  return Value::number(static_cast<double>(next_random(HARN_TRY(source_of(call)).state) >> 11) * 0x1p-53);
}

Outcome<Value> random_int(Call& call) {
  auto [state, at] = HARN_TRY(source_of(call));
  if (call.count() != at + 2) {
    return type_error("random_int: expected (rng?, min, max), got {} arguments", call.count());
  }
  const Value& low = call.arg(at);
  const Value& high = call.arg(at + 1);
  if (!low.is_int()) return type_error("random_int: min must be an integer");
  if (!high.is_int()) return type_error("random_int: max must be an integer");
  if (low.as_int() > high.as_int()) return Value();
  auto start = static_cast<uint64_t>(low.as_int());
  uint64_t span = static_cast<uint64_t>(high.as_int()) - start + 1;
  return Value::integer(static_cast<int64_t>(start + random_below(state, span)));
}

Outcome<Value> random_choice(Call& call) {
  auto [state, at] = HARN_TRY(source_of(call));
  const Value& list = call.arg(at);
  if (!is_list_like(list) || list_size(list) == 0) return Value();
  return list_item(list, random_below(state, list_size(list)));
}

Outcome<Value> random_shuffle(Call& call) {
  auto [state, at] = HARN_TRY(source_of(call));
  if (!is_list_like(call.arg(at))) return Value();
  HARN_CHECK(check_list_size(list_size(call.arg(at))));
  Value list = call.take(at);
  auto items = writable_list(list)->values();
  for (size_t i = items.size(); i > 1; --i) {
    step();
    std::swap(items[i - 1], items[random_below(state, i)]);
  }
  return list;
}

// For keys and the like: of the system, not of the task's generator.
Outcome<Value> bytes(Call& call) {
  int64_t count = HARN_TRY(call.integer(0));
  if (count < 0 || count > 65'536)
    return runtime_error(ErrorKind::Invalid, "random.bytes: expected 0 to 65536 bytes, got {}", count);
  return new_bytes(
      HARN_TRY(effects::perform(effects::Run::current(call.vm()), effects::RandomBytes{static_cast<uint64_t>(count)})));
}

constinit const Builtin kRows[] = {
    {.name = "__random_bytes",
     .signature = "(count: int) -> bytes",
     .doc = "So many random bytes.",
     .example = "bytes_len(__random_bytes(4)) == 4",
     .needs = Capability::Random,
     .call = bytes},
    {.name = "random",
     .signature = "(rng?: rng) -> float",
     .doc = "Returns a random number from 0 up to but not including 1.",
     .example = "random() < 1.0",
     .needs = Capability::Random,
     .call = random},
    {.name = "random_choice",
     .signature = "<T>(list: list<T>) -> T?; <T>(rng: rng, list: list<T>) -> T?",
     .doc = "Returns a random item, or nil for an empty list.",
     .example = "[1, 2].contains(random_choice([1, 2]))",
     .needs = Capability::Random,
     .call = random_choice},
    {.name = "random_int",
     .signature = "(min: int, max: int) -> int; (rng: rng, min: int, max: int) -> int",
     .doc = "Returns a random int from `min` to `max`, both included; nil when there is none.",
     .example = "random_int(3, 3) == 3",
     .needs = Capability::Random,
     .call = random_int},
    {.name = "random_shuffle",
     .signature = "<T>(list: list<T>) -> list<T>?; <T>(rng: rng, list: list<T>) -> list<T>?",
     .doc = "Returns the items in random order.",
     .example = "random_shuffle([1, 2]).sort() == [1, 2]",
     .needs = Capability::Random,
     .call = random_shuffle},
    {.name = "rng_seed",
     .signature = "(seed: int) -> rng",
     .doc = "Returns a generator whose numbers depend only on the seed.",
     .example = "random(rng_seed(7)) == random(rng_seed(7))",
     .call = rng_seed},
};

}  // namespace

std::span<const vm::Builtin> random_rows() { return kRows; }

}  // namespace harn::builtins
