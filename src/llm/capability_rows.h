#pragma once

#include <string_view>

#include "llm/provider.h"

// Everything that can be said about what a model can do, in one place: what rules may set, and what `provider_capabilities` shows.
namespace harn::llm {

struct CapabilityRow {
  std::string_view name;
  Setting otherwise;  // what holds where no rule says anything; its kind is the kind of the setting
  bool is_optional = false;
  bool is_shown = true;  // false: for adapters only
};

inline const CapabilityRow kCapabilityRows[] = {
    {"native_tools", false},
    {"text_tool_wire_format_supported", true},
    {"preferred_tool_format", std::string("text")},
    {"tool_mode_parity", std::string("unknown")},
    {"tool_mode_parity_notes", std::string(), true},
    {"defer_loading", false},
    {"tool_search", std::vector<std::string>()},
    {"max_tools", int64_t{0}, true},
    {"prompt_caching", false},
    {"thinking_modes", std::vector<std::string>()},
    {"reasoning_effort_supported", false},
    {"reasoning_none_supported", false},
    {"message_wire_format", std::string("openai_chat")},
    {"native_tool_wire_format", std::string("openai_chat")},
    {"prefers_xml_scaffolding", false},
    {"prefers_markdown_scaffolding", false},
    {"structured_output_mode", std::string("none")},
    {"supports_assistant_prefill", false},
    {"prefers_role_developer", false},
    {"prefers_xml_tools", false},
    {"thinking_block_style", std::string("none")},
    {"interleaved_thinking_supported", false},
    {"anthropic_beta_features", std::vector<std::string>()},
    {"vision_supported", false},
    {"audio", false},
    {"pdf", false},
    // It answers requests that set temperature and its like with an error.
    {"fixed_sampling", false, false, false},
};

}  // namespace harn::llm
