#include "compile/program.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compile/const_check.h"
#include "compile/emitter.h"
#include "compile/sound.h"
#include "compile/storage.h"
#include "compile/step_hooks.h"

namespace harn::compile {

using namespace syntax;

namespace {

// The names of all modules, bound and resolved.
struct Resolved {
  ProgramNames names;
  std::vector<FunctionInfo*> starts;  // by module, in graph order
};

// A redeclared name becomes a new variable; functions of earlier inputs keep the old one.
void enter_session(ProgramNames& names, const Session& session, const modules::Module& main) {
  if (!session.globals.empty()) names.globals = session.globals;
  names.resolution.types = session.types;
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
  session.types = std::move(names.resolution.types);
  for (auto& [name, variable] : names.modules[&main]) {
    const Node* declaration = variable->declaration;
    bool is_type = declaration && (declaration->is(NodeKind::Struct) || declaration->is(NodeKind::Enum) ||
                                   declaration->is(NodeKind::TypeAlias));
    session.names.push_back(
        {std::string(name), variable->global, variable->is_mutable, is_type ? declaration : nullptr});
  }
  return session;
}

// `main`: the module whose variables may live in registers, or null.
void resolve_all(Resolved& resolved, modules::Graph& graph, const modules::Module* main, const Catalog& catalog,
                 diag::Sink& sink, const CompileOptions& options) {
  auto each = [&](auto check) {
    for (const modules::Module* module : graph.order()) {
      module->doubts.filter(sink, [&](diag::Sink& to) { check(*module, to); });
    }
  };
  each([&](const modules::Module& module, diag::Sink& to) { check_constants(module, catalog, to); });
  if (options.session) enter_session(resolved.names, *options.session, *main);
  for (modules::Module* module : graph.order()) declare_module(*module, resolved.names);
  each([&](const modules::Module& module, diag::Sink& to) { bind_imports(module, resolved.names, to); });
  each([&](const modules::Module& module, diag::Sink& to) {
    ResolveOptions resolve = options.resolve;
    resolve.internal_names |= options.hidden || module.embedded;
    FunctionInfo* start = resolve_module(module, resolved.names, catalog, to, resolve);
    if (&module == main && !options.hidden && !options.session) keep_in_registers(module, *start, resolved.names);
    resolved.starts.push_back(start);
  });
  each([&](const modules::Module& module, diag::Sink& to) { check_step_hooks(module, resolved.names.resolution, to); });
}

void analyse_all(const Resolved& resolved, modules::Graph& graph, const Catalog& catalog, diag::Sink& sink,
                 const CompileOptions& options) {
  ResolvedProgram program{resolved.names, catalog};
  for (const MakeAnalysis& make : options.analyses) {
    std::unique_ptr<Analysis> analysis = make(program);
    for (const modules::Module* module : graph.order()) {
      if (module->embedded) continue;
      module->doubts.filter(sink, [&](diag::Sink& to) { analysis->inspect(program, *module, to); });
    }
  }
}

bool is_test(const Pipeline& pipeline) {
  if (pipeline.name.text.starts_with("test_")) return true;
  for (const Attribute& attribute : pipeline.attributes) {
    if (attribute.name.text == "test") return true;
  }
  return false;
}

void list_pipelines(bytecode::Program& program, const ProgramNames& names, const modules::Module& main) {
  auto globals = names.modules.find(&main);
  for (const Node* node : main.tree->items) {
    if (!node->is(NodeKind::Pipeline)) continue;
    auto& pipeline = node->as<Pipeline>();
    auto found = globals->second.find(pipeline.name.text);
    if (found == globals->second.end()) continue;
    bytecode::PipelineEntry entry{std::string(pipeline.name.text), found->second->global, {}, is_test(pipeline)};
    for (const Param& param : pipeline.params) {
      if (!param.rest) entry.params.push_back({std::string(param.name.text), param.default_value != nullptr});
    }
    program.pipelines.push_back(std::move(entry));
  }
}

// What the top level of a module owns is used by its functions, which run after its statements.
std::vector<uint32_t> find_owned(const modules::Module& module, const Bindings& bindings) {
  std::vector<uint32_t> owned;
  for (const Node* node : module.tree->items) {
    if (!node->is(NodeKind::Let)) continue;
    auto& let = node->as<Let>();
    if (!is_owned(let.type) || let.pattern->kind != PatternKind::Name) continue;
    Variable* variable = bindings.variable(let.pattern->fields[0]);
    if (!variable || variable->kind != Variable::Kind::Global) continue;
    variable->ends_with_program = true;
    owned.push_back(variable->global);
  }
  return owned;
}

// Whether the program has generators that clean up when they are dropped.
bool has_closable_generators(const ProgramNames& names) {
  const auto& functions = names.resolution.functions;
  return std::any_of(functions.begin(), functions.end(), [](const FunctionInfo& function) {
    return function.cleans_up && (function.has_yield || function.is_stream);
  });
}

}  // namespace

std::unique_ptr<bytecode::Program> compile_program(modules::Graph& graph, const modules::Module& main,
                                                   const Catalog& catalog, diag::Sink& sink, CompileOptions options) {
  Resolved resolved;
  size_t before = sink.diagnostics().size();
  graph.report(main, sink);
  resolve_all(resolved, graph, &main, catalog, sink, options);
  analyse_all(resolved, graph, catalog, sink, options);
  sink.sort_by_place(before);  // functions are read after the code around them
  if (sink.has_errors()) return nullptr;
  auto program = std::make_unique<bytecode::Program>();
  ProgramTypes types(resolved.names.resolution.types);
  bool clears_scopes = has_closable_generators(resolved.names);
  for (size_t i = 0; i < graph.order().size(); ++i) {
    modules::Module& module = *graph.order()[i];
    ModuleContext context{module,
                          resolved.names,
                          resolved.names.bindings[&module],
                          catalog,
                          types,
                          sink,
                          options.hidden || module.embedded,
                          options.hidden,
                          clears_scopes,
                          options.near_registers,
                          options.verify};
    for (uint32_t variable : find_owned(module, resolved.names.bindings[&module])) program->owned.push_back(variable);
    FunctionCompiler compiler(context, *resolved.starts[i], "main");
    program->modules.push_back(compiler.module_start(module.tree->items));
  }
  if (sink.has_errors()) return nullptr;
  list_pipelines(*program, resolved.names, main);
  if (options.session) *options.session = leave_session(resolved.names, main);
  program->globals = std::move(resolved.names.globals);
  if (options.verify) require_sound(bytecode::verify(*program, catalog.count(), options.hidden), "compiling");
  return program;
}

// ---- many programs ----

struct Batch::Impl {
  using Problems = std::vector<const diag::Diagnostic*>;

