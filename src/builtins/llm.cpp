// Calls of models. What an option means, retries, budgets and structured answers are written in Harn
// (src/std/prelude/llm.harn); here is the way to the model (llm/call_model.h), to its stand-in (llm/mock_model.h) and to the
// accounts (llm/accounts.h).
#include "base/mutex.h"
#include "llm/accounts.h"

#include <bit>
#include <charconv>
#include <map>
#include <mutex>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "effects/clock.h"
#include "effects/model_settings.h"
#include "llm/call_model.h"
#include "llm/cassette.h"
#include "llm/fields.h"
#include "llm/health.h"
#include "llm/mock_model.h"
#include "llm/rate_limits.h"
#include "vm/fiber.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;
using llm::Accounts;
using llm::MockModel;

namespace {

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

// ---- calls ----

// (request, timeout_ms, idle_timeout_ms)
template <class Request>
Outcome<Request> model_request(Call& call) {
  Request request;
  request.request = call.arg(0);
  request.timeout_ms = HARN_TRY(call.integer(1));
  request.idle_timeout_ms = HARN_TRY(call.integer_or(2, 0));
  return request;
}

Value answer_value(llm::ModelAnswer answer) {
  return DictBuilder().add("answer", std::move(answer.answer)).add("failure", std::move(answer.failure)).done();
}

Outcome<Value> send(Call& call) {
  auto request = HARN_TRY(model_request<llm::CallModel>(call));
  return answer_value(HARN_TRY(effects::perform(run_of(call), request)));
}

Outcome<Value> open(Call& call) {
  auto request = HARN_TRY(model_request<llm::OpenModel>(call));
  auto opened = HARN_TRY(effects::perform(run_of(call), request));
  return DictBuilder()
      .add("stream", Value::integer(static_cast<int64_t>(opened.stream)))
      .add("failure", std::move(opened.failure))
      .done();
}

Outcome<Value> read(Call& call) {
  llm::ReadModel request{.stream = static_cast<uint64_t>(HARN_TRY(call.integer(0)))};
  auto piece = HARN_TRY(effects::perform(run_of(call), request));
  DictBuilder out;
  out.add("deltas", std::move(piece.deltas));
  out.add("end", piece.is_end ? answer_value(std::move(piece.end)) : Value());
  return out.done();
}

Outcome<Value> close(Call& call) {
  llm::CloseModel request{.stream = static_cast<uint64_t>(HARN_TRY(call.integer(0)))};
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), request)));
}

// (provider, key or nil, timeout_ms)
Outcome<Value> check_provider(Call& call) {
  llm::CheckProvider request{.provider = std::string(HARN_TRY(call.text(0))),
                             .key = call.arg(1).is_nil() ? "" : display(call.arg(1)),
                             .timeout_ms = HARN_TRY(call.integer(2))};
  auto found = HARN_TRY(effects::perform(run_of(call), request));
  return DictBuilder()
      .add("status", found.status == 0 ? Value() : Value::integer(found.status))
      .add("category", found.category.empty() ? Value() : text_value(found.category))
      .add("message", text_value(found.message))
      .add("url", found.url.empty() ? Value() : text_value(found.url))
      .add("body", text_value(text::to_valid_utf8(found.body)))
      .done();
}

// ---- settings ----

// Variables that are about models are the runtime's own, not the program's.
Outcome<Value> setting(Call& call) {
  effects::ReadModelVariables request{{std::string(HARN_TRY(call.text(0)))}, {}};
  auto found = HARN_TRY(effects::perform(run_of(call), request));
  return found.values.empty() ? Value() : text_value(found.values[0]);
}

// Before anything else is asked for a call that may not be made.
Outcome<Value> check_allowed(Call& call) {
  if (run_of(call).allows(Capability::Model)) return Value();
  return effects::denied(llm::CallModel::row, HARN_TRY(call.text(0)));
}

// ---- the stand-in ----

