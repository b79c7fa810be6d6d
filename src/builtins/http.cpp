// HTTP requests. They run on fibers: the functions here read as if they blocked.
#include <optional>

#include "base/result.h"
#include "base/shared_table.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/http_answer.h"
#include "builtins/http_options.h"
#include "builtins/parking.h"
#include "data/page_text.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// A body that was decompressed on the way is not what these describe.
bool describes_packed_body(const std::vector<effects::HttpHeader>& headers, std::string_view name) {
  if (name != "content-encoding" && name != "content-length") return false;
  return std::any_of(headers.begin(), headers.end(), [](const effects::HttpHeader& header) {
    return header.name == "content-encoding" && header.value != "identity";
  });
}

}  // namespace

// Only cookies come several times: what one says has commas in it, so that they cannot be one text.
Value http_headers(const std::vector<effects::HttpHeader>& headers, bool decompress) {
  DictBuilder dict;
  Value cookies = new_list();
  for (const effects::HttpHeader& header : headers) {
    if (decompress && describes_packed_body(headers, header.name)) continue;
    Value value = text_value(text::to_valid_utf8(header.value));
    if (header.name == "set-cookie") writable_list(cookies)->push(std::move(value));
    else dict.add(header.name, std::move(value));
  }
  size_t count = list_size(cookies);
  if (count > 0) dict.add("set-cookie", count == 1 ? list_item(cookies, 0) : std::move(cookies));
  return dict.done();
}

namespace {

Value response_value(const HttpWish& wish, const effects::SendHttp::Answer& response) {
  return DictBuilder()
      .add("status", Value::integer(response.status))
      .add("headers", http_headers(response.headers, wish.plan.request.decompress))
      .add("body", wish.as_bytes ? Value(new_bytes(response.body)) : text_value(text::to_valid_utf8(response.body)))
      .add("ok", Value::boolean(is_ok_status(response.status)))
      .done();
}

Outcome<Value> send(Call& call, const HttpWish& wish) {
  auto response = HARN_TRY(effects::fetch(effects::Run::current(call.vm()), wish.plan));
  return response_value(wish, response);
}

Outcome<Value> http_get(Call& call) {
  return send(call, HARN_TRY(http_wish(call, "GET", display(call.arg(0)), call.arg(1))));
}

// http_get for std/web, which wants to know who answered.
Outcome<Value> http_get_page(Call& call) {
  HttpWish wish = HARN_TRY(http_wish(call, "GET", display(call.arg(0)), call.arg(1)));
  std::string final_url;
  wish.plan.answered_by = &final_url;
  auto response = HARN_TRY(effects::fetch(effects::Run::current(call.vm()), wish.plan));
  return DictBuilder()
      .add("response", response_value(wish, response))
      .add("final_url", text_value(text::to_valid_utf8(final_url)))
      .done();
}

Outcome<Value> http_delete(Call& call) {
  return send(call, HARN_TRY(http_wish(call, "DELETE", display(call.arg(0)), call.arg(1))));
}

// With a body, or with options that may have one: (url, body, options?) or (url, options).
template <const char* method>
Outcome<Value> send_body(Call& call) {
  bool has_body = call.count() > 2 || !call.arg(1).is_dict();
  HttpWish wish;
  bool has_options = HARN_TRY(read_http_options(call, wish, has_body ? call.arg(2) : call.arg(1)));
  if (!has_body && !has_options && call.arg(1).as_dict()->size() > 0 && !call.arg(1).as_dict()->find("session"))
    return throw_text(
        ErrorKind::Invalid,
        "http_{}: none of the dict's keys is an option of requests; to send it as JSON, give options as well: "
        "(url, body, {{}})",
        text::ascii_lower(method));
  HARN_CHECK(check_http_options(call.row().name, has_body ? call.arg(2) : call.arg(1)));
  if (has_body && !call.arg(1).is_nil()) HARN_CHECK(set_http_body(wish, call.arg(1)));
  HARN_CHECK(set_http_target(wish, method, display(call.arg(0))));
  return send(call, wish);
}

// (by, options)
Outcome<Value> check_options(Call& call) {
  HARN_CHECK(check_http_options(HARN_TRY(call.text(0)), call.arg(1)));
  return Value();
}

constexpr char kPost[] = "POST";
constexpr char kPut[] = "PUT";
constexpr char kPatch[] = "PATCH";

// ---- sessions ----

constexpr size_t kMostSessions = 64;

// Options that a program has given a name to.
using HttpSessions = SharedTable<std::string, HttpWish>;
HttpSessions& sessions_of(Call& call) { return call.vm().local<HttpSessions>(); }

Outcome<Value> send_in_session(Call& call, const std::string& name, const Value& method, const Value& url,
                               const Value& options) {
  auto wish = sessions_of(call).find(name);
  if (!wish) return throw_text(ErrorKind::NotFound, "http_session_request: unknown HTTP session '{}'", name);
  HARN_CHECK(read_http_options(call, *wish, options));
  HARN_CHECK(check_http_options(call.row().name, options));
  HARN_CHECK(set_http_target(*wish, display(method), display(url)));
  return send(call, *wish);
}

Outcome<Value> http_request(Call& call) {
  std::string_view builtin = call.row().name;
  if (call.arg(0).is_nil()) return throw_text(ErrorKind::Invalid, "{}: method is required", builtin);
  if (call.arg(1).is_nil()) return throw_text(ErrorKind::Invalid, "{}: URL is required", builtin);
  const Value& options = call.arg(2);
  const Value* session = options.is_dict() ? options.as_dict()->find("session") : nullptr;
  if (session && !session->is_nil()) return send_in_session(call, display(*session), call.arg(0), call.arg(1), options);
  return send(call, HARN_TRY(http_wish(call, display(call.arg(0)), display(call.arg(1)), options)));
}

Outcome<Value> http_session(Call& call) {
  HttpWish wish;
  HARN_CHECK(read_http_options(call, wish, call.arg(0)));
  HARN_CHECK(check_http_options(call.row().name, call.arg(0)));
  HttpSessions& sessions = sessions_of(call);
  if (sessions.count() >= kMostSessions)
    return throw_text(ErrorKind::Limit, "http_session: {} sessions are open; close one first", kMostSessions);
  std::string name = fmt::format("http-session-{}", sessions.next_number());
  sessions.put(name, std::move(wish));
  return text_value(name);
}

Outcome<Value> http_session_request(Call& call) {
  return send_in_session(call, display(call.arg(0)), call.arg(1), call.arg(2), call.arg(3));
}

Outcome<Value> http_session_close(Call& call) {
  return Value::boolean(sessions_of(call).take(display(call.arg(0))).has_value());
}

void session_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && vm.local<HttpSessions>().count() > 0) archive.refuse("an HTTP session is open");
}

