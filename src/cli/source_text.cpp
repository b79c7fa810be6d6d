#include "cli/source_text.h"

#include "cli/files.h"

namespace harn::cli {

Result<SourcePtr> read_source(std::string_view path) {
  bool is_input = path == "-";
  std::string text = HARN_TRY(is_input ? read_standard_input() : read_file(std::string(path)));
  return std::make_shared<SourceFile>(is_input ? "<stdin>" : std::string(path), std::move(text));
}

std::string literal_of(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '$') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + "\"";
}

}  // namespace harn::cli
