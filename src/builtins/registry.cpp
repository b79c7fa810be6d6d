#include "builtins/registry.h"

#include <list>
#include <map>
#include <mutex>
#include <unordered_set>

#include "base/codecs.h"
#include "base/assert.h"
#include "base/fmt.h"
#include "base/mutex.h"
#include "builtins/families.h"
#include "bytecode/code.h"
#include "bytecode/program_bytes.h"
#include "compile/program.h"
#include "std/embedded.h"
#include "vm/handle.h"

namespace harn::builtins {

namespace {

struct Family {
  std::span<const vm::Builtin> rows;
  // Its functions compute with values, or need a capability: none of them changes what the program runs in (its policies, mocks, hooks,
  // sessions, tasks), nor ends it.
  bool is_of_values = false;

  Family(std::span<const vm::Builtin> rows) : rows(rows) {}
};

Family values(std::span<const vm::Builtin> rows) {
  Family family(rows);
  family.is_of_values = true;
  return family;
}

}  // namespace

static std::vector<Family> all_families() {
  return {
      values(text_rows()),
      values(text_case_rows()),
      values(list_rows()),
      values(list_group_rows()),
      values(list_callback_rows()),
      values(list_leaf_rows()),
      values(sort_rows()),
      values(dict_rows()),
      values(set_rows()),
      values(set_method_rows()),
      values(iter_rows()),
      values(stream_rows()),
      values(property_rows()),
      values(math_rows()),
      values(statistics_rows()),
      natural_rows(),
      values(random_rows()),
      values(uuid_rows()),
      values(path_rows()),
      path_workspace_rows(),
      values(json_rows()),
      values(json_pointer_rows()),
      values(jq_rows()),
      values(yaml_rows()),
      values(toml_rows()),
      values(csv_rows()),
      values(encoding_rows()),
      values(codec_rows()),
      values(compression_rows()),
      values(bytes_rows()),
      values(url_rows()),
      values(digest_rows()),
      values(signature_rows()),
      values(cookie_rows()),
      values(multipart_rows()),
      template_rows(),
      prompt_rows(),
      values(schema_rows()),
      values(schema_convert_rows()),
      values(regex_rows()),
      output_rows(),
      log_rows(),
      values(convert_rows()),
      values(testing_rows()),
      values(junit_rows()),
      task_rows(),
      parallel_rows(),
      channel_rows(),
      sync_rows(),
      signal_rows(),
      clock_rows(),
      values(date_rows()),
      values(duration_rows()),
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
      marked_block_rows(),
      type_fact_rows(),
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
      project_rows(),
      secrets_rows(),
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
  std::vector<std::span<const vm::Builtin>> families;
  for (const Family& family : all_families()) families.push_back(family.rows);
  for (const vm::Builtin* row : added) families.emplace_back(row, 1);
  families.push_back(denied);
  return vm::BuiltinTable(families);
}

bool says_denied(const vm::Builtin& row) { return row.call == permission_denied; }

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

bool changes_runtime(std::string_view name) {
  static const auto names = [] {
    std::unordered_set<std::string_view> found;
    for (const Family& family : all_families()) {
      for (const vm::Builtin& row : family.rows) {
        if (family.is_of_values || row.receiver != 0 || row.needs != vm::Capability::None) continue;
        found.insert(row.name.substr(0, row.name.find('.')));  // of `event_log.read`: the name in front
      }
    }
    return found;
  }();
  return names.contains(name);
}

const vm::BuiltinTable& table() { return own_library().table(); }
const compile::Catalog& catalog() { return own_library().catalog(); }

// Each file of the prelude is a module of its own: "" is prelude.harn, another name is that file of the folder prelude.
std::string_view prelude_part(const stdlib::EmbeddedModule& module) {
  constexpr std::string_view kFolder = "std/prelude/";
  return module.path.starts_with(kFolder) ? module.path.substr(kFolder.size()) : "";
}

static std::string prelude_text(std::string_view part) {
  for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
    if (stdlib::is_prelude(module) && prelude_part(module) == part) return std::string(module.text);
  }
  return "";
}

constexpr char kPreludePath[] = "std/prelude";

static std::unique_ptr<bytecode::Program> read_prelude(std::string_view part, std::string_view compiled) {
  auto source = std::make_shared<const SourceFile>(kPreludePath, prelude_text(part));
  auto program = bytecode::read_program(compiled, source);
  HARN_ASSERT(program, "the compiled prelude in this binary is damaged");
  return program;
}

static std::unique_ptr<bytecode::Program> compile_prelude(std::string text, diag::Sink& sink) {
  NoFiles loader;
  modules::Graph graph(loader, {});
  auto* loaded = graph.load_text(kPreludePath, std::move(text), "");
  compile::CompileOptions options;
  options.hidden = true;
  return compile::compile_program(graph, *loaded, catalog(), sink, options);
}

namespace {

// The code is compiled once for all VMs of a process, which share it: a copy of a program is a copy of its lists.
struct CompiledParts {
  Mutex lock;
  std::map<std::string, std::unique_ptr<bytecode::Program>, std::less<>> programs;  // by name
  std::list<std::string> added;  // those that are no files, the oldest first

  // One that is forgotten is compiled again when somebody asks for it.
  auto keep_added(std::string name, std::unique_ptr<bytecode::Program> program) {
    constexpr size_t kMostAdded = 256;
    if (added.size() >= kMostAdded) {
      programs.erase(added.front());
      added.pop_front();
    }
    added.push_back(name);
    return programs.emplace(std::move(name), std::move(program)).first;
  }

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

std::unique_ptr<bytecode::Program> load_prelude(std::string_view part, std::string_view compiled) {
  CompiledParts& parts = CompiledParts::all();
  std::lock_guard held(parts.lock);
  auto found = parts.programs.find(part);
  if (found == parts.programs.end()) {
    diag::Sink sink;
    auto added = added_text(part);
    auto program =
        !compiled.empty() ? read_prelude(part, compiled) : compile_prelude(added ? *added : prelude_text(part), sink);
    HARN_ASSERT(program || added, sink.diagnostics().empty() ? "prelude" : sink.diagnostics()[0].message.c_str());
    if (!program) return nullptr;
    found = added ? parts.keep_added(std::string(part), std::move(program))
                  : parts.programs.emplace(part, std::move(program)).first;
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
  parts.keep_added(name, std::move(program));
  return {name, ""};
}

}  // namespace harn::builtins
