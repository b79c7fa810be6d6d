#include "compile/program.h"

#include "compile/const_check.h"
#include "compile/emitter.h"
#include "compile/inherit.h"

namespace harn::compile {

using namespace syntax;

namespace {

// The names of all modules, bound and resolved.
struct Resolved {
  ProgramNames names;
  std::vector<FunctionInfo*> starts;          // by module, in graph order
};

// A redeclared name becomes a new variable; functions of earlier inputs keep the old one.
void enter_session(ProgramNames& names, const Session& session, const modules::Module& main) {
  if (!session.globals.empty()) names.globals = session.globals;
  for (const SessionName& known : session.names) {
    Variable& variable = names.resolution.variables.emplace_back();
    variable.name = known.name;
    variable.kind = Variable::Kind::Global;
    variable.global = known.global;
    variable.is_mutable = known.is_mutable;
    variable.declared = true;
    variable.outside_use = true;
    variable.declaration = known.declaration;
    names.modules[&main][variable.name] = &variable;
  }
}

Session leave_session(ProgramNames& names, const modules::Module& main) {
  Session session;
  session.globals = names.globals;
  for (auto& [name, variable] : names.modules[&main]) {
    Node* declaration = variable->declaration;
    bool is_type = declaration && (declaration->is(NodeKind::Struct) || declaration->is(NodeKind::Enum) ||
                                   declaration->is(NodeKind::TypeAlias));
    session.names.push_back({std::string(name), variable->global, variable->is_mutable,
                             is_type ? declaration : nullptr});
  }
  return session;
}

void resolve_all(Resolved& resolved, modules::Graph& graph, modules::Module& main,
                 const Catalog& catalog, diag::Sink& sink, const CompileOptions& options) {
  size_t before = sink.diagnostics().size();
  for (modules::Module* module : graph.order()) apply_inheritance(*module, sink);
  for (modules::Module* module : graph.order()) check_constants(*module, sink);
  if (options.session) enter_session(resolved.names, *options.session, main);
  for (modules::Module* module : graph.order()) declare_module(*module, resolved.names);
  for (modules::Module* module : graph.order()) bind_imports(*module, resolved.names, sink);
  for (modules::Module* module : graph.order()) {
    ResolveOptions resolve = options.resolve;
    resolve.main_locals &= module == &main && !options.hidden && !options.session;
    resolve.internal_names |= options.hidden || module->embedded;
    resolved.starts.push_back(resolve_module(*module, resolved.names, catalog, sink, resolve));
  }
  sink.sort_by_place(before);  // functions are read after the code around them
}

bool is_test(const Pipeline& pipeline) {
  if (pipeline.name.text.starts_with("test_")) return true;
  for (const Attribute& attribute : pipeline.attributes) {
    if (attribute.name.text == "test") return true;
  }
  return false;
}

void list_pipelines(bytecode::Program& program, const ProgramNames& names, modules::Module& main) {
  auto globals = names.modules.find(&main);
  for (Node* node : main.tree->items) {
    if (!node->is(NodeKind::Pipeline)) continue;
    auto& pipeline = node->as<Pipeline>();
    auto found = globals->second.find(pipeline.name.text);
    if (found == globals->second.end()) continue;
    bytecode::PipelineEntry entry{std::string(pipeline.name.text), found->second->global, {}, is_test(pipeline)};
    for (const Param& param : pipeline.params) {
      if (!param.rest) entry.params.emplace_back(std::string(param.name.text), param.default_value != nullptr);
    }
    program.pipelines.push_back(std::move(entry));
  }
}

// What the top level of a module owns is used by its functions, which run after its statements.
void list_owned(bytecode::Program& program, modules::Module& module) {
  for (Node* node : module.tree->items) {
    if (!node->is(NodeKind::Let)) continue;
    auto& let = node->as<Let>();
    if (!is_owned(let.type) || let.pattern->kind != PatternKind::Name) continue;
    Variable* variable = let.pattern->fields[0].variable;
    if (!variable || variable->kind != Variable::Kind::Global) continue;
    variable->ends_with_program = true;
    program.owned.push_back(variable->global);
  }
}

}  // namespace

// Whether the program has generators that clean up when they are dropped.
static bool has_closable_generators(const ProgramNames& names) {
  const auto& functions = names.resolution.functions;
  return std::any_of(functions.begin(), functions.end(), [](const FunctionInfo& function) {
    return function.cleans_up && (function.has_yield || function.is_stream);
  });
}

std::unique_ptr<bytecode::Program> compile_program(modules::Graph& graph, modules::Module& main,
                                                   const Catalog& catalog, diag::Sink& sink,
                                                   CompileOptions options) {
  Resolved resolved;
  resolve_all(resolved, graph, main, catalog, sink, options);
  if (sink.has_errors()) return nullptr;
  auto program = std::make_unique<bytecode::Program>();
  bool clears_scopes = has_closable_generators(resolved.names);
  for (size_t i = 0; i < graph.order().size(); ++i) {
    modules::Module& module = *graph.order()[i];
    ModuleContext context{module, resolved.names, catalog, sink, options.hidden || module.embedded,
                          options.hidden, clears_scopes, options.near_registers};
    list_owned(*program, module);
    FunctionCompiler compiler(context, *resolved.starts[i], "main");
    program->modules.push_back(compiler.module_start(module.tree->items));
  }
  if (sink.has_errors()) return nullptr;
  list_pipelines(*program, resolved.names, main);
  if (options.session) *options.session = leave_session(resolved.names, main);
  program->globals = std::move(resolved.names.globals);
  return program;
}

void check_program(modules::Graph& graph, modules::Module& main, const Catalog& catalog,
                   diag::Sink& sink) {
  Resolved resolved;
  resolve_all(resolved, graph, main, catalog, sink, {});
  if (sink.has_errors()) return;
  // Compiling finds what only the code generator can see: limits, features that come later.
  for (size_t i = 0; i < graph.order().size(); ++i) {
    modules::Module& module = *graph.order()[i];
    if (module.embedded) continue;
    ModuleContext context{module, resolved.names, catalog, sink, false};
    FunctionCompiler compiler(context, *resolved.starts[i], "main");
    compiler.module_start(module.tree->items);
  }
}

}  // namespace harn::compile