Outcome<Value> mock(Call& call) {
  if (std::string problem = llm::entry_problem(call.arg(0)); !problem.empty())
    return throw_text(ErrorKind::Invalid, "llm_mock: {}", problem);
  MockModel::of(call.vm()).add(HARN_TRY(transfer(call.take(0))));
  return Value();
}

Outcome<Value> mock_calls(Call& call) {
  Value list = new_list();
  for (const Value& made : MockModel::of(call.vm()).calls()) llm::push(list, HARN_TRY(transfer(made)));
  return list;
}

Outcome<Value> mock_clear(Call& call) {
  MockModel::of(call.vm()).clear();
  return Value();
}

Outcome<Value> mock_push(Call& call) {
  MockModel::of(call.vm()).push_scope();
  return Value();
}

Outcome<Value> mock_pop(Call& call) {
  if (MockModel::of(call.vm()).pop_scope()) return Value();
  return throw_text(ErrorKind::Invalid, "llm_mock_pop_scope: no scope was pushed");
}

Outcome<Value> is_replayed(Call& call) { return Value::boolean(llm::Cassette::of(call.vm()).is_replaying()); }

Outcome<Value> is_mocked(Call& call) { return Value::boolean(MockModel::of(call.vm()).has_replies()); }

// ---- accounts ----

std::optional<double> number_of(const Value& value) {
  if (value.is_int()) return static_cast<double>(value.as_int());
  if (value.is_float()) return value.as_float();
  return std::nullopt;
}

Accounts::Limits limits_of(const Value& given) {
  Accounts::Limits limits{.usd = number_of(llm::field(given, "usd")),
                          .input_tokens = llm::int_field(given, "input_tokens"),
                          .output_tokens = llm::int_field(given, "output_tokens"),
                          .tokens = llm::int_field(given, "tokens")};
  if (llm::has_field(given, "usd_name")) limits.usd_name = llm::text_field(given, "usd_name");
  return limits;
}

// Nil as money: nobody knows.
llm::Amount amount_of(const Value& given) {
  auto usd = number_of(llm::field(given, "usd"));
  return {.usd = usd.value_or(0),
          .is_priced = usd.has_value(),
          .input_tokens = llm::count_field(given, "input_tokens"),
          .output_tokens = llm::count_field(given, "output_tokens")};
}

std::vector<uint64_t> accounts_of(const Value& list) {
  std::vector<uint64_t> accounts{Accounts::kProgram};
  for (const Value& number : llm::items(list)) {
    if (number.is_int()) accounts.push_back(static_cast<uint64_t>(number.as_int()));
  }
  return accounts;
}

Outcome<Value> account_open(Call& call) {
  return Value::integer(static_cast<int64_t>(Accounts::of(call.vm()).open(limits_of(call.arg(0)))));
}

Outcome<Value> account_close(Call& call) {
  Accounts::of(call.vm()).close(static_cast<uint64_t>(HARN_TRY(call.integer(0))));
  return Value();
}

Outcome<Value> limit_program(Call& call) {
  Accounts::of(call.vm()).limit_program(limits_of(call.arg(0)));
  return Value();
}

Outcome<Value> reserve(Call& call) {
  auto broken = Accounts::of(call.vm()).reserve(accounts_of(call.arg(0)), amount_of(call.arg(1)));
  if (!broken) return Value();
  return DictBuilder()
      .add("limit", text_value(broken->name))
      .add("limit_value", Value::number(broken->most))
      .add("used", Value::number(broken->used))
      .done();
}

// Used is nil for a call that was not answered.
Outcome<Value> settle(Call& call) {
  auto accounts = accounts_of(call.arg(0));
  llm::Amount reserved = amount_of(call.arg(1));
  Accounts& all = Accounts::of(call.vm());
  if (call.arg(2).is_nil()) all.give_back(accounts, reserved);
  else all.settle(accounts, reserved, amount_of(call.arg(2)), HARN_TRY(call.integer_or(3, 0)));
  return Value();
}

