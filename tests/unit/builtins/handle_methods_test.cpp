#include <gtest/gtest.h>

#include "builtins/registry.h"
#include "engine/machine.h"
#include "engine/sources.h"
#include "support/memory_host.h"
#include "vm/fiber.h"
#include "vm/handle.h"
#include "vm/ops.h"
#include "vm/scheduler.h"

// Methods of handles: each type has its own, and they may wait.
namespace harn::builtins {
namespace {

using namespace vm;

void display_nothing(std::string& out, const HandleObject*) { out += "<thing>"; }
const HandleType kDoor = {"door", destroy_handle<HandleObject>, display_nothing};
const HandleType kShop = {"shop", destroy_handle<HandleObject>, display_nothing};

template <const HandleType& type>
Outcome<Value> make(Call&) {
  return Value(new_handle<HandleObject>(type));
}
Outcome<Value> open_door(Call&) { return text_value("the door is open"); }
Outcome<Value> open_shop(Call& call) { return text_value(fmt::format("the shop is open at {}", call.arg(1).as_int())); }
Outcome<Value> knock(Call& call) {
  int64_t ms = HARN_TRY(call.integer(1));
  Nanoseconds due = call.vm().scheduler().clock().now() + ms * kMillisecond;
  if (fiber_sleep("knock", due) == Wake::Cancelled) return stopped_error();
  return text_value("come in");
}

const Builtin kRows[] = {
    {.name = "make_door", .signature = "() -> any", .call = make<kDoor>},
    {.name = "make_shop", .signature = "() -> any", .call = make<kShop>},
    {.name = "open", .receiver = on(Kind::Handle), .handle = &kDoor, .signature = "() -> string", .call = open_door},
    {.name = "open",
     .receiver = on(Kind::Handle),
     .handle = &kShop,
     .signature = "(n: int) -> string",
     .call = open_shop},
    {.name = "knock",
     .receiver = on(Kind::Handle),
     .handle = &kDoor,
     .signature = "(ms: int) -> string",
     .wait = on_fiber<knock>},
};

std::string evaluate(std::string text) {
  std::vector<const Builtin*> rows;
  for (const Builtin& row : kRows) rows.push_back(&row);
  Library library(rows);
  test::MemoryHost host;
  engine::Machine machine(host, {.workers = 1, .library = &library});
  auto loaded = engine::load_text("test.harn", std::move(text), library.catalog());
  auto program = engine::compile(*loaded);
  if (!program) return diag::render_all(loaded->sink, diag::Colour::No);
  auto outcome = machine.load(std::move(program), {});
  return outcome ? display(*outcome) : "error: " + describe(*outcome.error());
}

TEST(HandleMethods, BelongToTheirType) {
  EXPECT_EQ(evaluate("make_door().open()"), "the door is open");
  EXPECT_EQ(evaluate("make_shop().open(9)"), "the shop is open at 9");
  EXPECT_EQ(evaluate("make_shop().knock(1)"), "error: no method `knock` on shop");
  EXPECT_EQ(evaluate("make_door().opne()"), "error: no method `opne` on door (did you mean `open`?)");
  EXPECT_EQ(evaluate("make_shop().open()").substr(0, 48), "error: Arity mismatch: 'open' expects 1 argument");
  EXPECT_EQ(evaluate("make_door().iter()"), "error: no method `iter` on door");
}

// One place in the code meets both types.
TEST(HandleMethods, OnePlaceCallsTheRightOne) {
  EXPECT_EQ(evaluate("var out = []\nfor i in 0 to 5 { let h = if i % 2 == 0 { make_door() } else { make_shop() }\n"
                     "out = out.push(try { h.knock(0) } catch (e) { \"?\" }) }\nout"),
            "[come in, ?, come in, ?, come in, ?]");
}

TEST(HandleMethods, MayWait) {
  EXPECT_EQ(
      evaluate(
          "let t = spawn { make_door().knock(20) }\nlet first = spawn { \"meanwhile\" }\n[await(first), await(t)]"),
      "[meanwhile, come in]");
  EXPECT_EQ(evaluate("deadline 5 { make_door().knock(60000) }"), "error: Deadline exceeded");
  EXPECT_EQ(evaluate("let args = [1]\nmake_door().knock(...args)"), "come in");
}

}  // namespace
}  // namespace harn::builtins
