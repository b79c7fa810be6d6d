#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/http.h"
#include "vm/builtin.h"

namespace harn::builtins {

// What a program asked for: the request, and what to do around it.
struct HttpPlan {
  net::HttpRequest request;
  int64_t total_timeout_ms = 0;  // over all attempts; 0: none
  int64_t retries = 0;
  int64_t backoff_ms = 1000;
  std::vector<int64_t> retry_on = {408, 429, 500, 502, 503, 504};
  std::vector<std::string> retry_methods = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  bool respect_retry_after = true;
  bool follow_redirects = true;
  int64_t max_redirects = 10;
};

// Reads the options dict (nil: none) of a request.
vm::Outcome<HttpPlan> read_http_options(std::string method, std::string url, const vm::Value& options);

}  // namespace harn::builtins
