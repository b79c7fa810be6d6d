#include "lint/apply.h"

#include <algorithm>
#include <vector>

namespace harn::lint {

const diag::Fix* fix_of(const diag::Diagnostic& diagnostic, Fixes fixes) {
  for (const diag::Fix& fix : diagnostic.fixes) {
    if (fix.safe || fixes == Fixes::All) return &fix;
  }
  return nullptr;
}

// New lines end as those of the file do.
static std::string with_endings(const std::string& replacement, bool is_crlf) {
  if (!is_crlf) return replacement;
  std::string out;
  for (char c : replacement) {
    if (c == '\n' && !out.ends_with('\r')) out += '\r';
    out += c;
  }
  return out;
}

Fixed apply(std::string_view text, std::span<const diag::Diagnostic* const> problems, Fixes fixes) {
  std::vector<const diag::Fix*> edits;
  for (const diag::Diagnostic* problem : problems) {
    const diag::Fix* fix = fix_of(*problem, fixes);
    if (fix && fix->span.end <= text.size()) edits.push_back(fix);
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const diag::Fix* a, const diag::Fix* b) { return a->span.start < b->span.start; });
  Fixed out;
  size_t done = 0;
  bool is_first = true;
  size_t line = text.find('\n');
  bool is_crlf = line != text.npos && line > 0 && text[line - 1] == '\r';
  for (const diag::Fix* edit : edits) {
    // Edits that meet at a point have no order of their own.
    if (!is_first && edit->span.start <= done) continue;
    out.text += text.substr(done, edit->span.start - done);
    out.text += with_endings(edit->replacement, is_crlf);
    done = edit->span.end;
    is_first = false;
    ++out.count;
  }
  out.text += text.substr(done);
  return out;
}

}  // namespace harn::lint
