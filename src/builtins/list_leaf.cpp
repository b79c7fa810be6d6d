#include "builtins/families.h"
#include "vm/leaf.h"

// Lists with short callbacks that need no frame (vm/leaf.h): what the functions of the prelude try first. Each
// answers nil when it takes the interpreter after all; nothing has happened then.
namespace harn::builtins {
namespace {

using namespace vm;

bool is_true(const Value& value) { return value.is_bool() ? value.as_bool() : truthy(value); }

// Hands over the items one by one until `visit` has seen enough.
template <class Visit>
void each_item(const Value& list, Visit visit) {
  if (list.is(Kind::Range)) {
    for (int64_t i = 0; i < list.as_range()->size(); ++i) {
      step();
      if (!visit(Value::integer(list.as_range()->item(i)))) return;
    }
    return;
  }
  for (const Value& item : list.as_list()->values()) {
    step();
    if (!visit(item)) return;
  }
}

Outcome<Value> map(Call& call) {
  const Value& list = call.arg(0);
  Leaf f(call.arg(1), 1);
  if (!f || !is_list_like(list)) return Value();
  Value out = new_list(std::min<size_t>(list_size(list), kMaxListSize));
  bool works = true;
  each_item(list, [&](const Value& item) {
    const Value* result = f.call(item);
    if (result) out.as_list()->push(*result);
    return works = result != nullptr;
  });
  return works ? std::move(out) : Value();
}

// Numbers are written down before it is known whether they count: which ones do is hard to predict, and a wrong guess
// costs the processor more than the rest.
void push_if(ListObject& list, const Value& item, bool is_wanted) {
  if (item.is_heap()) {
    if (is_wanted) list.push(item);
    return;
  }
  if (list.size == list.capacity) list.grow(size_t{list.size} + 1);
  new (list.items + list.size) Value(item);
  list.size += is_wanted;
}

Outcome<Value> filter(Call& call) {
  const Value& list = call.arg(0);
  Leaf f(call.arg(1), 1);
  if (!f || !is_list_like(list)) return Value();
  Value out = new_list();
  bool works = true;
  each_item(list, [&](const Value& item) {
    const Value* result = f.call(item);
    if (result) push_if(*out.as_list(), item, is_true(*result));
    return works = result != nullptr;
  });
  return works ? std::move(out) : Value();
}

// The place of the first item of which the callback says `wanted`, or -1.
Outcome<Value> find(Call& call) {
  const Value& list = call.arg(0);
  Leaf f(call.arg(1), 1);
  if (!f || !is_list_like(list)) return Value();
  bool wanted = is_true(call.arg(2));
  bool works = true;
  int64_t place = 0, found = -1;
  each_item(list, [&](const Value& item) {
    const Value* result = f.call(item);
    works = result != nullptr;
    if (!works) return false;
    if (is_true(*result) == wanted) found = place;
    ++place;
    return found < 0;
  });
  return works ? Value::integer(found) : Value();
}

// In a list, because it may be nil.
Outcome<Value> reduce(Call& call) {
  const Value& list = call.arg(0);
  Leaf f(call.arg(2), 2);
  if (!f || !is_list_like(list)) return Value();
  Value all = call.arg(1);
  bool works = true;
  each_item(list, [&](const Value& item) {
    const Value* result = f.call(all, item);
    if (result) all = *result;
    return works = result != nullptr;
  });
  return works ? Value(new_list(std::span<const Value>(&all, 1))) : Value();
}

// As far as no code has to run.
Outcome<Value> items(Call& call) {
  Value out = new_list();
  if (!call.arg(0).is(Kind::Iter)) return out;
  LeafChain chain(*call.arg(0).as_iter());
  Value item;
  while (chain && chain.next(item) == Pulled::Item) out.as_list()->push(std::move(item));
  return out;
}

constinit const Builtin kRows[] = {
    {.name = "__leaf_filter",
     .signature = "<T>(items: list<T>, f: any) -> list<T>?",
     .doc = "Returns the items of which the short callback `f` is true, or nil when it must be called.",
     .example = "__leaf_filter([1, 2], { x -> x > 1 }) == [2]",
     .call = filter},
    {.name = "__leaf_find",
     .signature = "(items: list, f: any, wanted: bool) -> int?",
     .doc = "Returns the place of the first item of which the short callback `f` says `wanted`, -1, or nil when it "
            "must be called.",
     .example = "__leaf_find([1, 2], { x -> x > 1 }, true) == 1",
     .call = find},
    {.name = "__leaf_items",
     .signature = "(it: any) -> list",
     .doc = "Takes the next items of the iterator `it`, as many as take no call of a function.",
     .example = "__leaf_items(iter([1, 2]).map({ x -> x * 2 })) == [2, 4]",
     .call = items},
    {.name = "__leaf_map",
     .signature = "(items: list, f: any) -> list?",
     .doc = "Returns what the short callback `f` makes of each item, or nil when it must be called.",
     .example = "__leaf_map([1, 2], { x -> x * 2 }) == [2, 4]",
     .call = map},
    {.name = "__leaf_reduce",
     .signature = "(items: list, init: any, f: any) -> list?",
     .doc = "Returns a list with what the short callback `f` combines the items to, or nil when it must be called.",
     .example = "__leaf_reduce([1, 2], 0, { a, x -> a + x }) == [3]",
     .call = reduce},
};

}  // namespace

std::span<const vm::Builtin> list_leaf_rows() { return kRows; }

}  // namespace harn::builtins
