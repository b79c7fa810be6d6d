#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/frontend.h"
#include "engine/sources.h"
#include "lint/settings.h"
#include "lsp/index.h"

namespace harn::lsp {

// A text that the editor has open. Where it differs from the file, the editor is right.
struct Document {
  std::string uri;
  std::string text;
  int64_t version = 0;
  const modules::Module* module = nullptr;
  const lint::Settings* lints = nullptr;  // of its project
  bool is_at_rest = true;                 // as it was opened or saved
};

// The documents that are open, over the files on disk, and the front end over both. Checked when somebody asks, if
// something has changed since.
class Workspace {
 public:
  Workspace();

  void open(const std::string& uri, std::string text, int64_t version);
  void change(Document& document, std::string text, int64_t version);
  void save(Document& document);
  void close(const std::string& uri);
  // A file that is not open has changed on disk: a program, or the `harn.toml` of a project.
  void reload(const std::string& uri);

  // The folders that the editor shows.
  void set_roots(std::vector<std::string> roots) { roots_ = std::move(roots); }
  // Reads all programs of these folders, once: a name may stand in files that no open document imports. What looks
  // for uses everywhere asks for it; those who only type need not wait.
  void load_project();

  Document* find(const std::string& uri);
  std::map<std::string, Document>& documents() { return documents_; }

  // What there is to report about a document itself.
  std::vector<const diag::Diagnostic*> problems(const Document& document);
  // Whether there is anything to ask about.
  bool has_modules() const { return any_ || !documents_.empty(); }
  // Names and types; valid until something changes.
  Index& index();
  // Where a module is, for the editor. Empty for those that come with Harn.
  std::string uri_of(const modules::Module& module) const;
  // A file with the text of a module that comes with Harn, for those who want to read it: written when somebody asks. Empty when it
  // cannot be written.
  std::string copy_of(const modules::Module& module);
  // The words of a line up to a place, whether or not they parse.
  static std::string_view word_before(std::string_view text, uint32_t offset);

 private:
  class Overlay : public engine::FileLoader {
   public:
    explicit Overlay(Workspace& workspace) : workspace_(workspace) {}
    std::optional<std::string> read(const std::string& path) override;

   private:
    Workspace& workspace_;
  };
  class Forward;

  const Document* find_path(const std::string& path) const;
  const lint::Settings* lints_for(const std::string& path);
  void read_lints(const std::string& manifest);
  void check();

  std::map<std::string, Document> documents_;  // by URI
  Overlay loader_{*this};
  // What is wrong with comments for the lints, by URI.
  std::map<std::string, std::unique_ptr<diag::Sink>> comments_;
  std::map<std::string, lint::Settings> lints_;  // by the path of the manifest; empty: of no project
  compile::MakeAnalysis analyses_[5];
  std::unique_ptr<Index> index_;
  compile::Frontend frontend_;
  std::vector<std::string> roots_;
  bool is_project_loaded_ = false;
  const modules::Module* any_ = nullptr;  // one of the project, open or not
  bool is_checked_ = false;
};

}  // namespace harn::lsp
