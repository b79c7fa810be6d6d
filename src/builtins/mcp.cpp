// The way to servers of the Model Context Protocol (effects/mcp.h). What is said to them is written in Harn
// (src/std/prelude/mcp.harn).
#include "effects/mcp.h"

#include <atomic>

#include "base/result.h"
#include "builtins/families.h"
#include "effects/model_settings.h"
#include "effects/state.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/handle.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

// A connection. What is known about it is kept in Harn, under its number.
struct McpClient : HandleObject {
  std::string name;
  uint64_t number = 0;
  uint64_t child = 0;  // 0: behind HTTP
  std::atomic<int64_t> last_id{0};
};

void display_client(std::string& out, const HandleObject* handle) {
  out += fmt::format("<mcp_client {}>", static_cast<const McpClient*>(handle)->name);
}

void drop_client(HandleObject* handle) {
  Task* task = Scheduler::current_or_null();
  if (task) effects::drop_mcp(task->scheduler->vm(), static_cast<McpClient*>(handle)->child);
}

constinit const HandleType kClientType = {
    .name = "mcp_client", .destroy = destroy_handle<McpClient>, .display = display_client, .drop = drop_client};

Outcome<McpClient*> client_of(Call& call) {
  if (auto* client = as_handle<McpClient>(call.arg(0), kClientType)) return client;
  return call.wrong_type(0, "a client of mcp_connect");
}

Value new_client(Call& call, uint64_t child) {
  struct Numbers {
    std::atomic<uint64_t> last{0};
  };
  auto client = new_handle<McpClient>(kClientType);
  client->name = display(call.arg(0));
  client->number = ++call.vm().local<Numbers>().last;
  client->child = child;
  return Value(std::move(client));
}

// (name, words, options {env, cwd})
Outcome<Value> start(Call& call) {
  effects::RunProcess program{.what = "mcp_connect"};
  auto words = HARN_TRY(call.list(1));
  for (const Value& word : std::as_const(*words).values()) program.words.push_back(display(word));
  if (program.words.empty()) return throw_text(ErrorKind::Invalid, "mcp_connect: command is required");
  program.program = program.words[0];
  const DictObject* options = HARN_TRY(call.dict(2));
  if (const Value* directory = options->find("cwd"); directory && !directory->is_nil())
    program.directory = display(*directory);
  if (const Value* variables = options->find("env"); variables && variables->is_dict()) {
    for (auto [key, value] : variables->as_dict()->entries())
      program.environment.push_back({std::string(key->view()), display(*value)});
  }
  return new_client(call, HARN_TRY(effects::perform(run_of(call), effects::OpenMcp{std::move(program)})));
}

Outcome<Value> remote(Call& call) { return new_client(call, 0); }

Outcome<Value> is_client(Call& call) {
  return Value::boolean(as_handle<McpClient>(call.arg(0), kClientType) != nullptr);
}

Outcome<Value> facts(Call& call) {
  auto* client = HARN_TRY(client_of(call));
  return DictBuilder()
      .add("name", text_value(client->name))
      .add("key", text_value(fmt::format("mcp-{}", client->number)))
      .add("is_child", Value::boolean(client->child != 0))
      .done();
}

Outcome<Value> next_id(Call& call) { return Value::integer(++HARN_TRY(client_of(call))->last_id); }

// (server, method)
Outcome<Value> use(Call& call) {
  HARN_CHECK(effects::perform(run_of(call), effects::UseMcp{display(call.arg(0)), display(call.arg(1))}));
  return Value();
}

// (client, text, expects?, gives_up?)
Outcome<Value> send(Call& call) {
  auto id = [&](uint32_t i) { return call.arg(i).is_nil() ? std::string() : display(call.arg(i)); };
  effects::SendMcp request{HARN_TRY(client_of(call))->child, display(call.arg(1)), id(2), id(3)};
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), request)));
}

