// Every file begins with a `/** */` block whose title is the name of the file. For projects that ask for it.
#include <algorithm>

#include "base/text.h"
#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

// Letters and digits alone, in lower case: "Order Desk" fits a file called order_desk.
std::string letters(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_kept) out += text::ascii_lower(c);
  }
  return out;
}

std::string_view stem(std::string_view path) {
  path = path.substr(path.find_last_of('/') + 1);
  return path.substr(0, path.rfind(".harn"));
}

// The first line of a block that says something.
std::string_view title(std::string_view block) {
  for (std::string_view line : text::split(block, "\n")) {
    size_t first = line.find_first_not_of(" \t\r/*#");
    if (first == line.npos) continue;
    line = line.substr(first);
    if (line.ends_with("*/")) line.remove_suffix(2);
    return text::trim(line);
  }
  return "";
}

// Behind a `#!` line.
uint32_t first_place(std::string_view text) {
  if (!text.starts_with("#!")) return 0;
  size_t end = text.find('\n');
  return static_cast<uint32_t>(end == text.npos ? text.size() : end + 1);
}

void check(Pass& pass) {
  if (!pass.settings().require_file_header || pass.text().empty()) return;
  std::string_view name = stem(pass.source()->path());
  uint32_t start = first_place(pass.text());
  size_t first = pass.text().find_first_not_of(" \t\r\n", start);
  if (first != std::string_view::npos) {
    const auto& comments = pass.tree().comments;
    bool has_block =
        !comments.empty() && comments[0].span.start == first && pass.text(comments[0].span).starts_with("/**");
    if (has_block) {
      std::string written = letters(title(pass.text(comments[0].span)));
      if (written == letters(name) || written == letters(name) + "harn") return;
      pass.report(comments[0].span, name).help(fmt::format("its first line must be `{}`", name));
      return;
    }
  }
  pass.report({start, std::min<uint32_t>(start + 1, static_cast<uint32_t>(pass.text().size()))}, name)
      .fix({"add one", {start, start}, fmt::format("/**\n * {}\n */\n\n", name), true});
}

}  // namespace

extern const Rule kRequireFileHeader = {
    .name = "require-file-header",
    .code = diag::Code::NoFileHeader,
    .module = check,
};

}  // namespace harn::lint
