// A program as a server of the Model Context Protocol. What it says is written in Harn (src/std/prelude/mcp_server.harn).
#include "builtins/mcp_server.h"

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/registry.h"
#include "effects/mcp_peer.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

Outcome<Value> say(Call& call) {
  effects::SayToMcpPeer request{std::string(HARN_TRY(call.text(0)))};
  return Value::boolean(HARN_TRY(effects::perform(effects::Run::current(call.vm()), request)));
}

constinit const Builtin kRows[] = {
    {.name = "__mcp_peer_say",
     .signature = "(line: string) -> bool",
     .doc = "Says something to the client of a program that is served; false: there is none.",
     .example = "!__mcp_peer_say(\"\")",
     .needs = Capability::Output,
     .wait = on_fiber<say>},
    {.name = "__mcp_serve_peer",
     .signature = "() -> nil",
     .doc = "Answers the client of a program that is served, until it has gone.",
     .prelude = "mcp_server:mcp_serve_peer"},
    {.name = "mcp_prompt",
     .signature = "(config: dict) -> nil",
     .doc = "Offers a prompt when the program is served: {name, handler, description?, title?, arguments?}. The "
            "handler gets "
            "the arguments and gives a string or [{role, content}].",
     .example = R"(mcp_prompt({name: "greet", handler: { args -> "Greet ${args.who}." }}) == nil)",
     .prelude = "mcp_server:mcp_prompt"},
    {.name = "mcp_resource",
     .signature = "(config: dict) -> nil",
     .doc = "Offers a text when the program is served: {uri, name, text, description?, title?, mime_type?}.",
     .example = R"(mcp_resource({uri: "memo://one", name: "one", text: "the first"}) == nil)",
     .prelude = "mcp_server:mcp_resource"},
    {.name = "mcp_resource_template",
     .signature = "(config: dict) -> nil",
     .doc = "Offers resources by a pattern when the program is served: {uri_template, name, handler, description?, "
            "title?, "
            "mime_type?}. The handler gets the variables of the URI.",
     .example =
         R"(mcp_resource_template({uri_template: "memo://{name}", name: "memo", handler: { at -> at.name }}) == nil)",
     .prelude = "mcp_server:mcp_resource_template"},
    {.name = "mcp_serve",
     .signature = "(registry: dict) -> nil",
     .doc = "The same as mcp_tools.",
     .example = R"(mcp_serve(tool_define(tool_registry(), "x", "X", {parameters: {}, handler: { args -> 1 }})) == nil)",
     .prelude = "mcp_server:mcp_tools"},
    {.name = "mcp_tools",
     .signature = "(registry: dict) -> nil",
     .doc = "Offers the tools of a registry when the program is served: `harn serve mcp FILE`.",
     .example = R"(mcp_tools(tool_define(tool_registry(), "x", "X", {parameters: {}, handler: { args -> 1 }})) == nil)",
     .prelude = "mcp_server:mcp_tools"},
};

}  // namespace

std::span<const Builtin> mcp_server_rows() { return kRows; }

Outcome<Value> serve_mcp_peer(Vm& vm) { return vm.call(Value::builtin(table().find("__mcp_serve_peer")), {}); }

}  // namespace harn::builtins
