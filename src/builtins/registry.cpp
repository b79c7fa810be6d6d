#include "builtins/registry.h"

#include <map>
#include <mutex>

#include "base/codecs.h"
#include "base/assert.h"
#include "base/fmt.h"
#include "builtins/families.h"
#include "bytecode/code.h"
#include "compile/program.h"
#include "std/embedded.h"
#include "vm/handle.h"

namespace harn::builtins {

static std::vector<std::span<const vm::Builtin>> all_families() {
  return {
      text_rows(),
      text_case_rows(),
      list_rows(),
      list_group_rows(),
      list_callback_rows(),
      list_leaf_rows(),
      sort_rows(),
      dict_rows(),
      set_rows(),
      set_method_rows(),
      iter_rows(),
      stream_rows(),
      property_rows(),
      math_rows(),
      statistics_rows(),
      natural_rows(),
      random_rows(),
      uuid_rows(),
      path_rows(),
      path_workspace_rows(),
      json_rows(),
      json_pointer_rows(),
      jq_rows(),
      yaml_rows(),
      toml_rows(),
      csv_rows(),
      encoding_rows(),
      codec_rows(),
      compression_rows(),
      bytes_rows(),
      url_rows(),
      digest_rows(),
      signature_rows(),
      cookie_rows(),
      multipart_rows(),
      template_rows(),
      prompt_rows(),
      schema_rows(),
      schema_convert_rows(),
      regex_rows(),
      output_rows(),
      log_rows(),
      convert_rows(),
      testing_rows(),
      junit_rows(),
      task_rows(),
      parallel_rows(),
      channel_rows(),
      sync_rows(),
      signal_rows(),
      clock_rows(),
      date_rows(),
      duration_rows(),
      circuit_rows(),
      atomic_rows(),
      shared_state_rows(),
      mailbox_rows(),
      supervisor_rows(),
      runtime_context_rows(),
      file_rows(),
      file_tree_rows(),
      file_watch_rows(),
      environment_rows(),
      process_rows(),
      host_rows(),
      llm_rows(),
      partial_json_rows(),
      mcp_rows(),
      mcp_server_rows(),
      agent_rows(),
      worker_rows(),
      artifact_rows(),
      context_text_rows(),
      option_rows(),
      text_diff_rows(),
      persona_rows(),
      workflow_rows(),
      run_record_rows(),
      http_rows(),
      http_mock_rows(),
      http_server_rows(),
      sse_rows(),
      egress_rows(),
      http_stream_rows(),
      policy_rows(),
      lifecycle_rows(),
      message_rows(),
      session_rows(),
      llm_catalog_rows(),
      postgres_rows(),
      vision_rows(),
      websocket_rows(),
      websocket_mock_rows(),
      websocket_server_rows(),
      event_log_rows(),
      store_rows(),
      checkpoint_rows(),
      agent_state_rows(),
      cipher_rows(),
      pager_rows(),
      tool_rows(),
      tool_run_rows(),
      tool_text_rows(),
      skill_rows(),
      approval_rows(),
  };
}

namespace {

struct KindName {
  vm::Kind kind;
  std::string_view name;
};
// As `type_of` calls them; ranges are lists to a program.
constexpr KindName kKindNames[] = {
    {vm::Kind::Nil, "nil"},         {vm::Kind::Bool, "bool"},
    {vm::Kind::Int, "int"},         {vm::Kind::Float, "float"},
    {vm::Kind::String, "string"},   {vm::Kind::Bytes, "bytes"},
    {vm::Kind::List, "list"},       {vm::Kind::Dict, "dict"},
    {vm::Kind::Struct, "struct"},   {vm::Kind::Set, "set"},
    {vm::Kind::Enum, "enum"},       {vm::Kind::Pair, "pair"},
    {vm::Kind::Iter, "iter"},       {vm::Kind::Generator, "generator"},
    {vm::Kind::Closure, "closure"}, {vm::Kind::Builtin, "builtin"},
    {vm::Kind::Rng, "rng"},
};

class TableCatalog : public compile::Catalog {
 public:
  explicit TableCatalog(const vm::BuiltinTable& table) : table_(table) {}

  std::optional<compile::BuiltinInfo> find(std::string_view name) const override {
    auto id = table_.find_id(name);
    if (!id) return std::nullopt;
    const vm::Builtin& row = *table_.by_id()[*id];
    bool touches_world = row.needs != vm::Capability::None;
    std::string_view capability = touches_world ? vm::capability_name(row.needs) : std::string_view();
    return compile::BuiltinInfo{*id, row.signature, row.flags, touches_world, capability};
  }

  std::optional<double> constant(std::string_view name) const override {
    for (const NamedConstant& known : constants()) {
      if (known.name == name) return known.value;
    }
    return std::nullopt;
  }

  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> out;
    for (const vm::Builtin* row : table_.rows()) {
      if (row->receiver == 0) out.push_back(row->name);
    }
    return out;
  }

  std::vector<compile::MethodInfo> methods() const override {
    std::vector<compile::MethodInfo> out;
    for (const vm::Builtin* row : table_.rows()) {
      for (std::string_view receiver : receivers(*row))
        out.push_back({receiver, row->name, row->signature, row->flags});
    }
    return out;
  }

