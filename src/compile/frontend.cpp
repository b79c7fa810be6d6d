#include "compile/frontend.h"

namespace harn::compile {

Frontend::Frontend(modules::SourceLoader& loader, std::span<const modules::EmbeddedSource> embedded,
                   const Catalog& catalog, CompileOptions options)
    : graph_(loader, embedded), catalog_(catalog), options_(options) {}

Frontend::~Frontend() = default;

const modules::Module* Frontend::load_file(const std::string& path) {
  batch_.reset();
  return graph_.load_file(path);
}

const modules::Module* Frontend::load_text(const std::string& name, std::string text, const std::string& directory) {
  batch_.reset();
  return graph_.load_text(name, std::move(text), directory);
}

std::vector<const modules::Module*> Frontend::replace(const modules::Module& module, std::string text) {
  batch_.reset();  // its names point into the old tree
  graph_.replace(module, std::move(text));
  auto changed = graph_.dependents(module);
  return {changed.begin(), changed.end()};
}

const Batch& Frontend::batch() {
  if (!batch_) batch_ = std::make_unique<Batch>(graph_, catalog_, options_);
  return *batch_;
}

std::vector<const diag::Diagnostic*> Frontend::problems(const modules::Module& main) { return batch().problems(main); }

std::vector<TemplateUse> Frontend::templates(const modules::Module& main) { return batch().templates(main); }

std::unique_ptr<bytecode::Program> Frontend::program(const modules::Module& main) { return batch().program(main); }

std::unique_ptr<bytecode::Program> Frontend::only_program(const modules::Module& main, diag::Sink& sink,
                                                          Session* session) {
  CompileOptions options = options_;
  options.session = session;
  return compile_program(graph_, main, catalog_, sink, options);
}

}  // namespace harn::compile
