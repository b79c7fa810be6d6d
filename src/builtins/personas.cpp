// Personas and the hooks around their steps. They are written in Harn: src/std/prelude/personas.harn.
#include "builtins/families.h"

namespace harn::builtins {

using namespace vm;

namespace {

constinit const Builtin kRows[] = {
    {.name = "__persona_enter",
     .signature = "(name: string, metadata: dict, budget: dict?) -> dict",
     .doc = "Begins the run of a persona; gives what __persona_leave takes.",
     .prelude = "personas:persona_enter"},
    {.name = "__persona_event",
     .signature = "(event: string, more: dict, persona?: string?) -> nil",
     .doc = "Tells the hooks of the persona that runs here, or of another one.",
     .example = R"x(__persona_event("OnHandoffEmitted", {}) == nil)x",
     .prelude = "personas:persona_event"},
    {.name = "__persona_leave",
     .signature = "(before: dict) -> nil",
     .doc = "Ends the run of a persona.",
     .prelude = "personas:persona_leave"},
    {.name = "__persona_name",
     .signature = "() -> string?",
     .doc = "The persona that runs here, or nil.",
     .example = R"x(__persona_name() == nil)x",
     .prelude = "personas:persona_name"},
    {.name = "__persona_reminders",
     .signature = "(session: string) -> nil",
     .doc = "Gives a conversation the reminders that hooks of personas had before there was one.",
     .example = R"x(__persona_reminders("none") == nil)x",
     .prelude = "personas:take_reminders"},
    {.name = "__persona_spent",
     .signature = "() -> nil",
     .doc = "Looks whether a run of a persona has come to a threshold of its budget.",
     .example = R"x(__persona_spent() == nil)x",
     .prelude = "personas:persona_spent"},
    {.name = "__persona_step",
     .signature = "(name: string, metadata: dict, body: any, args: list) -> any",
     .doc = "Calls a step of a persona, with the hooks around it.",
     .example = R"x(__persona_step("s", {}, { n -> n + 1 }, [1]) == 2)x",
     .prelude = "personas:persona_step"},
    {.name = "register_persona_hook",
     .signature = "(persona: string, event: string, handler: any) -> nil",
     .doc = "Calls `handler(payload)` at an event of personas whose names match a pattern: PreStep, PostStep, "
            "OnBudgetThreshold(80), ...",
     .example = R"x(register_persona_hook("merge_*", "PreStep", { ctx -> nil }) == nil)x",
     .prelude = "personas:register_persona_hook"},
    {.name = "register_step_hook",
     .signature = "(persona: string, step: string, event: string, handler: any) -> nil",
     .doc = "The same as register_persona_hook, for one step.",
     .example = R"x(register_step_hook("merge_*", "plan", "PostStep", { ctx -> nil }) == nil)x",
     .prelude = "personas:register_step_hook"},
};

}  // namespace

std::span<const Builtin> persona_rows() { return kRows; }

}  // namespace harn::builtins
