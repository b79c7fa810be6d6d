#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "lint/settings.h"
#include "syntax/tree.h"

// What a program does not want to hear. A comment
//
//   // harn-lint: allow(unused-variable, shadow-variable)
//
// covers its own line; when it stands alone on its line, the statement or declaration that begins on the next line of code.
// `[lint] disabled` covers the project.
namespace harn::lint {

class Silence {
 public:
  // Rules that do not exist are reported to the sink.
  Silence(const syntax::Tree& tree, const Settings& settings, diag::Sink& sink);

  // Whether the diagnostic, about this file, is not to be told. Those that no rule has (syntax, names) always are.
  bool covers(const diag::Diagnostic& diagnostic) const;

 private:
  void read(const syntax::Comment& comment, diag::Sink& sink);
  void allow(std::string_view name, const syntax::Comment& comment, diag::Sink& sink);
  uint32_t next_line_of_code(uint32_t offset) const;

  const syntax::Tree& tree_;
  const Settings& settings_;
  std::unordered_map<uint32_t, std::vector<std::string_view>> allowed_;  // by line: names of rules
};

}  // namespace harn::lint