  // What is known of one module.
  struct Part {
    Problems loading, names, code;
    FunctionInfo* start_info = nullptr;
    std::shared_ptr<bytecode::Code> start;
    std::vector<uint32_t> owned;
    bool has_errors = false;  // here or in what it imports
    bool has_problems = false;
  };

  modules::Graph& graph;
  const Catalog& catalog;
  CompileOptions options;
  diag::Sink names_sink{diag::Sink::kAll};
  diag::Sink code_sink{diag::Sink::kAll};
  Resolved resolved;
  ProgramTypes types{resolved.names.resolution.types};
  bytecode::GlobalNames globals;
  std::unordered_map<const modules::Module*, Part> parts;

  static void note(Part& part, Problems Part::*list, const diag::Diagnostic& diagnostic) {
    (part.*list).push_back(&diagnostic);
    part.has_problems = true;
    part.has_errors |= diagnostic.severity == diag::Severity::Error;
  }

  void take_loading() {
    for (modules::Module* module : graph.order()) {
      for (const diag::Diagnostic& one : module->found.diagnostics()) note(parts[module], &Part::loading, one);
      for (const diag::Diagnostic& one : module->linked.diagnostics()) note(parts[module], &Part::loading, one);
    }
    pass_up();
  }

  // Gives each diagnostic to the module it is about.
  void sort_out(const diag::Sink& sink, Problems Part::*list) {
    std::unordered_map<const SourceFile*, Part*> by_source;
    for (modules::Module* module : graph.order()) by_source[module->source.get()] = &parts[module];
    for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
      note(*by_source.at(diagnostic.source.get()), list, diagnostic);
    }
    pass_up();
  }

  // What is true of a module is true of those that import it. In circles it goes round.
  void pass_up() {
    for (bool changed = true; changed;) {
      changed = false;
      for (modules::Module* module : graph.order()) {
        Part& part = parts[module];
        for (const modules::Dependency& dependency : module->imports) {
          if (!dependency.target) continue;
          const Part& below = parts[dependency.target];
          changed |= below.has_errors > part.has_errors || below.has_problems > part.has_problems;
          part.has_errors |= below.has_errors;
          part.has_problems |= below.has_problems;
        }
      }
    }
  }

