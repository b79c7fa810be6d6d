// What the pg_ builtins are made of (src/std/prelude/postgres.harn): statements, their parameters and rows as values. Handles
// are {_type, id} to the program.
#include <charconv>
#include <cmath>

#include "base/result.h"
#include "base/shared_table.h"
#include "base/text.h"
#include "base/url.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "builtins/parking.h"
#include "data/json.h"
#include "effects/environment.h"
#include "effects/postgres.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;
using effects::PgAnswer;
using effects::PgCell;
using effects::PgError;
using effects::PgParam;

namespace {

constexpr size_t kMostPools = 64;

// The open pools and transactions of a program, by name.
struct KnownPools {
  SharedTable<std::string, uint64_t> pools, transactions;
};
KnownPools& known(Call& call) { return call.vm().local<KnownPools>(); }
effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

Value handle_value(std::string_view type, std::string_view id) {
  return DictBuilder().add("_type", text_value(type)).add("id", text_value(id)).done();
}

// ---- errors ----

ErrorKind kind_of_state(std::string_view state) {
  if (state == "57014") return ErrorKind::Timeout;  // nobody else cancels
  if (state == "42501" || state.starts_with("28")) return ErrorKind::Denied;
  if (state.starts_with("22") || state.starts_with("23") || state.starts_with("42")) return ErrorKind::Invalid;
  if (state == "08P01") return ErrorKind::Invalid;  // the wrong number of parameters
  if (state.starts_with("08") || state.starts_with("57P")) return ErrorKind::Network;
  return state.starts_with("53") || state.starts_with("54") ? ErrorKind::Limit : ErrorKind::Runtime;
}

ErrorKind kind_of(const PgError& error) {
  switch (error.kind) {
    case PgError::Kind::Settings: return ErrorKind::Invalid;
    case PgError::Kind::Unavailable: return ErrorKind::NotFound;
    case PgError::Kind::Connect:
    case PgError::Kind::Lost: return ErrorKind::Network;
    case PgError::Kind::Blocked: return ErrorKind::Denied;
    case PgError::Kind::Timeout: return ErrorKind::Timeout;
    case PgError::Kind::Stopped: return ErrorKind::Cancelled;
    case PgError::Kind::TooLarge: return ErrorKind::Limit;
    case PgError::Kind::Server: return kind_of_state(error.state);
  }
  return ErrorKind::Runtime;
}

// The name is that of the builtin that the program has called.
std::unexpected<Thrown> pg_error(std::string_view name, const PgError& error) {
  std::string text = fmt::format("{}: {}", name, error.message);
  if (!error.state.empty()) text += fmt::format(" (SQLSTATE {})", error.state);
  ErrorDetails details;
  std::pair<std::string_view, const std::string*> facts[] = {{"detail", &error.detail},
                                                             {"hint", &error.hint},
                                                             {"table", &error.table},
                                                             {"column", &error.column},
                                                             {"constraint", &error.constraint}};
  for (auto [key, fact] : facts) {
    if (!fact->empty()) details.emplace_back(key, text_value(*fact));
  }
  auto thrown = throw_text(kind_of(error), "{}", text);
  return error.state.empty() ? std::move(thrown) : with_facts(std::move(thrown), error.state, std::move(details));
}

// ---- parameters and rows ----

Outcome<PgParam> param_of(std::string_view name, const Value& value) {
  using namespace effects;
  if (value.is_nil()) return PgParam{.is_null = true};
  if (value.is_bool()) return PgParam{.type = kPgBool, .value = value.as_bool() ? "t" : "f"};
  if (value.is_int()) return PgParam{.type = kPgInt8, .value = display(value)};
  if (value.is_float()) {
    double number = value.as_float();
    return PgParam{.type = kPgFloat8, .value = std::isnan(number) ? "NaN" : fmt::format("{}", number)};
  }
  if (value.is(Kind::Bytes)) return PgParam{.type = kPgBytes, .value = std::string(value.as_bytes()->view())};
  bool is_compound = is_list_like(value) || value.is_dict() || value.is(Kind::Struct);
  PgParam param{.type = is_compound ? kPgJsonb : 0};
  if (!is_compound) {
    param.value = display(value);
  } else if (auto written = data::append_json(param.value, value); !written) {
    return throw_text(written.error().kind, "{}: a parameter cannot be sent as JSON: {}", name, written.error().text());
  }
  if (param.value.find('\0') != param.value.npos)
    return throw_text(ErrorKind::Invalid, "{}: a text with a zero character cannot be sent; send bytes", name);
  return param;
}

Outcome<std::vector<PgParam>> params_of(std::string_view name, const Value& given) {
  std::vector<PgParam> params;
  if (given.is_nil()) return params;
  if (!is_list_like(given)) return type_error("{}: params must be a list, got {}", name, type_name(given));
  if (list_size(given) > UINT16_MAX) return throw_text(ErrorKind::Limit, "{}: at most {} parameters", name, UINT16_MAX);
  for (size_t i = 0; i < list_size(given); ++i) params.push_back(HARN_TRY(param_of(name, list_item(given, i))));
  return params;
}

constexpr uint32_t kTimestamp = 1114, kTimestampTz = 1184;

// "2024-05-06 07:08:09+00" as RFC 3339 has it. Years before Christ and infinity stay as they are.
std::string timestamp_text(std::string text, uint32_t type) {
  size_t space = text.find(' ');
  if (space == text.npos || text.ends_with("BC")) return text;
  text[space] = 'T';
  size_t sign = text.find_last_of("+-");
  if (type == kTimestampTz && sign != text.npos && text.size() - sign == 3) text += ":00";
  return text;
}

Value float_value(const std::string& text) {
  if (text == "NaN") return Value::number(std::nan(""));
  double infinite = std::numeric_limits<double>::infinity();
  if (text == "Infinity") return Value::number(infinite);
  if (text == "-Infinity") return Value::number(-infinite);
  return Value::number(std::strtod(text.c_str(), nullptr));
}

// What has no kind of its own stays the text that the server has sent: numbers without a bound lose no digit.
Value cell_value(const PgCell& cell, uint32_t type) {
  using namespace effects;
  if (cell.is_null) return Value();
  switch (type) {
    case kPgBool: return Value::boolean(cell.text == "t");
    case kPgInt2:
    case kPgInt4:
    case kPgInt8:
    case kPgOid: {
      int64_t number = 0;
      std::from_chars(cell.text.data(), cell.text.data() + cell.text.size(), number);
      return Value::integer(number);
    }
    case kPgFloat4:
    case kPgFloat8: return float_value(cell.text);
    case kPgBytes: return Value(new_bytes(cell.text));
    case kPgJson:
    case kPgJsonb:
      if (auto parsed = data::parse_json(cell.text)) return *std::move(parsed);
      return text_value(cell.text);
    case kTimestamp:
    case kTimestampTz: return text_value(timestamp_text(cell.text, type));
    default: return text_value(cell.text);
  }
}

Value rows_value(const effects::PgResult& result) {
  size_t width = result.columns.size();
  auto rows = new_list();
  for (size_t at = 0; width > 0 && at + width <= result.cells.size(); at += width) {
    DictBuilder row;
    for (size_t i = 0; i < width; ++i)
      row.add(result.columns[i].name, cell_value(result.cells[at + i], result.columns[i].type));
    rows->push(row.done());
  }
  return Value(std::move(rows));
}

// ---- builtins: all have the name of the one that the program has called as their first argument ----

const Value* option(const Value& options, std::string_view name) {
  const Value* value = options.is_dict() ? options.as_dict()->find(name) : nullptr;
  return value && !value->is_nil() ? value : nullptr;
}

Outcome<void> number_option(std::string_view builtin, const Value& options, std::string_view name, int64_t least,
                            int64_t& to) {
  const Value* value = option(options, name);
  if (!value) return {};
  if (!value->is_int() || value->as_int() < least)
    return type_error("{}: option `{}` is {}, expected an int, {} or more", builtin, name, display(*value), least);
  to = value->as_int();
  return {};
}

Outcome<effects::PgPoolOptions> pool_options(std::string_view name, const Value& given) {
  effects::PgPoolOptions options;
  if (!given.is_nil() && !given.is_dict())
    return type_error("{}: options must be a dict, got {}", name, type_name(given));
  constexpr std::string_view kNames[] = {"max_connections",      "acquire_timeout_ms",       "connect_timeout_ms",
                                         "statement_timeout_ms", "statement_cache_capacity", "application_name"};
  if (given.is_dict()) HARN_CHECK(check_names(name, "option", given.as_dict(), kNames));
  HARN_CHECK(number_option(name, given, "max_connections", 1, options.max_connections));
  HARN_CHECK(number_option(name, given, "acquire_timeout_ms", 0, options.acquire_timeout_ms));
  HARN_CHECK(number_option(name, given, "connect_timeout_ms", 1, options.connect_timeout_ms));
  HARN_CHECK(number_option(name, given, "statement_timeout_ms", 0, options.statement_timeout_ms));
  HARN_CHECK(number_option(name, given, "statement_cache_capacity", 0, options.statement_cache_capacity));
  if (const Value* application = option(given, "application_name")) options.application_name = display(*application);
  return options;
}

// A source in the environment has a password in it, as a rule.
Outcome<Value> variable(Call& call) {
  effects::ReadVariable request{.name = std::string(HARN_TRY(call.text(0))), .is_secret = true};
  auto answer = HARN_TRY(effects::perform(run_of(call), request));
  return answer.is_set ? text_value(text::to_valid_utf8(answer.value)) : Value();
}

// (name, source, options)
Outcome<Value> open(Call& call) {
  std::string name(HARN_TRY(call.text(0)));
  effects::OpenPostgres request{.source = std::string(HARN_TRY(call.text(1)))};
  bool is_url = request.source.starts_with("postgres://") || request.source.starts_with("postgresql://");
  request.masked = is_url ? masked_url(request.source) : "a database";
  request.options = HARN_TRY(pool_options(name, call.arg(2)));
  if (name == "pg_connect") request.options.max_connections = 1;
  auto& pools = known(call).pools;
  if (pools.count() >= kMostPools)
    return throw_text(ErrorKind::Limit, "{}: {} pools are open; close one first", name, kMostPools);
  auto answer = HARN_TRY(effects::perform(run_of(call), request));
  if (answer.has_failed && answer.error.kind == PgError::Kind::Blocked)
    return egress_blocked(request, answer.error.message);
  if (answer.has_failed) return pg_error(name, answer.error);
  std::string id = fmt::format("pg-pool-{}", pools.next_number());
  pools.put(id, answer.number);
  return handle_value("pg_pool", id);
}

std::string id_of(const Value& handle) {
  const Value* id = option(handle, "id");
  return id ? display(*id) : display(handle);
}

std::unexpected<Thrown> unknown_handle(std::string_view name, const Value& handle) {
  return throw_text(ErrorKind::NotFound, "{}: unknown pool or transaction '{}'", name, id_of(handle));
}

Outcome<effects::QueryPostgres> statement_of(std::string_view name, const Value& sql, const Value& params) {
  effects::QueryPostgres request;
  if (!sql.is_string()) return type_error("{}: sql must be a string, got {}", name, type_name(sql));
  request.sql = sql.as_string()->view();
  if (request.sql.find('\0') != request.sql.npos)
    return throw_text(ErrorKind::Invalid, "{}: the statement has a zero character", name);
  request.params = HARN_TRY(params_of(name, params));
  return request;
}

// (name, handle, sql, params) -> rows or {rows_affected}
Outcome<Value> run(Call& call) {
  std::string name(HARN_TRY(call.text(0)));
  std::string id = id_of(call.arg(1));
  auto pool = known(call).pools.find(id);
  auto transaction = known(call).transactions.find(id);
  if (!pool && !transaction) return unknown_handle(name, call.arg(1));
  auto request = HARN_TRY(statement_of(name, call.arg(2), call.arg(3)));
  if (pool) request.pool = *pool;
  else request.transaction = *transaction;
  if (name == "pg_execute") request.most_rows = 0;
  if (name == "pg_query_one") request.most_rows = 1;
  auto answer = HARN_TRY(effects::perform(run_of(call), request));
  if (answer.has_failed) return pg_error(name, answer.error);
  if (name != "pg_execute") return rows_value(answer.result);
  return DictBuilder().add("rows_affected", Value::integer(answer.result.rows_affected)).done();
}

constexpr std::string_view kIsolations[] = {"serializable", "repeatable read", "read committed", "read uncommitted"};

Outcome<std::string> transaction_mode(const Value& options) {
  std::string mode;
  if (const Value* isolation = option(options, "isolation")) {
    std::string level = text::ascii_lower(display(*isolation));
    std::replace(level.begin(), level.end(), '_', ' ');
    if (std::find(std::begin(kIsolations), std::end(kIsolations), level) == std::end(kIsolations))
      return throw_text(
          ErrorKind::Invalid,
          "pg_transaction: unknown isolation '{}', expected serializable, repeatable_read or read_committed",
          display(*isolation));
    mode = "isolation level " + level;
  }
  const Value* is_read_only = option(options, "read_only");
  if (is_read_only && !is_read_only->is_bool())
    return type_error("pg_transaction: option `read_only` is {}, expected a bool", display(*is_read_only));
  if (is_read_only && is_read_only->as_bool()) mode += " read only";
  return mode;
}

Outcome<effects::BeginPostgres> transaction_of(const Value& options) {
  if (!options.is_nil() && !options.is_dict())
    return type_error("pg_transaction: options must be a dict, got {}", type_name(options));
  constexpr std::string_view kNames[] = {"isolation", "read_only", "settings"};
  if (options.is_dict()) HARN_CHECK(check_names("pg_transaction", "option", options.as_dict(), kNames));
  effects::BeginPostgres request{.mode = HARN_TRY(transaction_mode(options))};
  const Value* settings = option(options, "settings");
  if (!settings) return request;
  if (!settings->is_dict()) return type_error("pg_transaction: settings must be a dict, got {}", type_name(*settings));
  for (auto [name, value] : settings->as_dict()->entries())
    request.settings.push_back({std::string(name->view()), value->is_nil() ? "" : display(*value)});
  return request;
}

// (pool, options)
Outcome<Value> begin(Call& call) {
  auto pool = known(call).pools.find(id_of(call.arg(0)));
  if (!pool) return throw_text(ErrorKind::NotFound, "pg_transaction: unknown pool '{}'", id_of(call.arg(0)));
  auto request = HARN_TRY(transaction_of(call.arg(1)));
  request.pool = *pool;
  auto answer = HARN_TRY(effects::perform(run_of(call), request));
  if (answer.has_failed) return pg_error("pg_transaction", answer.error);
  std::string id = fmt::format("pg-tx-{}", known(call).transactions.next_number());
  known(call).transactions.put(id, answer.number);
  return handle_value("pg_tx", id);
}

// (transaction, commits): nothing happens to one that is over.
Outcome<Value> end(Call& call) {
  auto transaction = known(call).transactions.take(id_of(call.arg(0)));
  if (!transaction) return Value();
  auto answer = HARN_TRY(effects::perform(run_of(call), effects::EndPostgres{*transaction, HARN_TRY(call.boolean(1))}));
  if (answer.has_failed) return pg_error("pg_transaction", answer.error);
  return Value();
}

Outcome<Value> close(Call& call) {
  auto pool = known(call).pools.take(id_of(call.arg(0)));
  if (!pool) return Value::boolean(false);
  return Value::boolean(HARN_TRY(effects::perform(run_of(call), effects::ClosePostgres{*pool})));
}

Outcome<Value> clear(Call& call) {
  auto pool = known(call).pools.find(id_of(call.arg(0)));
  if (!pool) return unknown_handle("pg_stmt_cache_clear", call.arg(0));
  HARN_CHECK(effects::perform(run_of(call), effects::ClearPostgres{*pool}));
  return Value();
}

// ---- for mocks: what a server would not be sent ----

// (name, sql, params)
Outcome<Value> check_statement(Call& call) {
  HARN_CHECK(statement_of(HARN_TRY(call.text(0)), call.arg(1), call.arg(2)));
  return Value();
}

Outcome<Value> check_options(Call& call) {
  HARN_CHECK(transaction_of(call.arg(0)));
  return Value();
}

void pool_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && vm.local<KnownPools>().pools.count() > 0) archive.refuse("a database is open");
}

