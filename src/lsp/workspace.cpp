#include "lsp/workspace.h"

#include <algorithm>
#include <utility>

#include "audit/invariants.h"
#include "builtins/registry.h"
#include "engine/files.h"
#include "engine/natural_checks.h"
#include "engine/option_checks.h"
#include "lint/linter.h"
#include "lint/silence.h"
#include "lsp/message.h"
#include "modules/path.h"

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

// Half of a program makes the other half look unused. Who types in a long file is told of lints when it is saved.
static bool wants_lints(const Document& document) {
  constexpr size_t kLong = 64 << 10;
  return !document.module->tree->has_errors && (document.is_at_rest || document.text.size() <= kLong);
}

Workspace::Workspace()
    : analyses_{[this](const compile::ResolvedProgram& program) {
                  auto is_open = [this](const modules::Module& module) {
                    return std::ranges::any_of(documents_, [&](auto& one) { return one.second.module == &module; });
                  };
                  index_ = std::make_unique<Index>(program, is_open);
                  return std::make_unique<Forward>(*index_);
                },
                engine::make_natural_checks, engine::make_option_checks, audit::check_invariants(),
                lint::make_linter([this](const modules::Module& module) -> const lint::Settings* {
                  auto found =
                      std::ranges::find_if(documents_, [&](auto& one) { return one.second.module == &module; });
                  return found != documents_.end() && wants_lints(found->second) ? found->second.lints : nullptr;
                })},
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
  document.lints = lints_for(path);
  is_checked_ = false;
  if (path.starts_with('/')) document.module = frontend_.load_file(path);
  if (!document.module) document.module = frontend_.load_text(path, document.text, "");
  // It may have been there already, as a file that others import.
  if (document.module->source->text() != document.text) frontend_.replace(*document.module, document.text);
}

void Workspace::save(Document& document) {
  if (std::exchange(document.is_at_rest, true)) return;
  is_checked_ = false;
  frontend_.replace(*document.module, document.text);
}

void Workspace::change(Document& document, std::string text, int64_t version) {
  document.is_at_rest = document.is_at_rest && text == document.text;
  document.text = std::move(text);
  document.version = version;
  is_checked_ = false;
  frontend_.replace(*document.module, document.text);
}

// ---- projects ----

void Workspace::read_lints(const std::string& manifest) {
  lint::Settings& settings = lints_[manifest];
  settings = {};
  auto text = engine::read_file(manifest);
  auto parsed = text ? modules::parse_manifest(*text, manifest) : Result<modules::Manifest>(modules::Manifest());
  if (!parsed) return;  // `harn check` tells what is wrong with it
  diag::Sink unheard(diag::Sink::kAll);
  settings = lint::settings_of(*parsed, manifest, text.value_or(""), unheard);
}

const lint::Settings* Workspace::lints_for(const std::string& path) {
  std::string manifest;
  for (std::string at = modules::path::directory(path); path.starts_with('/'); at = modules::path::directory(at)) {
    std::string here = modules::path::join(at, "harn.toml");
    if (engine::exists(here)) manifest = here;
    if (!manifest.empty() || at == "/" || engine::exists(modules::path::join(at, ".git"))) break;
  }
  if (!lints_.contains(manifest)) read_lints(manifest);
  return &lints_[manifest];
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
  if (lints_.contains(path)) {
    read_lints(path);
    is_checked_ = false;
  }
  auto saved = engine::read_file(path);
  if (!saved || path.ends_with(".toml") || !path.starts_with('/')) return;
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
  // The library may use what programs may not.
  std::string copies = engine::library_folder(HARN_VERSION);
  if (!copies.empty() && path_of_uri(document.uri).starts_with(copies)) return out;
  diag::Sink& comments = *(comments_[document.uri] = std::make_unique<diag::Sink>(diag::Sink::kAll));
  lint::Silence silence(*document.module->tree, *document.lints, comments);
  for (const diag::Diagnostic* one : frontend_.problems(*document.module)) {
    // What is never reached the checker tells as well.
    bool is_twice = one->code == diag::Code::DeadCode;
    if (one->source == document.module->source && !is_twice && !silence.covers(*one)) out.push_back(one);
  }
  for (const diag::Diagnostic& one : comments.diagnostics()) out.push_back(&one);
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

std::string Workspace::copy_of(const modules::Module& module) {
  std::string folder = engine::library_folder(HARN_VERSION);
  std::string path = fmt::format("{}/{}.harn", folder, module.path);
  bool is_there = !folder.empty() && engine::keep_copy(path, module.source->text());
  return is_there ? uri_of_path(path) : "";
}

std::string_view Workspace::word_before(std::string_view text, uint32_t offset) {
  size_t start = offset;
  auto is_part = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  while (start > 0 && is_part(text[start - 1])) --start;
  return text.substr(start, offset - start);
}

}  // namespace harn::lsp
