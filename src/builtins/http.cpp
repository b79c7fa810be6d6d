// HTTP requests. They run on fibers: the functions here read as if they blocked.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/http_options.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// A body that was decompressed on the way is not what these describe.
bool describes_packed_body(const effects::HttpPlan& plan, const effects::SendHttp::Answer& response,
                           std::string_view name) {
  if (!plan.request.decompress || (name != "content-encoding" && name != "content-length")) return false;
  return std::any_of(response.headers.begin(), response.headers.end(), [](const effects::HttpHeader& header) {
    return header.name == "content-encoding" && header.value != "identity";
  });
}

Value response_value(const effects::HttpPlan& plan, const effects::SendHttp::Answer& response) {
  DictBuilder headers;
  for (const effects::HttpHeader& header : response.headers) {
    if (describes_packed_body(plan, response, header.name)) continue;
    headers.add(header.name, text_value(text::to_valid_utf8(header.value)));
  }
  return DictBuilder()
      .add("status", Value::integer(response.status))
      .add("headers", headers.done())
      .add("body", text_value(text::to_valid_utf8(response.body)))
      .add("ok", Value::boolean(response.status >= 200 && response.status < 300))
      .done();
}

Outcome<Value> http_get(Call& call) {
  auto plan = HARN_TRY(read_http_options("GET", display(call.arg(0)), call.arg(1)));
  auto response = HARN_TRY(effects::fetch(effects::Run::current(call.vm()), plan));
  return response_value(plan, response);
}

constinit const Builtin kRows[] = {
    {.name = "http_get",
     .signature = "(url: string, options?: dict) -> dict",
     .doc = "Fetches a URL and gives {status, headers, body, ok}; a stopped task drops the request.",
     .example = "unwrap_err(try { http_get(\"http://127.0.0.1:1\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_get>},
};

}  // namespace

std::span<const Builtin> http_rows() { return kRows; }

}  // namespace harn::builtins
