#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "effects/http.h"
#include "vm/builtin.h"

// What programs say about a request: `{timeout_ms: 500, headers: {accept: "text/html"}, ...}`.
// The options of a request, as rows write them in signatures.
#define HARN_HTTP_OPTIONS                                                                                             \
  "{auth?: any, backoff?: int, body?: any, connect_timeout_ms?: int, decompress?: bool, follow_redirects?: bool, "    \
  "headers?: dict, max_body_bytes?: int, max_redirects?: int, multipart?: list, proxy?: string, proxy_auth?: any, "   \
  "query?: dict, read_timeout_ms?: int, respect_retry_after?: bool, retries?: int, retry?: {max?: int, backoff_ms?: " \
  "int}, retry_methods?: list, retry_on?: list, session?: string, timeout?: int, timeout_ms?: int, tls?: {verify?: "  \
  "bool, ca_file?: string, cert_file?: string, key_file?: string}, total_timeout_ms?: int}"

namespace harn::builtins {

// What a program wants of a request, and of its answer.
struct HttpWish {
  effects::HttpPlan plan;
  std::vector<std::pair<std::string, std::string>> query;  // to be added to the URL
  bool as_bytes = false;                                   // the body of the answer
};

// Adds options (nil: none) to a wish. What both say is as the options have it; headers are added to those that are there.
// Tells whether there was any option among them.
vm::Outcome<bool> read_http_options(const vm::Call& call, HttpWish& wish, const vm::Value& options);
// Refuses options that HARN_HTTP_OPTIONS does not have; `more` are the caller's own.
vm::Outcome<void> check_http_options(std::string_view by, const vm::Value& options,
                                     std::span<const std::string_view> more = {});
// Whom to ask, and for what. Fails for what is no URL or method of HTTP.
vm::Outcome<void> set_http_target(HttpWish& wish, std::string method, std::string url);
// A request in one go.
vm::Outcome<HttpWish> http_wish(const vm::Call& call, std::string method, std::string url, const vm::Value& options);

// Bytes as they are; lists, dicts and structs as JSON; everything else by its print form.
vm::Outcome<void> set_http_body(HttpWish& wish, const vm::Value& body);

}  // namespace harn::builtins