Outcome<Value> account_state(Call& call) {
  auto number = static_cast<uint64_t>(HARN_TRY(call.integer(0)));
  Accounts& all = Accounts::of(call.vm());
  auto spent = all.spent(number);
  if (!spent) return Value();
  auto left = all.usd_left(number);
  return DictBuilder()
      .add("usd", Value::number(spent->usd))
      .add("unpriced_calls", Value::integer(spent->unpriced_calls))
      .add("input_tokens", Value::integer(spent->input_tokens))
      .add("output_tokens", Value::integer(spent->output_tokens))
      .add("calls", Value::integer(spent->calls))
      .add("duration_ms", Value::integer(spent->duration_ms))
      .add("usd_left", left ? Value::number(*left) : Value())
      .done();
}

Outcome<Value> shown_cost(Call& call) {
  double usd = HARN_TRY(call.number(0));
  int64_t calls = HARN_TRY(call.integer(1)), unpriced = HARN_TRY(call.integer(2));
  return call.new_text(llm::cost_text(usd, calls, unpriced));
}

// ---- calls that go on ----

// Of one program; all tasks use it. Numbers are by the order in which calls began, so a replay has the same.
struct Calls {
  struct One {
    std::string model, role;
    int64_t started_at_ms = 0;
  };
  Mutex lock;
  int64_t last = 0;
  std::map<int64_t, One> all;
};
Calls& calls_of(Call& call) { return call.vm().local<Calls>(); }

constexpr std::string_view kCallPrefix = "llm_call_";

// (model, role); the id.
Outcome<Value> call_begin(Call& call) {
  Calls::One one{std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(call.text(1))),
                 effects::wall_ms(run_of(call))};
  Calls& calls = calls_of(call);
  std::lock_guard guard(calls.lock);
  calls.all.emplace(++calls.last, std::move(one));
  return text_value(fmt::format("{}{}", kCallPrefix, calls.last));
}

// Whether it was there.
Outcome<Value> call_forget(Call& call) {
  std::string_view id = HARN_TRY(call.text(0));
  if (!id.starts_with(kCallPrefix)) return Value::boolean(false);
  std::string_view digits = id.substr(kCallPrefix.size());
  int64_t number = 0;
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  Calls& calls = calls_of(call);
  std::lock_guard guard(calls.lock);
  return Value::boolean(read.ec == std::errc() && calls.all.erase(number) > 0);
}

Outcome<Value> calls_that_go_on(Call& call) {
  Value list = new_list();
  Calls& calls = calls_of(call);
  std::lock_guard guard(calls.lock);
  for (auto& [number, one] : calls.all) {
    llm::push(list, DictBuilder()
                        .add("call_id", text_value(fmt::format("{}{}", kCallPrefix, number)))
                        .add("model", text_value(one.model))
                        .add("role", text_value(one.role))
                        .add("started_at_ms", Value::integer(one.started_at_ms))
                        .done());
  }
  return list;
}

// ---- estimates ----

// Of each text the bytes through four, rounded up; of images and the like what they stand for, not their base64.
int64_t tokens_in(const Value& value) {
  constexpr int64_t kBytesPerToken = 4, kTokensPerAttachment = 1600;
  if (value.is_string())
    return (static_cast<int64_t>(value.as_string()->view().size()) + kBytesPerToken - 1) / kBytesPerToken;
  int64_t tokens = 0;
  for (const Value& item : llm::items(value)) tokens += tokens_in(item);
  if (!value.is_dict()) return tokens;
  for (auto [key, field] : value.as_dict()->entries()) {
    if (key->view() == "base64" && !field->is_nil()) return kTokensPerAttachment;
    tokens += tokens_in(*field);
  }
  return tokens;
}

Outcome<Value> estimate_tokens(Call& call) {
  int64_t tokens = 0;
  for (std::string_view name : {"system", "messages", "tools"}) tokens += tokens_in(llm::field(call.arg(0), name));
  return Value::integer(tokens);
}

// ---- requests ----

