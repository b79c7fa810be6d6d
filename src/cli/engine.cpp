#include "cli/engine.h"

#include <sys/stat.h>

#include <cstdlib>

#include "builtins/families.h"
#include "builtins/registry.h"
#include "cli/files.h"
#include "cli/project.h"
#include "compile/catalog.h"
#include "diag/snippet.h"
#include "std/embedded.h"
#include "vm/claim.h"
#include "vm/trace.h"

namespace harn::cli {

std::optional<std::string> FileLoader::read(const std::string& path) {
  auto text = read_file(path);
  if (!text) return std::nullopt;
  return std::move(*text);
}

bool FileLoader::is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool FileLoader::is_directory(const std::string& path) { return cli::is_directory(path); }

std::string FileLoader::identity(const std::string& path) { return real_path(path).value_or(path); }

static std::span<const modules::EmbeddedSource> embedded_sources() {
  static const auto sources = [] {
    std::vector<modules::EmbeddedSource> out;
    for (const stdlib::EmbeddedModule& module : stdlib::embedded_modules()) {
      if (!stdlib::is_prelude(module)) out.push_back({module.path, module.text});
    }
    return out;
  }();
  return sources;
}

static compile::CompileOptions options_to_run() {
  compile::CompileOptions options;
  options.resolve.unknown_variables = false;
  // For tests: the code is verified after every pass, and every function uses far registers.
  if (getenv("HARN_VERIFY")) options.verify = true;
  if (const char* near = getenv("HARN_NEAR_REGISTERS")) options.near_registers = static_cast<uint32_t>(atoi(near));
  return options;
}

Loaded::Loaded(compile::CompileOptions options) : frontend(loader, embedded_sources(), builtins::catalog(), options) {}

Result<std::unique_ptr<Loaded>> load_file(const std::string& path, Verify verify) {
  compile::CompileOptions options = options_to_run();
  options.verify |= verify == Verify::Yes;
  auto loaded = std::make_unique<Loaded>(options);
  loaded->main = loaded->frontend.load_file(path);
  if (!loaded->main) {
    HARN_TRY(read_file(path));  // says why
    return fail(ErrorKind::Io, fmt::format("cannot read {}", path));
  }
  return loaded;
}

static std::unique_ptr<Loaded> load_text(const std::string& name, std::string text, compile::CompileOptions options) {
  auto loaded = std::make_unique<Loaded>(options);
  loaded->main = loaded->frontend.load_text(name, std::move(text), "");
  return loaded;
}

std::unique_ptr<Loaded> load_text(const std::string& name, std::string text) {
  return load_text(name, std::move(text), options_to_run());
}

std::unique_ptr<Loaded> load_input(const std::string& name, std::string text) {
  return load_text(name, std::move(text), {});
}

std::unique_ptr<bytecode::Program> compile(Loaded& loaded, compile::Session* session) {
  return loaded.frontend.only_program(*loaded.main, loaded.sink, session);
}

ManyFiles::ManyFiles(const std::vector<std::string>& paths, For purpose)
    : frontend_(loader_, embedded_sources(), builtins::catalog(),
                purpose == For::Running ? options_to_run() : compile::CompileOptions()),
      paths_(paths) {
  for (const std::string& path : paths) mains_.push_back(frontend_.load_file(path));
}

std::optional<Error> ManyFiles::read_error(size_t file) const {
  if (mains_[file]) return std::nullopt;
  if (auto text = read_file(paths_[file]); !text) return text.error();
  return Error{ErrorKind::Io, fmt::format("cannot read {}", paths_[file])};
}

std::vector<const diag::Diagnostic*> ManyFiles::problems(size_t file) { return frontend_.problems(*mains_[file]); }

std::unique_ptr<bytecode::Program> ManyFiles::program(size_t file) { return frontend_.program(*mains_[file]); }

std::unique_ptr<bytecode::Program> copy(const bytecode::Program& program) {
  return std::make_unique<bytecode::Program>(program);
}

vm::VmOptions vm_options(vm::Limits limits, unsigned workers) {
  vm::VmOptions options;
  options.limits = limits;
  options.workers = workers ? workers : worker_count(std::nullopt).value_or(0);
  options.eager_workers = getenv("HARN_EAGER_WORKERS") != nullptr;
  options.load_prelude = builtins::load_prelude;
  return options;
}

const bytecode::PipelineEntry* entry_pipeline(const bytecode::Program& program) {
  for (const auto& pipeline : program.pipelines) {
    if (pipeline.name == "default") return &pipeline;
  }
  return program.pipelines.empty() ? nullptr : &program.pipelines[0];
}

namespace {

vm::Value make_context(const Surroundings& surroundings) {
  return vm::DictBuilder()
      .add("task", vm::text_value(surroundings.task))
      .add("project_root", vm::text_value(surroundings.project_root))
      .add("task_type", vm::text_value(""))
      .done();
}

vm::Value make_argv(const Surroundings& surroundings) {
  auto list = vm::new_list(surroundings.args.size());
  for (std::string_view arg : surroundings.args) list->push(vm::text_value(arg));
  return vm::Value(std::move(list));
}

vm::Value bind_parameter(const bytecode::PipelineEntry::Param& param, const Surroundings& surroundings) {
  if (param.name == "task") return vm::text_value(surroundings.task);
  if (param.name == "project") return vm::text_value(surroundings.project_root);
  return param.has_default ? vm::Value::unset() : vm::Value();
}

vm::Outcome<vm::Value> run_entry(vm::Vm& vm, std::unique_ptr<bytecode::Program> program,
                                 const Surroundings& surroundings, std::optional<size_t> test) {
  std::optional<bytecode::PipelineEntry> entry;
  if (test) entry = program->pipelines[*test];
  else if (auto* chosen = entry_pipeline(*program)) entry = *chosen;
  vm.preset_global(compile::kGlobalArgv, make_argv(surroundings));
  vm.preset_global(compile::kGlobalContext, make_context(surroundings));
  vm::Value value = HARN_TRY(vm.load(std::move(program)));
  if (!entry) return value;
  std::vector<vm::Value> args;
  for (const auto& param : entry->params) args.push_back(bind_parameter(param, surroundings));
  return vm.call(vm.global(entry->global), args);
}

}  // namespace

vm::Outcome<vm::Value> execute(vm::Vm& vm, std::unique_ptr<bytecode::Program> program, const Surroundings& surroundings,
                               std::optional<size_t> test) {
  auto outcome = run_entry(vm, std::move(program), surroundings, test);
  // Tasks clean up: defers run, children are killed. A program that fails at that has failed.
  auto ended = vm.end_tasks();
  if (getenv("HARN_COUNT_COPIES")) fmt::print(stderr, "copied items: {}\n", vm::copied_items.load());
  return outcome && !ended ? std::move(ended) : std::move(outcome);
}

// The source line where the error arose.
static std::string place_text(const vm::ErrorObject& error, const diag::Paint& paint) {
  if (!error.trace) return {};
  // The first that is a place in code: a task may have failed before it began.
  auto place = std::find_if(error.trace->begin(), error.trace->end(), [](const auto& one) { return one.code; });
  if (place == error.trace->end()) return {};
  uint32_t offset = place->code->source_offset(place->word);
  return diag::Snippet(*place->code->source, {{{offset, offset + 1}, "", true}}).render(paint, diag::Style::Error);
}

std::string error_text(const vm::ErrorObject& error, Snippet snippet, diag::Colour colour) {
  diag::Paint paint(colour);
  std::string out = paint("Error", diag::Style::Error);
  out += fmt::format(": {}\n{}", vm::describe(error), vm::trace_text(error));
  if (snippet == Snippet::Yes) out += place_text(error, paint);
  if (error.hint) out += fmt::format("{}: {}\n", paint("help", diag::Style::Help), error.hint);
  return out;
}

}  // namespace harn::cli