  void resolve() {
    resolve_all(resolved, graph, nullptr, catalog, names_sink, options);
    analyse_all(resolved, graph, catalog, names_sink, options);
    for (size_t i = 0; i < graph.order().size(); ++i) {
      parts[graph.order()[i]].start_info = resolved.starts[i];
    }
    sort_out(names_sink, &Part::names);
  }

  void compile() {
    bool clears_scopes = has_closable_generators(resolved.names);
    for (modules::Module* module : graph.order()) {
      Part& part = parts[module];
      if (part.has_errors) continue;
      ModuleContext context{
          *module, resolved.names, resolved.names.bindings[module], catalog,       types, code_sink, module->embedded,
          false,   clears_scopes,  options.near_registers,          options.verify};
      part.owned = find_owned(*module, resolved.names.bindings[module]);
      part.start = FunctionCompiler(context, *part.start_info, "main").module_start(module->tree->items);
      if (options.code == CompileOptions::Code::Dropped) part.start.reset();
    }
    sort_out(code_sink, &Part::code);
    globals = resolved.names.globals;
  }

  // Calls `before` and `behind` for a module and all it imports, on the way down and on the way up.
  template <class Before, class Behind>
  void walk(const modules::Module& main, Before before, Behind behind) const {
    std::unordered_set<const modules::Module*> seen = {&main};
    std::vector<std::pair<const modules::Module*, size_t>> open = {{&main, 0}};
    before(main);
    while (!open.empty()) {
      auto& [module, next] = open.back();
      if (next == module->imports.size()) {
        behind(*module);
        open.pop_back();
        continue;
      }
      const modules::Module* target = module->imports[next++].target;
      if (!target || !seen.insert(target).second) continue;
      before(*target);
      open.emplace_back(target, 0);
    }
  }
};

Batch::Batch(modules::Graph& graph, const Catalog& catalog, CompileOptions options)
    : impl_(new Impl{.graph = graph, .catalog = catalog, .options = options}) {
  impl_->take_loading();
  impl_->resolve();
  if (options.code != CompileOptions::Code::NotWritten) impl_->compile();
}

Batch::~Batch() = default;

std::vector<const diag::Diagnostic*> Batch::problems(const modules::Module& main) const {
  Impl::Problems loading, names, code;
  if (!impl_->parts.at(&main).has_problems) return loading;
  auto add = [](Impl::Problems& to, const Impl::Problems& from) { to.insert(to.end(), from.begin(), from.end()); };
  impl_->walk(
      main, [&](const modules::Module& module) { add(loading, impl_->parts.at(&module).loading); },
      [&](const modules::Module& module) {
        add(names, impl_->parts.at(&module).names);
        add(code, impl_->parts.at(&module).code);
      });
  add(loading, names);
  // Code is only written for what is sound.
  bool sound =
      std::none_of(loading.begin(), loading.end(), [](auto* one) { return one->severity == diag::Severity::Error; });
  if (sound) add(loading, code);
  diag::sort_by_place(loading);
  return loading;
}

std::vector<TemplateUse> Batch::templates(const modules::Module& main) const {
  std::unordered_set<const modules::Module*> inside;
  impl_->walk(
      main, [&](const modules::Module& module) { inside.insert(&module); }, [](const modules::Module&) {});
  std::vector<TemplateUse> uses;
  for (const TemplateUse& use : impl_->resolved.names.resolution.templates) {
    if (inside.contains(use.module) && !use.module->embedded) uses.push_back(use);
  }
  return uses;
}

std::unique_ptr<bytecode::Program> Batch::program(const modules::Module& main) const {
  if (impl_->parts.at(&main).has_errors) return nullptr;
  auto program = std::make_unique<bytecode::Program>();
  impl_->walk(
      main, [](const modules::Module&) {},
      [&](const modules::Module& module) {
        const Impl::Part& part = impl_->parts.at(&module);
        program->modules.push_back(part.start);
        program->owned.insert(program->owned.end(), part.owned.begin(), part.owned.end());
      });
  list_pipelines(*program, impl_->resolved.names, main);
  program->globals = impl_->globals;
  if (impl_->options.verify) require_sound(bytecode::verify(*program, impl_->catalog.count()), "compiling");
  return program;
}

}  // namespace harn::compile
