// What std/tui is made of.
#include "effects/pager.h"

#include "base/result.h"
#include "builtins/families.h"
#include "vm/fiber.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::Run;

Outcome<Value> show_in_pager(Call& call) {
  effects::ShowInPager request{std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(call.text(1)))};
  auto answer = HARN_TRY(effects::perform(Run::current(call.vm()), request));
  return answer.is_shown ? Value::integer(answer.status) : Value();
}

constinit const Builtin kRows[] = {
    {.name = "__show_in_pager",
     .signature = "(command: string, text: string) -> int?",
     .doc = "Shows a text in a pager and waits for its end: its exit code, or nil without a terminal.",
     .example = R"(__show_in_pager("cat", "") == nil)",
     .needs = Capability::Process,
     .wait = on_fiber<show_in_pager>},
};

}  // namespace

std::span<const Builtin> pager_rows() { return kRows; }

}  // namespace harn::builtins