// (client, id or nil, timeout_ms)
Outcome<Value> receive(Call& call) {
  effects::ReceiveMcp request{HARN_TRY(client_of(call))->child,
                              call.arg(1).is_nil() ? std::string() : display(call.arg(1)), HARN_TRY(call.integer(2))};
  auto answer = HARN_TRY(effects::perform(run_of(call), request));
  return DictBuilder()
      .add("line", answer.is_late || answer.is_end ? Value() : text_value(answer.line))
      .add("why", answer.is_end ? text_value(answer.why) : Value())
      .add("noise", answer.noise.empty() ? Value() : text_value(answer.noise))
      .done();
}

Outcome<Value> close(Call& call) {
  effects::CloseMcp request{HARN_TRY(client_of(call))->child};
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), request)));
}

Outcome<Value> manifest(Call& call) {
  const effects::StateHome& home = effects::state_home(call.vm());
  effects::ReadModelConfig request;
  if (home.kind == effects::StateHome::Kind::Project) request.project = home.folder;
  return text_value(HARN_TRY(effects::perform(run_of(call), request)).project_text);
}

constinit const Builtin kRows[] = {
    {.name = "__mcp_agent_tools",
     .signature = "(clients: list, before: any) -> dict",
     .doc = "The tools of an agent's servers.",
     .example = "__mcp_agent_tools([], nil).entries == []",
     .prelude = "mcp_servers:mcp_agent_tools"},
    {.name = "__mcp_announced",
     .signature = "(answering: dict) -> dict",
     .doc = "The capabilities that a server is told of.",
     .example = "__mcp_announced({root_list: [], sampling: {}, elicits: false}) == {sampling: {}}",
     .prelude = "mcp_answers:mcp_announced"},
    {.name = "__mcp_answer",
     .signature = "(client: any, said: dict, tell: closure) -> dict",
     .doc = "What a server gets for a question: {result} or {error}.",
     .example = "__mcp_answer(__mcp_remote(\"x\"), {method: \"ping\"}, { at, total, text -> nil }) == {result: {}}",
     .prelude = "mcp_answers:mcp_answer"},
    {.name = "__mcp_answering",
     .signature = "(leave: dict) -> dict",
     .doc = "What a server's questions are answered with: {root_list, sampling, elicits, sampled}.",
     .example = "__mcp_answering({roots: false, sampling: nil, elicitation: false}).root_list == []",
     .prelude = "mcp_answers:mcp_answering"},
    {.name = "__mcp_bind_skills",
     .signature = "(bound: dict, wanted: list, session_id: any) -> dict",
     .doc = "Connects to the servers that skills need.",
     .example = "__mcp_bind_skills({}, [], nil) == {}",
     .prelude = "mcp_servers:mcp_bind_skills"},
    {.name = "__mcp_call_named",
     .signature = "(server: string, name: string, arguments: dict) -> any",
     .doc = "Calls a tool of a server by its name.",
     .example = "unwrap_err(try { __mcp_call_named(\"nobody\", \"x\", {}) }).message.contains(\"no MCP server\")",
     .prelude = "mcp_servers:mcp_call_named"},
    {.name = "__mcp_call_of",
     .signature = "(clients: list, server: string, name: string, arguments: dict) -> any",
     .doc = "Calls a tool of one of these servers.",
     .example = "unwrap_err(try { __mcp_call_of([], \"nobody\", \"x\", {}) }).message.contains(\"no MCP server\")",
     .prelude = "mcp_servers:mcp_call_of"},
    {.name = "__mcp_change",
     .signature = "(client: any, make: fn(dict) -> dict) -> dict",
     .doc = "Keeps fields about a client that follow from what is known.",
     .example = "__mcp_change(__mcp_remote(\"x\"), { state -> {a: 1} }).a == 1",
     .prelude = "mcp:mcp_change"},
    {.name = "__mcp_checked",
     .signature = "(by: string, config: dict) -> dict",
     .doc = "How to reach a server, checked.",
     .example = "__mcp_checked(\"x\", {url: \"http://a\"}).transport == \"http\"",
     .prelude = "mcp:mcp_checked"},
    {.name = "__mcp_close",
     .signature = "(client: any) -> bool",
     .doc = "Lets the child of a client end, or makes it.",
     .example = "!__mcp_close(__mcp_remote(\"x\"))",
     .wait = on_fiber<close>},
    {.name = "__mcp_close_agent",
     .signature = "(opened: dict) -> nil",
     .doc = "Ends the connections of an agent.",
     .example = "__mcp_close_agent({own: [], names: []}) == nil",
     .prelude = "mcp_servers:mcp_close_agent"},
    {.name = "__mcp_facts",
     .signature = "(client: any) -> dict",
     .doc = "Who a client is: {name, key, is_child}.",
     .example = "__mcp_facts(__mcp_remote(\"x\")).name == \"x\"",
     .call = facts},
    {.name = "__mcp_farewell",
     .signature = "(client: any, state: dict) -> nil",
     .doc = "Tells a server that nobody will come back.",
     .example = "__mcp_farewell(__mcp_remote(\"x\"), {}) == nil",
     .prelude = "mcp_transport:mcp_farewell"},
    {.name = "__mcp_for_agent",
     .signature = "(servers: list) -> dict",
     .doc = "Connects to the servers of an agent.",
     .example = "__mcp_for_agent([]).clients == []",
     .prelude = "mcp_servers:mcp_for_agent"},
    {.name = "__mcp_is_client",
     .signature = "(value: any) -> bool",
     .doc = "Whether a value is a client.",
     .example = "!__mcp_is_client(1)",
     .call = is_client},
    {.name = "__mcp_leave",
     .signature = "(by: string, config: dict, transport: string) -> dict",
     .doc = "What a server may ask for: {roots, sampling, elicitation}.",
     .example = "__mcp_leave(\"x\", {}, \"http\") == {roots: false, sampling: nil, elicitation: true}",
     .prelude = "mcp_answers:mcp_leave"},
    {.name = "__mcp_listen",
     .signature = "(client: any, wait_ms?: int) -> nil",
     .doc = "Hears what a server has said while nobody waited, or says within a time.",
     .example = "__mcp_listen(__mcp_remote(\"x\")) == nil",
     .prelude = "mcp_transport:mcp_listen"},
    {.name = "__mcp_manifest",
     .signature = "() -> string",
     .doc = "The manifest of the root project; empty: there is none.",
     .example = "type_of(__mcp_manifest()) == \"string\"",
     .wait = on_fiber<manifest>},
    {.name = "__mcp_next_id",
     .signature = "(client: any) -> int",
     .doc = "The id of a client's next request.",
     .example = "__mcp_next_id(__mcp_remote(\"x\")) == 1",
     .call = next_id},
    {.name = "__mcp_notify",
     .signature = "(client: any, method: string, params: any) -> nil",
     .doc = "Tells a server something.",
     .example = "type_of(__mcp_notify) == \"builtin\"",
     .prelude = "mcp_transport:mcp_notify"},
    {.name = "__mcp_open",
     .signature = "(config: dict) -> any",
     .doc = "Connects to a server.",
     .example = "type_of(__mcp_open) == \"builtin\"",
     .prelude = "mcp:mcp_open"},
    {.name = "__mcp_receive",
     .signature = "(client: any, id: any, timeout_ms: int) -> dict",
     .doc = "What a child has said: {line} or {why}; neither: nothing in time, but perhaps {noise}.",
     .example = "__mcp_receive(__mcp_remote(\"x\"), nil, 0).line == nil",
     .wait = on_fiber<receive>},
    {.name = "__mcp_register",
     .signature = "(name: string, client: any) -> nil",
     .doc = "Makes a client known by a name.",
     .example = "__mcp_register(\"x\", __mcp_remote(\"x\")) == nil",
     .prelude = "mcp_servers:mcp_register"},
    {.name = "__mcp_remote",
     .signature = "(name: string) -> any",
     .doc = "A client of a server behind HTTP.",
     .example = "type_of(__mcp_remote(\"x\")) == \"mcp_client\"",
     .call = remote},
    {.name = "__mcp_request",
     .signature = "(by: string, client: any, method: string, params: dict, options?: dict) -> dict",
     .doc = "The result of a request.",
     .example = "unwrap_err(try { __mcp_request(\"x\", 1, \"ping\", {}) }).contains(\"expected a client\")",
     .prelude = "mcp_transport:mcp_request"},
    {.name = "__mcp_send",
     .signature = "(client: any, text: string, expects?: any, gives_up?: any) -> bool",
     .doc = "Says something to a child; false: it does not listen any more.",
     .example = "!__mcp_send(__mcp_remote(\"x\"), \"\")",
     .wait = on_fiber<send>},
    {.name = "__mcp_start",
     .signature = "(name: string, words: list, options: dict) -> any",
     .doc = "A client of a child.",
     .example = "type_of(__mcp_start(\"x\", [\"true\"], {})) == \"mcp_client\"",
     .needs = Capability::Process,
     .wait = on_fiber<start>},
    {.name = "__mcp_state",
     .signature = "(by: string, client: any) -> dict",
     .doc = "What is known about a client.",
     .example = "__mcp_state(\"x\", __mcp_remote(\"x\")).is_connected == false",
     .prelude = "mcp:mcp_state"},
    {.name = "__mcp_text",
     .signature = "(blocks: list, otherwise: string) -> string",
     .doc = "Blocks of content as a text.",
     .example = "__mcp_text([], \"none\") == \"none\"",
     .prelude = "mcp:mcp_text"},
    {.name = "__mcp_unregister",
     .signature = "(name: string, client: any) -> nil",
     .doc = "The name stands for nobody any more.",
     .example = "__mcp_unregister(\"x\", __mcp_remote(\"x\")) == nil",
     .prelude = "mcp_servers:mcp_unregister"},
    {.name = "__mcp_update",
     .signature = "(client: any, fields: dict) -> dict",
     .doc = "Keeps what is known about a client.",
     .example = "__mcp_update(__mcp_remote(\"x\"), {a: 1}).a == 1",
     .prelude = "mcp:mcp_update"},
    {.name = "__mcp_use",
     .signature = "(server: string, method: string) -> nil",
     .doc = "Whether a request may be made; throws.",
     .example = "__mcp_use(\"x\", \"ping\") == nil",
     .needs = Capability::Mcp,
     .wait = on_fiber<use>},
    {.name = "mcp",
     .signature = "() -> dict",
     .doc =
         "The servers of the manifest that are not lazy, by name: clients, connected to when this is first mentioned. "
         "Its name alone means it, too.",
     .example = "mcp == {}",
     .flags = BuiltinFlags::Property,
     .prelude = "mcp_servers:mcp_global"},
    {.name = "mcp_call",
     .signature = "(client: any, name: string, arguments?: dict, options?: dict) -> any",
     .doc = "Calls a tool of a server: a string for one block of text, a list of blocks for several, nil for none; "
            "what the tool "
            "calls an error is thrown. Options: timeout_ms, on_progress.",
     .example = "unwrap_err(try { mcp_call(1, \"x\") }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_call"},
    {.name = "mcp_complete",
     .signature = "(client: any, ref: dict, argument: dict, context?: dict) -> dict",
     .doc = "What a server proposes for an argument of a prompt or of a template: {values, total, has_more}.",
     .example = "unwrap_err(try { mcp_complete(1, {}, {}) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_complete"},
    {.name = "mcp_connect",
     .signature = "(command: any, args?: list | dict) -> any",
     .doc = "Connects to an MCP server: a program and its arguments, a URL, or {name, transport, command, args, env, "
            "cwd, url, "
            "auth_token, auth, headers, timeout_ms, roots, sampling, elicitation}.",
     .example = "unwrap_err(try { mcp_connect(\"true\") }).message.contains(\"it has ended\")",
     .needs = Capability::Mcp,
     .prelude = "mcp:mcp_connect"},
    {.name = "mcp_disconnect",
     .signature = "(client: any) -> nil",
     .doc = "Ends a connection to a server; a program that was started for it ends, too.",
     .example = "unwrap_err(try { mcp_disconnect(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_disconnect"},
    {.name = "mcp_ensure_active",
     .signature = "(name: string) -> any",
     .doc = "The client of a server of the manifest, which is connected to if need be; mcp_release gives it back.",
     .example = "unwrap_err(try { mcp_ensure_active(\"nobody\") }).message.contains(\"no MCP server\")",
     .prelude = "mcp_servers:mcp_ensure_active"},
    {.name = "mcp_get_prompt",
     .signature = "(client: any, name: string, arguments?: dict) -> dict",
     .doc = "A prompt of a server: {description, messages}.",
     .example = "unwrap_err(try { mcp_get_prompt(1, \"x\") }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_get_prompt"},
    {.name = "mcp_list_prompts",
     .signature = "(client: any) -> list",
     .doc = "The prompts of a server.",
     .example = "unwrap_err(try { mcp_list_prompts(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_list_prompts"},
    {.name = "mcp_list_resource_templates",
     .signature = "(client: any) -> list",
     .doc = "The templates for URIs of resources that a server has.",
     .example = "unwrap_err(try { mcp_list_resource_templates(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_list_resource_templates"},
    {.name = "mcp_list_resources",
     .signature = "(client: any) -> list",
     .doc = "The resources of a server.",
     .example = "unwrap_err(try { mcp_list_resources(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_list_resources"},
    {.name = "mcp_list_tools",
     .signature = "(client: any) -> list",
     .doc = "The tools of a server, as entries for an agent's option `tools`; each carries `_mcp_server`.",
     .example = "unwrap_err(try { mcp_list_tools(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_list_tools"},
    {.name = "mcp_read_resource",
     .signature = "(client: any, uri: string) -> any",
     .doc = "A resource of a server: its text, or a list of its parts.",
     .example = "unwrap_err(try { mcp_read_resource(1, \"x\") }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_read_resource"},
    {.name = "mcp_registry_status",
     .signature = "() -> list",
     .doc = "The servers of the manifest and those that are connected: [{name, lazy, active, ref_count, card?}].",
     .example = "type_of(mcp_registry_status()) == \"list\"",
     .prelude = "mcp_servers:mcp_registry_status"},
    {.name = "mcp_release",
     .signature = "(name: string) -> nil",
     .doc = "Gives back what mcp_ensure_active gave; the last one ends the connection.",
     .example = "mcp_release(\"nobody\") == nil",
     .prelude = "mcp_servers:mcp_release"},
    {.name = "mcp_server_card",
     .signature = "(server: string) -> dict",
     .doc = "The card of a server, by its name, its URL or the path of a file; kept for five minutes.",
     .example = "unwrap_err(try { mcp_server_card(\"none.json\") }).contains(\"none.json\")",
     .prelude = "mcp_servers:mcp_server_card"},
    {.name = "mcp_server_info",
     .signature = "(client: any) -> dict",
     .doc = "Who a client is connected to: {name, connected}, and what the server says about itself.",
     .example = "unwrap_err(try { mcp_server_info(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_server_info"},
    {.name = "mcp_set_log_level",
     .signature = "(client: any, level: string) -> nil",
     .doc = "How much a server tells of its work: what it tells goes to the log.",
     .example = "unwrap_err(try { mcp_set_log_level(1, \"info\") }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_set_log_level"},
    {.name = "mcp_subscribe",
     .signature = "(client: any, uri: string) -> nil",
     .doc = "Lets a server tell when a resource changes: mcp_updated_resources.",
     .example = "unwrap_err(try { mcp_subscribe(1, \"x\") }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_subscribe"},
    {.name = "mcp_unsubscribe",
     .signature = "(client: any, uri: string) -> nil",
     .doc = "Ends what mcp_subscribe began.",
     .example = "unwrap_err(try { mcp_unsubscribe(1, \"x\") }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_unsubscribe"},
    {.name = "mcp_updated_resources",
     .signature = "(client: any, wait_ms?: int) -> list<string>",
     .doc = "The resources that a server has said to have changed, each once; with a time, waits that long for one.",
     .example = "unwrap_err(try { mcp_updated_resources(1) }).contains(\"expected a client\")",
     .prelude = "mcp:mcp_updated_resources"},
};

}  // namespace

std::span<const Builtin> mcp_rows() { return kRows; }

}  // namespace harn::builtins
