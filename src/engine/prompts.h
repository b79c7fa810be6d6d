#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/scope.h"
#include "diag/diagnostic.h"
#include "templates/check.h"

// Templates, as far as they can be checked without running a program: whether those that are named in so many words are there,
// and whether they, and those that they include, can be read. Reads files; each once. What it finds lives as long as it does.
// One thread at a time.
namespace harn::engine {

bool is_template_path(std::string_view path);  // `*.prompt`

class PromptChecks {
 public:
  using Problems = std::vector<const diag::Diagnostic*>;

  // Where templates are, too, when the program is installed: a path that leads nowhere from its file may lead somewhere from here.
  void set_other_root(std::string folder) { other_root_ = std::move(folder); }
  // Of a template in a call, and of what it includes.
  Problems of_use(const compile::TemplateUse& use);
  // Of a template's file, and of what it includes.
  Problems of_file(const std::string& path);
  // What is well formed in a template's file, but doubtful: branches by provider, or more than `most` by capability.
  Problems doubts_of_file(const std::string& path, int64_t most);

 private:
  // Where a path is written, and what folder it begins at.
  struct Mention {
    std::string_view who;  // `render`, `include`
    std::string path;
    std::string folder;
    SourcePtr source;
    Span span;
  };
  // A template that another includes, and where it says so.
  struct Inclusion {
    std::string file;
    Mention mention;
  };
  struct File {
    diag::Sink own{diag::Sink::kAll};
    std::vector<Inclusion> includes;  // of files that are there
    SourcePtr source;
    std::vector<templates::Findings::Branch> branches;
  };

  class Walk;  // from one template through all that it includes

  const File* file(const std::string& path);
  void read(File& file, const SourcePtr& source, const std::string& path);
  std::optional<std::string> find(const Mention& mention, diag::Sink& sink);
  std::optional<std::string> find_asset(const Mention& mention, diag::Sink& sink);

  std::string other_root_;             // may be empty
  std::map<std::string, File> files_;  // by real path
  std::deque<diag::Sink> uses_;        // what is wrong with a use, or on the way from one template to the others
};

}  // namespace harn::engine
