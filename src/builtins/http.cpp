// HTTP requests. They run on fibers: the functions here read as if they blocked.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/http_answer.h"
#include "builtins/http_options.h"
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

Value http_headers(const std::vector<effects::HttpHeader>& headers, bool decompress) {
  DictBuilder dict;
  for (const effects::HttpHeader& header : headers) {
    if (decompress && describes_packed_body(headers, header.name)) continue;
    dict.add(header.name, text_value(text::to_valid_utf8(header.value)));
  }
  return dict.done();
}

namespace {

Value response_value(const effects::HttpPlan& plan, const effects::SendHttp::Answer& response) {
  return DictBuilder()
      .add("status", Value::integer(response.status))
      .add("headers", http_headers(response.headers, plan.request.decompress))
      .add("body", text_value(text::to_valid_utf8(response.body)))
      .add("ok", Value::boolean(is_ok_status(response.status)))
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
