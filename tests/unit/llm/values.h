#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "data/json.h"
#include "llm/fields.h"
#include "llm/wire.h"
#include "vm/error.h"
#include "vm/ops.h"

// Requests and answers as JSON, so that tests read like the documents they are from.
namespace harn::llm {

inline Value parsed(std::string_view json) {
  auto value = data::parse_json(json);
  EXPECT_TRUE(value) << json;
  return value ? *value : Value();
}

// `a.b.0.c` of a value.
inline Value at(const Value& value, std::string_view path) {
  Value found = value;
  for (std::string_view key : text::split(path, ".")) {
    bool is_number = !key.empty() && text::is_digit(key[0]);
    if (found.is_list() && is_number) {
      size_t index = std::stoul(std::string(key));
      found = index < vm::list_size(found) ? vm::list_item(found, index) : Value();
    } else {
      found = Value(field(found, key));
    }
  }
  return found;
}

inline std::string json_at(const Value& value, std::string_view path) { return json_text(at(value, path)); }

inline Value thrown(const vm::Thrown& error) { return vm::caught_value(*error); }

inline Provider provider_of(std::string_view name, Wire wire) {
  Provider provider{.name = std::string(name), .wire = wire, .base_url = "http://127.0.0.1:1"};
  provider.chat_endpoint = wire == Wire::Anthropic ? "/v1/messages"
                           : wire == Wire::Ollama  ? "/api/chat"
                                                   : "/v1/chat/completions";
  if (wire == Wire::OpenAiResponses) provider.chat_endpoint = "/v1/responses";
  provider.auth_style = wire == Wire::Ollama ? "none" : "bearer";
  provider.capabilities["thinking"] = true;
  provider.capabilities["structured_output_mode"] = std::string("native_json");
  return provider;
}

constexpr Wire kWires[] = {Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Ollama};

}  // namespace harn::llm