bool is_sound(const Value& message) {
  constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool_result", "tool", "developer"};
  std::string_view role = llm::text_field(message, "role");
  if (!message.is_dict() || std::ranges::find(kRoles, role) == std::end(kRoles)) return false;
  return std::ranges::none_of(llm::items_field(message, "content"), [](const Value& block) {
    if (!block.is_dict() || llm::text_field(block, "type") != "image") return false;
    return llm::has_field(block, "url") == llm::has_field(block, "base64");
  });
}

Outcome<Value> are_sound(Call& call) { return Value::boolean(std::ranges::all_of(llm::items(call.arg(0)), is_sound)); }

Outcome<Value> without_nil(Call& call) {
  Value out = new_dict();
  if (!call.arg(0).is_dict()) return type_error("__without_nil: expected a dict");
  for (auto [key, value] : call.arg(0).as_dict()->entries()) {
    if (!value->is_nil()) dict_set(out, key, *value);
  }
  return out;
}

// ---- rate limits ----

Outcome<Value> rate_limit(Call& call) {
  auto rpm = llm::RateLimits::of(call.vm()).get(HARN_TRY(call.text(0)));
  return rpm ? Value::integer(*rpm) : Value();
}

Outcome<Value> set_rate_limit(Call& call) {
  llm::RateLimits::of(call.vm()).set(HARN_TRY(call.text(0)), HARN_TRY(call.integer(1)));
  return Value();
}

Outcome<Value> take_place(Call& call) {
  Nanoseconds now = run_of(call).clock().now();
  Nanoseconds at = llm::RateLimits::of(call.vm()).take_place(HARN_TRY(call.text(0)), now);
  return Value::integer((at - now + kMillisecond - 1) / kMillisecond);
}

// What nobody should find on a disk is left out.
Outcome<Value> hidden_text(Call& call) {
  return text_value(run_of(call).world().secrets.hidden(HARN_TRY(call.text(0))));
}

void amount_field(park::Archive& archive, double& usd) {
  auto bits = std::bit_cast<uint64_t>(usd);
  archive.number(bits);
  usd = std::bit_cast<double>(bits);
}

template <class T, class Each>
void maybe_field(park::Archive& archive, std::optional<T>& value, Each each) {
  uint64_t is_set = value.has_value();
  archive.number(is_set);
  T number = value.value_or(T{});
  if (is_set) each(number);
  value = is_set ? std::optional(number) : std::nullopt;
}

// Budgets hold on the other side, too, and what was spent is spent.
void account_fields(park::Archive& archive, Accounts::Account& account) {
  auto count = [&](int64_t& number) { archive.number(number); };
  maybe_field(archive, account.limits.usd, [&](double& usd) { amount_field(archive, usd); });
  maybe_field(archive, account.limits.input_tokens, count);
  maybe_field(archive, account.limits.output_tokens, count);
  maybe_field(archive, account.limits.tokens, count);
  archive.text(account.limits.usd_name);
  amount_field(archive, account.spent.usd);
  amount_field(archive, account.reserved.usd);
  for (int64_t* number :
       {&account.spent.unpriced_calls, &account.spent.input_tokens, &account.spent.output_tokens, &account.spent.calls,
        &account.spent.duration_ms, &account.reserved.input_tokens, &account.reserved.output_tokens})
    archive.number(*number);
}

void mock_fields(park::Archive& archive, MockModel::State& mocks) {
  archive.number(mocks.is_strict);
  archive.text(mocks.script);
  archive.items(mocks.scopes, [&](MockModel::Scope& scope) {
    archive.items(scope.entries, [&](Value& entry) { archive.value(entry); });
    archive.items(scope.calls, [&](Value& call) { archive.value(call); });
    std::vector<std::string> cached(scope.cached.begin(), scope.cached.end());
    archive.items(cached, [&](std::string& key) { archive.text(key); });
    scope.cached = {cached.begin(), cached.end()};
    archive.number(scope.tool_calls);
  });
  if (mocks.scopes.empty()) archive.fail("there is no scope of mocked models");
}

