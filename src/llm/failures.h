#pragma once

#include <string>
#include <string_view>

#include "llm/wire.h"

// What the parts of this folder know of an error that a provider has told.
namespace harn::llm {

struct Told {
  std::string provider, model;
  int status = 0;       // 0: none, or not HTTP's
  std::string type;     // the provider's own word: "overloaded_error"
  std::string message;  // the provider's own
  std::string request_id;
  int64_t retry_after_ms = -1;  // -1: it does not say
};

// Reads the `error` of a body or an event: {"error": {"type", "message", ...}}, {"error": "..."}, {"message": "..."}.
void read_error(const vm::Value& body, Told& told);
vm::Value failure_of(const Told& told);

}  // namespace harn::llm
