#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/program.h"

namespace harn::compile {

// Load and check as a call: sources come in through the loader, what there is to say goes out as data. It can be asked
// again after a file has got a new text, as often as one likes: only that file is parsed again, and nothing of its old
// text is kept. One thread at a time.
//
//   Frontend frontend(loader, embedded, catalog);
//   const modules::Module* main = frontend.load_file("main.harn");
//   frontend.problems(*main);
//   frontend.replace(*main, "log(1)");
//   frontend.problems(*main);
class Frontend {
 public:
  Frontend(modules::SourceLoader& loader, std::span<const modules::EmbeddedSource> embedded, const Catalog& catalog,
           CompileOptions options = {});
  ~Frontend();

  // Loads a file and what it imports, unless it is there already. Null when it cannot be read.
  const modules::Module* load_file(const std::string& path);
  // Text that is in no file; imports resolve relative to `directory`.
  const modules::Module* load_text(const std::string& name, std::string text, const std::string& directory);

  // The module has another text now. Gives what may have changed by that: the module, and all that import it.
  std::vector<const modules::Module*> replace(const modules::Module& module, std::string text);

  // What there is to report about the program with this main module: about itself and what it imports. Valid until a
  // module is loaded or replaced.
  std::vector<const diag::Diagnostic*> problems(const modules::Module& main);
  // The templates that the program names; valid as long.
  std::vector<TemplateUse> templates(const modules::Module& main);
  // That program, or null when there were errors. Programs of one front end share the code of modules.
  std::unique_ptr<bytecode::Program> program(const modules::Module& main);
  // The same for the only program, with code of its own. Problems go to the sink.
  std::unique_ptr<bytecode::Program> only_program(const modules::Module& main, diag::Sink& sink,
                                                  Session* session = nullptr);

 private:
  const Batch& batch();

  modules::Graph graph_;
  const Catalog& catalog_;
  CompileOptions options_;
  std::unique_ptr<Batch> batch_;  // null: not checked since the last change
};

}  // namespace harn::compile