  uint32_t count() const override { return static_cast<uint32_t>(table_.rows().size()); }

 private:
  const vm::BuiltinTable& table_;
};

vm::Outcome<vm::Value> permission_denied(vm::Call& call) {
  std::string_view name = call.row().name;
  auto error = vm::throw_text(
      ErrorKind::Denied, "Permission denied: builtin '{0}' is not allowed in sandbox mode (use --allow {0} to permit)",
      name);
  return vm::with_facts(std::move(error), "sandbox", {{"builtin", vm::text_value(name)}});
}

// What the program sees in place of a function that it may not call.
std::vector<vm::Builtin> denied_rows(const Library::IsDenied& is_denied) {
  std::vector<vm::Builtin> rows;
  for (const vm::Builtin* row : table().rows()) {
    if (row->receiver != 0 || row->name.starts_with("__") || !is_denied(row->name)) continue;
    rows.push_back({.name = row->name, .signature = row->signature, .doc = row->doc, .call = permission_denied});
  }
  return rows;
}

class NoFiles : public modules::SourceLoader {
  std::optional<std::string> read(const std::string&) override { return std::nullopt; }
  bool is_file(const std::string&) override { return false; }
  bool is_directory(const std::string&) override { return false; }
};

}  // namespace

// Added rows come last: the prelude, which is compiled with the others, finds those by the same numbers, also where a row that
// denies has taken the name.
static vm::BuiltinTable table_with(std::span<const vm::Builtin* const> added,
                                   std::span<const vm::Builtin> denied = {}) {
  auto families = all_families();
  for (const vm::Builtin* row : added) families.emplace_back(row, 1);
  families.push_back(denied);
  return vm::BuiltinTable(families);
}

Library::Library(std::span<const vm::Builtin* const> added)
    : table_(table_with(added)), catalog_(std::make_unique<TableCatalog>(table_)) {}

Library::Library(std::span<const vm::Builtin* const> added, const IsDenied& is_denied)
    : denied_(denied_rows(is_denied)),
      table_(table_with(added, denied_)),
      catalog_(std::make_unique<TableCatalog>(table_)) {}

Library::~Library() = default;

static const Library& own_library() {
  static const Library library;
  return library;
}

std::vector<std::string_view> receivers(const vm::Builtin& method) {
  std::vector<std::string_view> out;
  for (const KindName& known : kKindNames) {
    if (method.receiver & vm::on(known.kind)) out.push_back(known.name);
  }
  if (method.handle) out.push_back(method.handle->name);
  return out;
}

const vm::BuiltinTable& table() { return own_library().table(); }
const compile::Catalog& catalog() { return own_library().catalog(); }

// Each file of the prelude is a module of its own: "" is prelude.harn, another name is that file of the folder prelude.
static std::string prelude_text(std::string_view part) {
  std::string path = part.empty() ? "std/prelude" : fmt::format("std/prelude/{}", part);
  for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
    if (module.path == path) return std::string(module.text);
  }
  return "";
}

static std::unique_ptr<bytecode::Program> compile_prelude(std::string text, diag::Sink& sink) {
  NoFiles loader;
  modules::Graph graph(loader, {});
  auto* loaded = graph.load_text("std/prelude", std::move(text), "");
  compile::CompileOptions options;
  options.hidden = true;
  return compile::compile_program(graph, *loaded, catalog(), sink, options);
}

namespace {

// The code is compiled once for all VMs of a process, which share it: a copy of a program is a copy of its lists.
struct CompiledParts {
  std::mutex lock;
  std::map<std::string, std::unique_ptr<bytecode::Program>, std::less<>> programs;  // by name

  static CompiledParts& all() {
    static CompiledParts parts;
    return parts;
  }
};

}  // namespace

// Parts that are no files are known by their text, so that a program that was put away finds them again in another process.
static constexpr char kAdded = '=';

static std::optional<std::string> added_text(std::string_view part) {
  if (!part.starts_with(kAdded)) return std::nullopt;
  auto text = codecs::from_hex(part.substr(1));
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

std::unique_ptr<bytecode::Program> load_prelude(std::string_view part) {
  CompiledParts& parts = CompiledParts::all();
  std::lock_guard held(parts.lock);
  auto found = parts.programs.find(part);
  if (found == parts.programs.end()) {
    diag::Sink sink;
    auto added = added_text(part);
    auto program = compile_prelude(added ? *added : prelude_text(part), sink);
    if (added && !program) return nullptr;
    HARN_ASSERT(program, sink.diagnostics().empty() ? "prelude" : sink.diagnostics()[0].message.c_str());
    found = parts.programs.emplace(part, std::move(program)).first;
  }
  return std::make_unique<bytecode::Program>(*found->second);
}

AddedPart add_prelude_part(const std::string& text) {
  CompiledParts& parts = CompiledParts::all();
  std::lock_guard held(parts.lock);
  std::string name = kAdded + codecs::to_hex(text);
  if (parts.programs.contains(name)) return {name, ""};
  diag::Sink sink;
  auto program = compile_prelude(text, sink);
  if (!program) return {"", sink.diagnostics().empty() ? "it cannot be compiled" : sink.diagnostics()[0].message};
  parts.programs.emplace(name, std::move(program));
  return {name, ""};
}

}  // namespace harn::builtins
