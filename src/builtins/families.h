#pragma once

#include <span>
#include <string_view>

#include "vm/builtin.h"

// The rows of every family of builtins, one function per file.
namespace harn::builtins {

std::span<const vm::Builtin> text_rows();
std::span<const vm::Builtin> text_case_rows();
std::span<const vm::Builtin> list_rows();
std::span<const vm::Builtin> list_group_rows();
std::span<const vm::Builtin> list_callback_rows();
std::span<const vm::Builtin> list_leaf_rows();
std::span<const vm::Builtin> sort_rows();
std::span<const vm::Builtin> dict_rows();
std::span<const vm::Builtin> set_rows();
std::span<const vm::Builtin> set_method_rows();
std::span<const vm::Builtin> iter_rows();
std::span<const vm::Builtin> stream_rows();
std::span<const vm::Builtin> property_rows();
std::span<const vm::Builtin> math_rows();
std::span<const vm::Builtin> mcp_rows();
std::span<const vm::Builtin> natural_rows();
std::span<const vm::Builtin> mcp_server_rows();
std::span<const vm::Builtin> statistics_rows();
std::span<const vm::Builtin> random_rows();
std::span<const vm::Builtin> uuid_rows();
std::span<const vm::Builtin> path_rows();
std::span<const vm::Builtin> path_workspace_rows();
std::span<const vm::Builtin> json_rows();
std::span<const vm::Builtin> json_pointer_rows();
std::span<const vm::Builtin> jq_rows();
std::span<const vm::Builtin> yaml_rows();
std::span<const vm::Builtin> toml_rows();
std::span<const vm::Builtin> encoding_rows();
std::span<const vm::Builtin> codec_rows();
std::span<const vm::Builtin> compression_rows();
std::span<const vm::Builtin> bytes_rows();
std::span<const vm::Builtin> url_rows();
std::span<const vm::Builtin> digest_rows();
std::span<const vm::Builtin> signature_rows();
std::span<const vm::Builtin> cookie_rows();
std::span<const vm::Builtin> multipart_rows();
std::span<const vm::Builtin> csv_rows();
std::span<const vm::Builtin> template_rows();
std::span<const vm::Builtin> prompt_rows();
std::span<const vm::Builtin> schema_rows();
std::span<const vm::Builtin> schema_convert_rows();
std::span<const vm::Builtin> regex_rows();
std::span<const vm::Builtin> output_rows();
std::span<const vm::Builtin> log_rows();
std::span<const vm::Builtin> convert_rows();
std::span<const vm::Builtin> testing_rows();
std::span<const vm::Builtin> junit_rows();
std::span<const vm::Builtin> task_rows();
std::span<const vm::Builtin> parallel_rows();
std::span<const vm::Builtin> channel_rows();
std::span<const vm::Builtin> sync_rows();
std::span<const vm::Builtin> signal_rows();
std::span<const vm::Builtin> clock_rows();
std::span<const vm::Builtin> date_rows();
std::span<const vm::Builtin> duration_rows();
std::span<const vm::Builtin> circuit_rows();
std::span<const vm::Builtin> atomic_rows();
std::span<const vm::Builtin> shared_state_rows();
std::span<const vm::Builtin> mailbox_rows();
std::span<const vm::Builtin> supervisor_rows();
std::span<const vm::Builtin> runtime_context_rows();
std::span<const vm::Builtin> file_rows();
std::span<const vm::Builtin> file_tree_rows();
std::span<const vm::Builtin> file_watch_rows();
std::span<const vm::Builtin> environment_rows();
std::span<const vm::Builtin> process_rows();
std::span<const vm::Builtin> host_rows();
std::span<const vm::Builtin> http_rows();
std::span<const vm::Builtin> http_mock_rows();
std::span<const vm::Builtin> http_server_rows();
std::span<const vm::Builtin> sse_rows();
std::span<const vm::Builtin> egress_rows();
std::span<const vm::Builtin> http_stream_rows();
std::span<const vm::Builtin> policy_rows();
std::span<const vm::Builtin> lifecycle_rows();
std::span<const vm::Builtin> message_rows();
std::span<const vm::Builtin> session_rows();
std::span<const vm::Builtin> llm_catalog_rows();
std::span<const vm::Builtin> postgres_rows();
std::span<const vm::Builtin> project_rows();
std::span<const vm::Builtin> secrets_rows();
std::span<const vm::Builtin> vision_rows();
std::span<const vm::Builtin> websocket_rows();
std::span<const vm::Builtin> websocket_mock_rows();
std::span<const vm::Builtin> websocket_server_rows();
std::span<const vm::Builtin> event_log_rows();
std::span<const vm::Builtin> store_rows();
std::span<const vm::Builtin> checkpoint_rows();
std::span<const vm::Builtin> agent_state_rows();
std::span<const vm::Builtin> cipher_rows();
std::span<const vm::Builtin> pager_rows();
std::span<const vm::Builtin> tool_rows();
std::span<const vm::Builtin> tool_run_rows();
std::span<const vm::Builtin> tool_text_rows();
std::span<const vm::Builtin> skill_rows();
std::span<const vm::Builtin> approval_rows();
std::span<const vm::Builtin> llm_rows();
std::span<const vm::Builtin> partial_json_rows();
std::span<const vm::Builtin> marked_block_rows();
std::span<const vm::Builtin> type_fact_rows();
std::span<const vm::Builtin> agent_rows();
std::span<const vm::Builtin> worker_rows();
std::span<const vm::Builtin> artifact_rows();
std::span<const vm::Builtin> context_text_rows();
std::span<const vm::Builtin> option_rows();
std::span<const vm::Builtin> text_diff_rows();
std::span<const vm::Builtin> persona_rows();
std::span<const vm::Builtin> workflow_rows();
std::span<const vm::Builtin> run_record_rows();

// Global names that are numbers, not functions.
struct NamedConstant {
  std::string_view name;
  double value;
};
std::span<const NamedConstant> constants();

}  // namespace harn::builtins
