#include "lsp/workspace.h"

#include <algorithm>
#include <utility>

#include "audit/invariants.h"
#include "builtins/registry.h"
#include "engine/files.h"
#include "engine/natural_checks.h"
#include "engine/option_checks.h"
#include "lsp/message.h"

namespace harn::lsp {

// The front end owns its analyses for the time of a check; what they found out is wanted afterwards.
class Workspace::Forward : public compile::Analysis {
 public:
  explicit Forward(Index& index) : index_(index) {}
  void inspect(const compile::ResolvedProgram& program, const modules::Module& module, diag::Sink& sink) override {
    index_.inspect(program, module, sink);
  }

 private:
  Index& index_;
};

static compile::CompileOptions options(std::span<const compile::MakeAnalysis> analyses) {
  compile::CompileOptions out;
  out.analyses = analyses;
  out.code = compile::CompileOptions::Code::NotWritten;
  return out;
}

Workspace::Workspace()
    : analyses_{[this](const compile::ResolvedProgram& program) {
                  auto is_open = [this](const modules::Module& module) {
                    return std::ranges::any_of(documents_, [&](auto& one) { return one.second.module == &module; });
                  };
                  index_ = std::make_unique<Index>(program, is_open);
                  return std::make_unique<Forward>(*index_);
                },
                engine::make_natural_checks, engine::make_option_checks, audit::check_invariants()},
      frontend_(loader_, engine::embedded_sources(), builtins::catalog(), options(analyses_)) {}

// ---- documents ----

std::optional<std::string> Workspace::Overlay::read(const std::string& path) {
  if (const Document* open = workspace_.find_path(path)) return open->text;
  return FileLoader::read(path);
}

const Document* Workspace::find_path(const std::string& path) const {
  for (auto& [uri, document] : documents_) {
    if (path_of_uri(uri) == path) return &document;
  }
  return nullptr;
}

Document* Workspace::find(const std::string& uri) {
  auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

void Workspace::open(const std::string& uri, std::string text, int64_t version) {
  Document& document = documents_[uri];
  document.uri = uri;
  document.text = std::move(text);
  document.version = version;
  std::string path = path_of_uri(uri);
  is_checked_ = false;
  if (path.starts_with('/')) document.module = frontend_.load_file(path);
  if (!document.module) document.module = frontend_.load_text(path, document.text, "");
  // It may have been there already, as a file that others import.
  if (document.module->source->text() != document.text) frontend_.replace(*document.module, document.text);
}

void Workspace::change(Document& document, std::string text, int64_t version) {
  document.text = std::move(text);
  document.version = version;
  is_checked_ = false;
  frontend_.replace(*document.module, document.text);
}

void Workspace::close(const std::string& uri) {
  Document* document = find(uri);
  if (!document) return;
  const modules::Module* module = document->module;
  documents_.erase(uri);
  auto saved = engine::read_file(path_of_uri(uri));
  is_checked_ = false;
  if (saved && *saved != module->source->text()) frontend_.replace(*module, *saved);
}

void Workspace::reload(const std::string& uri) {
  if (find(uri)) return;
  std::string path = path_of_uri(uri);
  auto saved = engine::read_file(path);
  if (!saved || !path.starts_with('/')) return;
  const modules::Module* module = frontend_.load_file(path);
  is_checked_ = false;
  if (module && module->source->text() != *saved) frontend_.replace(*module, *saved);
}

void Workspace::load_project() {
  constexpr size_t kMostFiles = 10'000;
  if (std::exchange(is_project_loaded_, true)) return;
  for (const std::string& root : roots_) {
    for (const std::string& path : engine::programs_below(root, kMostFiles)) {
      const modules::Module* module = frontend_.load_file(path);
      if (!any_) any_ = module;
      is_checked_ = false;
    }
  }
}

// ---- answers ----

void Workspace::check() {
  if (is_checked_) return;
  is_checked_ = true;
  // One question checks all modules.
  frontend_.problems(documents_.empty() ? *any_ : *documents_.begin()->second.module);
}

std::vector<const diag::Diagnostic*> Workspace::problems(const Document& document) {
  check();
  std::vector<const diag::Diagnostic*> out;
  for (const diag::Diagnostic* one : frontend_.problems(*document.module)) {
    if (one->source == document.module->source) out.push_back(one);
  }
  return out;
}

Index& Workspace::index() {
  check();
  return *index_;
}

std::string Workspace::uri_of(const modules::Module& module) const {
  if (module.embedded) return "";
  for (auto& [uri, document] : documents_) {
    if (document.module == &module) return uri;
  }
  return uri_of_path(module.path);
}

std::string_view Workspace::word_before(std::string_view text, uint32_t offset) {
  size_t start = offset;
  auto is_part = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  while (start > 0 && is_part(text[start - 1])) --start;
  return text.substr(start, offset - start);
}

}  // namespace harn::lsp
