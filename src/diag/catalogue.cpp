#include <algorithm>

#include "base/assert.h"
#include "diag/diagnostic.h"
#include "diag/explain.h"

namespace harn::diag {

const std::vector<CodeRow>& code_rows() {
  static const std::vector<CodeRow> rows = {
#define HARN_DIAG(code, name, severity, title, text) {Code::name, code, #name, Severity::severity, title, text},
#include "diag/codes.def"
#undef HARN_DIAG
  };
  return rows;
}

const CodeRow& row(Code code) {
  auto index = static_cast<size_t>(code);
  HARN_ASSERT(index < code_rows().size(), "a diagnostic code without a row");
  return code_rows()[index];
}

const CodeRow* find_code(std::string_view id) {
  const auto& rows = code_rows();
  auto found = std::find_if(rows.begin(), rows.end(), [&](const CodeRow& r) { return r.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

std::string_view explanation(std::string_view id) {
  for (unsigned i = 0; i < kExplanationCount; ++i) {
    if (kExplanations[i].id == id) return kExplanations[i].page;
  }
  return {};
}

}  // namespace harn::diag