// (body, content_type): nil: it is no text.
Outcome<Value> page_text(Call& call) {
  if (!call.arg(0).is(Kind::Bytes)) return call.wrong_type(0, "bytes");
  auto found = data::page_text(call.arg(0).as_bytes()->view(), HARN_TRY(call.text(1)));
  return found ? text_value(*found) : Value();
}

constinit const Builtin kRows[] = {
    {.name = "__http_check_options",
     .signature = "(by: string, options?: dict) -> nil",
     .doc = "Refuses options that no request has.",
     .example = "__http_check_options(\"f\", {timeout_ms: 1}) == nil",
     .call = check_options},
    {.name = "__http_get_page",
     .signature = "(url: string, options: dict) -> {response: dict, final_url: string}",
     .doc = "The answer of http_get, and the address that gave it after all redirects.",
     .example = "unwrap_err(try { __http_get_page(\"http://127.0.0.1:1\", {}) }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_get_page>},
    {.name = "__page_text",
     .signature = "(body: bytes, content_type: string) -> string?",
     .doc = "The text of what a web server has sent, whatever its charset; nil: it is no text.",
     .example = R"(__page_text(bytes_from_hex("636166e9"), "text/html; charset=latin1") == "café")",
     .call = page_text},
    {.name = "http_delete",
     .signature = "(url: string, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Sends a DELETE request and gives {status, headers, body, ok}.",
     .example = "unwrap_err(try { http_delete(\"http://127.0.0.1:1\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_delete>},
    {.name = "http_download",
     .signature = "(url: string, dst: string, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc =
         "Fetches a URL into a file, a piece at a time, and gives {bytes_written, status, headers, ok}; only a whole "
         "answer replaces what was there.",
     .example =
         "unwrap_err(try { http_download(\"http://127.0.0.1:1\", \"x\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .prelude = "http_client:http_download"},
    {.name = "http_get",
     .signature = "(url: string, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Fetches a URL and gives {status, headers, body, ok}; a stopped task drops the request. Headers are in "
            "lower case; of several "
            "cookies, `set-cookie` is a list.",
     .example = "unwrap_err(try { http_get(\"http://127.0.0.1:1\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_get>},
    {.name = "http_patch",
     .signature = "(url: string, body?: any, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Sends a PATCH request; lists and dicts are sent as JSON. A dict alone is the options.",
     .example = "unwrap_err(try { http_patch(\"http://127.0.0.1:1\", \"x\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<send_body<kPatch>>},
    {.name = "http_post",
     .signature = "(url: string, body?: any, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Sends a POST request; lists and dicts are sent as JSON. A dict alone is the options.",
     .example = "unwrap_err(try { http_post(\"http://127.0.0.1:1\", \"x\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<send_body<kPost>>},
    {.name = "http_put",
     .signature = "(url: string, body?: any, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Sends a PUT request; lists and dicts are sent as JSON. A dict alone is the options.",
     .example = "unwrap_err(try { http_put(\"http://127.0.0.1:1\", \"x\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<send_body<kPut>>},
    {.name = "http_request",
     .signature = "(method: string, url: string, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Sends a request with any method; with {session} in a session.",
     .example =
         "unwrap_err(try { http_request(\"HEAD\", \"http://127.0.0.1:1\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_request>},
    {.name = "http_session",
     .signature = "(options?: " HARN_HTTP_OPTIONS ") -> string",
     .doc = "Gives a name to options that several requests share.",
     .example = "http_session_close(http_session({timeout_ms: 500}))",
     .call = http_session},
    {.name = "http_session_close",
     .signature = "(session: string) -> bool",
     .doc = "Forgets a session; false when there is none of that name.",
     .example = "!http_session_close(\"none\")",
     .call = http_session_close},
    {.name = "http_session_request",
     .signature = "(session: string, method: string, url: string, options?: " HARN_HTTP_OPTIONS ") -> dict",
     .doc = "Sends a request with the options of a session; those given here win.",
     .example = "unwrap_err(try { http_session_request(http_session(), \"GET\", \"http://127.0.0.1:1\") })"
                ".starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_session_request>},
};

}  // namespace

const park::PartRow kHttpSessionsPart = {"http sessions", session_fields};

std::span<const Builtin> http_rows() { return kRows; }

}  // namespace harn::builtins