constinit const Builtin kRows[] = {
    {.name = "__pg_begin",
     .signature = "(pool: any, options?: dict) -> dict",
     .doc = "Begins a transaction.",
     .example = "is_err(try { __pg_begin(\"none\") })",
     .wait = on_fiber<begin>},
    {.name = "__pg_check_options",
     .signature = "(options: any) -> nil",
     .doc = "Refuses options of a transaction that make no sense.",
     .example = "is_err(try { __pg_check_options({settings: 5}) })",
     .call = check_options},
    {.name = "__pg_check_statement",
     .signature = "(builtin: string, sql: any, params: any) -> nil",
     .doc = "Refuses a statement or parameters that cannot be sent.",
     .example = "is_err(try { __pg_check_statement(\"pg_query\", \"x\", \"y\") })",
     .call = check_statement},
    {.name = "__pg_clear",
     .signature = "(pool: any) -> nil",
     .doc = "Forgets the prepared statements of a pool.",
     .example = "is_err(try { __pg_clear(\"none\") })",
     .wait = on_fiber<clear>},
    {.name = "__pg_close",
     .signature = "(pool: any) -> bool",
     .doc = "Closes a pool.",
     .example = "!__pg_close(\"none\")",
     .wait = on_fiber<close>},
    {.name = "__pg_close_pool",
     .signature = "(pool: dict) -> bool",
     .doc = "The same as pg_close, for std/postgres.",
     .example = "!__pg_close_pool({_type: \"pg_pool\", id: \"none\"})",
     .prelude = "postgres:pg_close"},
    {.name = "__pg_connect",
     .signature = "(source: string | dict, options?: dict) -> dict",
     .doc = "The same as pg_connect, for std/postgres.",
     .example = "unwrap_err(try { __pg_connect(\"postgres://127.0.0.1:1/x\") }).starts_with(\"pg_connect: \")",
     .needs = Capability::Network,
     .prelude = "postgres:pg_connect"},
    {.name = "__pg_end",
     .signature = "(transaction: any, commits: bool) -> nil",
     .doc = "Ends a transaction, if it is not over.",
     .example = "__pg_end(\"none\", false) == nil",
     .wait = on_fiber<end>},
    {.name = "__pg_execute",
     .signature = "(handle: dict, sql: string, params?: list) -> dict",
     .doc = "The same as pg_execute, for std/postgres.",
     .example = "__pg_execute(__pg_mock_pool([{sql: \"x\"}]), \"x\").rows_affected == 0",
     .prelude = "postgres:pg_execute"},
    {.name = "__pg_mock_calls",
     .signature = "(mock: dict) -> list<dict>",
     .doc = "The same as pg_mock_calls, for std/postgres.",
     .example = "__pg_mock_calls(__pg_mock_pool([])) == []",
     .prelude = "postgres:pg_mock_calls"},
    {.name = "__pg_mock_pool",
     .signature = "(fixtures: list<dict>) -> dict",
     .doc = "The same as pg_mock_pool, for std/postgres.",
     .example = "__pg_mock_pool([])._type == \"pg_mock_pool\"",
     .prelude = "postgres:pg_mock_pool"},
    {.name = "__pg_open",
     .signature = "(builtin: string, source: string, options?: dict) -> dict",
     .doc = "Opens a pool.",
     .example = "unwrap_err(try { __pg_open(\"pg_pool\", \"postgres://127.0.0.1:1/x\") }).starts_with(\"pg_pool: \")",
     .needs = Capability::Network,
     .wait = on_fiber<open>},
    {.name = "__pg_pool",
     .signature = "(source: string | dict, options?: dict) -> dict",
     .doc = "The same as pg_pool, for std/postgres.",
     .example = "unwrap_err(try { __pg_pool(\"postgres://127.0.0.1:1/x\") }).starts_with(\"pg_pool: \")",
     .needs = Capability::Network,
     .prelude = "postgres:pg_pool"},
    {.name = "__pg_query",
     .signature = "(handle: dict, sql: string, params?: list) -> list<dict>",
     .doc = "The same as pg_query, for std/postgres.",
     .example = "__pg_query(__pg_mock_pool([{sql: \"x\"}]), \"x\") == []",
     .prelude = "postgres:pg_query"},
    {.name = "__pg_query_one",
     .signature = "(handle: dict, sql: string, params?: list) -> dict?",
     .doc = "The same as pg_query_one, for std/postgres.",
     .example = "__pg_query_one(__pg_mock_pool([{sql: \"x\"}]), \"x\") == nil",
     .prelude = "postgres:pg_query_one"},
    {.name = "__pg_run",
     .signature = "(builtin: string, handle: any, sql: string, params?: list) -> list | dict",
     .doc = "Runs one statement.",
     .example = "is_err(try { __pg_run(\"pg_query\", \"none\", \"select 1\") })",
     .wait = on_fiber<run>},
    {.name = "__pg_stmt_cache_clear",
     .signature = "(pool: dict) -> nil",
     .doc = "The same as pg_stmt_cache_clear, for std/postgres.",
     .example = "__pg_stmt_cache_clear(__pg_mock_pool([])) == nil",
     .prelude = "postgres:pg_stmt_cache_clear"},
    {.name = "__pg_transaction",
     .signature = "(pool: dict, callback: fn(dict) -> any, options?: dict) -> any",
     .doc = "The same as pg_transaction, for std/postgres.",
     .example = "__pg_transaction(__pg_mock_pool([]), { tx -> 1 }) == 1",
     .prelude = "postgres:pg_transaction"},
    {.name = "__pg_variable",
     .signature = "(name: string) -> string?",
     .doc = "A variable that is a secret, whatever its name says.",
     .example = "__pg_variable(\"NOT_SET\") == nil",
     .needs = Capability::EnvRead,
     .call = variable},
    {.name = "__secret",
     .signature = "(builtin: string, id: string) -> string",
     .doc = "A secret, by `namespace/name`; fails where there is none.",
     .example = R"(error_category(unwrap_err(try { __secret("x", "no/such") })) == "not_found")",
     .needs = Capability::EnvRead,
     .prelude = "secrets:secret"},
    {.name = "__secret_variable",
     .signature = "(builtin: string, name: string) -> string",
     .doc = "A variable that is a secret; fails where it is not set.",
     .example = R"(error_category(unwrap_err(try { __secret_variable("x", "NOT_SET") })) == "not_found")",
     .needs = Capability::EnvRead,
     .prelude = "secrets:secret_variable"},
    {.name = "pg_close",
     .signature = "(pool: dict) -> bool",
     .doc = "Closes a pool of connections; false when it was.",
     .example = "!pg_close({_type: \"pg_pool\", id: \"none\"})",
     .prelude = "postgres:pg_close"},
    {.name = "pg_connect",
     .signature = "(source: string | dict, options?: dict) -> dict",
     .doc = "Opens a single connection to PostgreSQL; it is a pool that has no other.",
     .example = "unwrap_err(try { pg_connect(\"postgres://127.0.0.1:1/x\") }).starts_with(\"pg_connect: \")",
     .needs = Capability::Network,
     .prelude = "postgres:pg_connect"},
    {.name = "pg_execute",
     .signature = "(handle: dict, sql: string, params?: list) -> dict",
     .doc = "Runs a statement and returns {rows_affected}.",
     .example =
         "pg_execute(pg_mock_pool([{sql: \"delete from t\", rows_affected: 2}]), \"delete from t\").rows_affected == 2",
     .prelude = "postgres:pg_execute"},
    {.name = "pg_mock_calls",
     .signature = "(mock: dict) -> list<dict>",
     .doc = "Returns the statements that a mock was asked to run: {sql, params}.",
     .example = "pg_mock_calls(pg_mock_pool([])) == []",
     .prelude = "postgres:pg_mock_calls"},
    {.name = "pg_mock_pool",
     .signature = "(fixtures: list<dict>) -> dict",
     .doc = "Returns a handle whose statements are answered by fixtures: {sql, params?, rows?, error?}.",
     .example = "pg_mock_pool([])._type == \"pg_mock_pool\"",
     .prelude = "postgres:pg_mock_pool"},
    {.name = "pg_pool",
     .signature = "(source: string | dict, options?: dict) -> dict",
     .doc = "Opens a pool of connections to PostgreSQL. The source is a URL, env:NAME, secret:namespace/name, {url}, "
            "{env} or "
            "{secret}; options are max_connections, acquire_timeout_ms, connect_timeout_ms, statement_timeout_ms, "
            "statement_cache_capacity and application_name.",
     .example = "unwrap_err(try { pg_pool(\"postgres://127.0.0.1:1/x\") }).starts_with(\"pg_pool: \")",
     .needs = Capability::Network,
     .prelude = "postgres:pg_pool"},
    {.name = "pg_query",
     .signature = "(handle: dict, sql: string, params?: list) -> list<dict>",
     .doc = "Runs a statement with parameters $1, $2, ... and returns its rows.",
     .example = "pg_query(pg_mock_pool([{sql: \"select 1\", rows: [{a: 1}]}]), \"select 1\") == [{a: 1}]",
     .prelude = "postgres:pg_query"},
    {.name = "pg_query_one",
     .signature = "(handle: dict, sql: string, params?: list) -> dict?",
     .doc = "Runs a statement and returns its first row, or nil.",
     .example = "pg_query_one(pg_mock_pool([{sql: \"select 1\"}]), \"select 1\") == nil",
     .prelude = "postgres:pg_query_one"},
    {.name = "pg_stmt_cache_clear",
     .signature = "(pool: dict) -> nil",
     .doc = "Forgets the prepared statements of idle connections.",
     .example = "pg_stmt_cache_clear(pg_mock_pool([])) == nil",
     .prelude = "postgres:pg_stmt_cache_clear"},
    {.name = "pg_transaction",
     .signature = "(pool: dict, callback: fn(dict) -> any, options?: dict) -> any",
     .doc = "Calls `callback(transaction)`, commits when it returns and rolls back when it throws; options are "
            "settings (for "
            "the transaction), isolation and read_only.",
     .example = "pg_transaction(pg_mock_pool([]), { tx -> 1 }) == 1",
     .prelude = "postgres:pg_transaction"},
};

}  // namespace

const park::PartRow kPostgresPart = {"postgres", pool_fields};

std::span<const Builtin> postgres_rows() { return kRows; }

}  // namespace harn::builtins