void park_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && llm::open_streams(vm) > 0) archive.refuse("a model's answer is being read");
  mock_fields(archive, MockModel::of(vm).state());
  auto& accounts = Accounts::of(vm);
  archive.number(accounts.last_number());
  archive.entries(
      accounts.all(), [&](uint64_t& number) { archive.number(number); },
      [&](Accounts::Account& account) { account_fields(archive, account); });
}

constinit const Builtin kRows[] = {
    // ---- natives ----
    {.name = "__hidden_text",
     .signature = "(text: string) -> string",
     .doc = "The text without what looks like a secret.",
     .call = hidden_text},
    {.name = "__llm_account",
     .signature = "(limits: dict) -> int",
     .doc = "Opens an account for calls of models.",
     .call = account_open},
    {.name = "__llm_account_close",
     .signature = "(account: int) -> nil",
     .doc = "Ends an account.",
     .call = account_close},
    {.name = "__llm_account_state",
     .signature = "(account: int) -> dict?",
     .doc = "What has been spent of an account; 0 is the program's.",
     .call = account_state},
    {.name = "__cost_text",
     .signature = "(usd: number, calls: int, unpriced_calls: int) -> string",
     .doc = "What calls of models have cost, as people read it.",
     .example = R"(__cost_text(0.00421, 2, 0) == "$0.0042")",
     .call = shown_cost},
    {.name = "__llm_call_begin",
     .signature = "(model: string, role: string) -> string",
     .doc = "Notes that a model is being called; an id for __llm_call_forget.",
     .call = call_begin},
    {.name = "__llm_call_forget",
     .signature = "(id: string) -> bool",
     .doc = "Ends that; whether it was noted.",
     .call = call_forget},
    {.name = "__llm_calls",
     .signature = "() -> list<dict>",
     .doc = "The calls of models that go on: {call_id, model, role, started_at_ms}.",
     .call = calls_that_go_on},
    {.name = "__llm_check",
     .signature = "(builtin: string) -> nil",
     .doc = "Fails where models may not be called.",
     .example = R"(__llm_check("llm_call") == nil)",
     .needs = Capability::Model,
     .call = check_allowed},
    {.name = "__llm_check_provider",
     .signature = "(provider: string, key: string?, timeout_ms: int) -> dict",
     .doc = "Asks a provider for its models: {status, category, message, url, body}.",
     .example = R"(__llm_check_provider("anthropic", nil, 1).category == "auth" || env("ANTHROPIC_API_KEY") != nil)",
     .needs = Capability::Model,
     .wait = on_fiber<check_provider>},
    {.name = "__latest_user_text",
     .signature = "(messages: list) -> dict?",
     .doc = "The last message of the user that is a text: {index, message}, or nil.",
     .example = R"x(__latest_user_text([]) == nil)x",
     .prelude = "experiments:latest_text"},
    {.name = "__structural_experiment",
     .signature = "(by: string, spec: any, request: dict) -> {request: dict, note: dict}",
     .doc = "A request as an experiment with its structure wants it.",
     .prelude = "experiments:experiment"},
    {.name = "__llm_setting",
     .signature = "(variable: string) -> string?",
     .doc = "A variable of the environment that is about models.",
     .call = setting},
    {.name = "__llm_close",
     .signature = "(stream: int) -> bool",
     .doc = "Drops a stream.",
     .example = R"x(!__llm_close(0))x",
     .needs = Capability::Model,
     .wait = on_fiber<close>},
    {.name = "__llm_estimate_tokens",
     .signature = "(request: any) -> int",
     .doc = "How many tokens the texts of a request may be: a quarter of their bytes.",
     .call = estimate_tokens},
    {.name = "__llm_is_mocked", .signature = "() -> bool", .doc = "Whether replies are queued.", .call = is_mocked},
    {.name = "__llm_is_replayed",
     .signature = "() -> bool",
     .doc = "Whether answers of models come from a cassette.",
     .example = "!__llm_is_replayed()",
     .call = is_replayed},
    {.name = "__llm_limit_program",
     .signature = "(limits: dict) -> nil",
     .doc = "What all calls of the program may cost.",
     .call = limit_program},
    {.name = "__llm_open",
     .signature = "(request: dict, timeout_ms: int, idle_timeout_ms?: int) -> dict",
     .doc = "Sends a request whose answer is read in pieces.",
     .example = R"x(__llm_open({provider: "mock", model: "m", messages: []}, 1000).stream > 0)x",
     .needs = Capability::Model,
     .wait = on_fiber<open>},
    {.name = "__llm_place",
     .signature = "(provider: string) -> int",
     .doc = "Takes the place of one request; in how many milliseconds it may be sent.",
     .call = take_place},
    {.name = "__llm_rate", .signature = "(provider: string) -> int?", .doc = "Requests a minute.", .call = rate_limit},
    {.name = "__llm_read",
     .signature = "(stream: int) -> dict",
     .doc = "What has come of an answer: {deltas, end?}.",
     .example =
         R"x(__llm_read(__llm_open({provider: "mock", model: "m", messages: []}, 1000).stream).end.failure == nil)x",
     .needs = Capability::Model,
     .wait = on_fiber<read>},
    {.name = "__llm_reserve",
     .signature = "(accounts: list<int>, amount: dict) -> dict?",
     .doc = "Takes what a call may cost out of its accounts; or tells which limit does not allow it.",
     .call = reserve},
    {.name = "__llm_searches_itself",
     .signature = "(by: string, options: dict) -> bool",
     .doc = "Whether the model that these options choose searches for deferred tools itself (`tool_search`).",
     .prelude = "llm:searches_itself"},
    {.name = "__llm_send",
     .signature = "<T>(prompt: any, system?: string?, options?: {output_schema?: Schema<T>, ...dict}?) -> "
                  "{data: T, text: string, ...dict}",
     .doc = "Sends a request to a model: {answer, failure}.",
     .example =
         R"x(__llm_send({provider: "mock", model: "m", messages: []}, 1000).answer.text == "Mock LLM response")x",
     .needs = Capability::Model,
     .wait = on_fiber<send>},
    {.name = "__llm_set_rate",
     .signature = "(provider: string, rpm: int) -> nil",
     .doc = "Sets the requests a minute; 0: no limit.",
     .call = set_rate_limit},
    {.name = "__llm_settle",
     .signature = "(accounts: list<int>, reserved: dict, used?: dict, duration_ms?: int) -> nil",
     .doc = "Puts what a call did cost in the place of what it might have.",
     .call = settle},
    {.name = "__llm_turn",
     .signature = "(system: string?, options: dict, on_delta?: fn(dict) -> any, known?: dict) -> dict",
     .doc = "One turn of an agent: the result of a call with the message that the model has said.",
     .example =
         R"x(__llm_turn(nil, {provider: "mock", messages: [{role: "user", content: "hi"}]}).message.role == "assistant")x",
     .needs = Capability::Model,
     .prelude = "llm:llm_turn"},
    {.name = "__messages_are_sound",
     .signature = "(messages: list) -> bool",
     .doc = "Whether every message has a role that there is, and every image one source.",
     .example = R"(!__messages_are_sound([{role: "nobody", content: "hi"}]))",
     .call = are_sound},
    {.name = "__without_nil",
     .signature = "(dict: dict) -> dict",
     .doc = "The entries that have a value.",
     .example = "__without_nil({a: 1, b: nil}) == {a: 1}",
     .call = without_nil},
    // ---- calls ----
    {.name = "llm_budget",
     .signature = "(max_cost: float) -> nil",
     .doc = "What all calls of models from here on may cost together, in USD; one that could cost more fails before it "
            "is made.",
     .example = "llm_budget(1.0) == nil && llm_budget_remaining() == 1.0",
     .prelude = "llm:llm_budget"},
    {.name = "llm_budget_remaining",
     .signature = "() -> float?",
     .doc = "What is left of `llm_budget`, in USD; nil without one.",
     .example = "llm_budget_remaining() == nil",
     .prelude = "llm:llm_budget_remaining"},
    {.name = "llm_call",
     .signature =
         "<T>(prompt: any, system?: string?, options?: {output_schema?: Schema<T>, ...dict}) -> {data: T, text: "
         "string, ...dict}",
     .doc = "Asks a model: {text, data?, tool_calls?, usage, model, provider, transcript, ...}. Throws a dict with "
            "category, kind and reason.",
     .example = R"(llm_call("hi", nil, {provider: "mock"}).text == "Mock response to 1-word prompt: hi")",
     .needs = Capability::Model,
     .prelude = "llm:llm_call"},
    {.name = "llm_call_structured",
     .signature = "<T>(prompt: any, schema: Schema<T>, options?: dict?) -> T",
     .doc = "Asks a model for data that fits a schema. Throws a dict with category, kind and reason.",
     .example = R"x(llm_mock({text: "{\"n\": 1}"}) == nil && llm_call_structured("n?", {type: "dict"}).n == 1)x",
     .needs = Capability::Model,
     .prelude = "llm:llm_call_structured"},
    {.name = "llm_call_structured_result",
     .signature =
         "<T>(prompt: any, schema: Schema<T>, options?: dict?) -> {ok: bool, data: T?, raw_text: string, error: "
         "string, "
         "error_category: string?, attempts: int, repaired: bool, extracted_json: bool, usage: {input_tokens: int, "
         "output_tokens: int, cache_read_tokens: int, cache_write_tokens: int, cache_creation_input_tokens: int, "
         "cache_hit_ratio: float, cache_savings_usd: float}, model: string, provider: string}",
     .doc = "Asks a model for data that fits a schema; tells everything about how it went and throws for no failure of "
            "the call.",
     .example = R"x(llm_mock({text: "{\"n\": 1}"}) == nil && llm_call_structured_result("n?", {type: "dict"}).ok)x",
     .needs = Capability::Model,
     .prelude = "llm:llm_call_structured_result"},
    {.name = "llm_call_structured_safe",
     .signature = "<T>(prompt: any, schema: Schema<T>, options?: dict?) -> {ok: bool, data: T?, error: dict?}",
     .doc = "Asks a model for data that fits a schema; a call that fails is a value.",
     .example =
         R"x(llm_mock({text: "{\"n\": 1}"}) == nil && llm_call_structured_safe("n?", {type: "dict"}).data.n == 1)x",
     .needs = Capability::Model,
     .prelude = "llm:llm_call_structured_safe"},
    {.name = "llm_call_safe",
     .signature = "(prompt: any, system?: string?, options?: dict?) -> {ok: bool, response: dict?, error: dict?}",
     .doc = "Asks a model; a call that fails is a value.",
     .example = R"(llm_call_safe("hi", nil, {provider: "mock"}).ok)",
     .needs = Capability::Model,
     .prelude = "llm:llm_call_safe"},
    {.name = "llm_completion",
     .signature = "(prefix: string, suffix?: string?, system?: string?, options?: dict?) -> dict",
     .doc = "Has a model go on from a text, and up to another one.",
     .example = R"(llm_completion("one, ", ", three", nil, {provider: "mock"}).text.ends_with("before 7 chars"))",
     .needs = Capability::Model,
     .prelude = "llm:llm_completion"},
    {.name = "llm_healthcheck",
     .signature =
         "(provider?: string, options?: dict) -> {provider: string, valid: bool, message: string, metadata: dict}",
     .doc = "Whether a provider can be reached, takes the key and, with the option `model`, has the model. Options: "
            "api_key, model, timeout_ms.",
     .example = R"(llm_healthcheck("mock").valid)",
     .needs = Capability::Model,
     .prelude = "llm_health:llm_healthcheck"},
    {.name = "llm_mock",
     .signature = "(entry: dict) -> nil",
     .doc = "Queues a reply: text, tool_calls, match, consume_match, error, token counts, thinking, stop_reason, "
            "model. While replies are "
            "queued they answer for every provider.",
     .example = R"(llm_mock({text: "four"}) == nil && llm_call("2 + 2?").text == "four")",

     .call = mock},
    {.name = "llm_mock_calls",
     .signature = "() -> list<{messages: list, system: string?, tools: any, thinking: any}>",
     .doc = "Returns the calls that mocks of this scope have answered.",
     .example = "llm_mock_calls() == []",
     .call = mock_calls},
    {.name = "llm_mock_clear",
     .signature = "() -> nil",
     .doc = "Forgets the queued replies of this scope and the calls they have answered.",
     .example = "llm_mock_clear() == nil",
     .call = mock_clear},
    {.name = "llm_mock_pop_scope",
     .signature = "() -> nil",
     .doc = "Ends the innermost scope of queued replies.",
     .example = "is_err(try { llm_mock_pop_scope() })",
     .call = mock_pop},
    {.name = "llm_mock_push_scope",
     .signature = "() -> nil",
     .doc = "Begins a scope of queued replies: what is queued from here on is forgotten when it ends.",
     .example = "llm_mock_push_scope() == nil && llm_mock_pop_scope() == nil",
     .call = mock_push},
    {.name = "llm_rate_limit",
     .signature = "(provider: string, options?: {rpm: int}) -> any",
     .doc = "Limits the requests a minute to a provider (0: no limit), or tells the limit; HARN_RATE_LIMIT_<PROVIDER> "
            "sets it from outside.",
     .example = R"(llm_rate_limit("openai", {rpm: 60}) && llm_rate_limit("openai") == 60)",
     .prelude = "llm:llm_rate_limit"},
    {.name = "llm_session_cost",
     .signature = "() -> {total_cost: float, input_tokens: int, output_tokens: int, call_count: int}",
     .doc = "What the program's calls of models have cost so far.",
     .example = "llm_session_cost().call_count == 0",
     .prelude = "llm:llm_session_cost"},
    {.name = "llm_stream",
     .signature = "(prompt: any, system?: string?, options?: dict?) -> channel",
     .doc = "Asks a model and returns a channel with the pieces of its text; one that fails sends a last piece that "
            "begins with `error: `.",
     .example = R"x(receive(llm_stream("one two", nil, {provider: "mock"})) == "one")x",
     .needs = Capability::Model,
     .prelude = "llm:llm_stream"},
    {.name = "llm_stream_call",
     .signature = "(prompt: any, system?: string?, options?: dict?) -> any",
     .doc = "Asks a model and yields what comes: {type: \"text\" | \"thinking\" | \"tool_call\", ...}, {type: "
            "\"data\", data} with as much of a structured answer as is certain, at the end "
            "{type: \"done\", result}.",
     .example = R"x(llm_stream_call("one two", nil, {provider: "mock"}).to_list().last().result.provider == "mock")x",
     .needs = Capability::Model,
     .prelude = "llm:llm_stream_call"},
    {.name = "llm_usage",
     .signature =
         "() -> {input_tokens: int, output_tokens: int, total_duration_ms: int, call_count: int, total_calls: int}",
     .doc = "How many tokens the program's calls of models have used, and how long they took.",
     .example = "llm_usage().total_calls == 0",
     .prelude = "llm:llm_usage"},
    {.name = "with_rate_limit",
     .signature = "<T>(provider: string, body: fn() -> T, options?: {max_retries?: int, backoff_ms?: int}) -> T",
     .doc = "Calls `body` when the provider's rate limit allows it, and again when it fails for a reason that passes.",
     .example = R"(with_rate_limit("openai", { -> 1 }) == 1)",
     .prelude = "llm:with_rate_limit"},
};

}  // namespace

const park::PartRow kModelsPart = {"models", park_fields};

std::span<const Builtin> llm_rows() { return kRows; }

}  // namespace harn::builtins
