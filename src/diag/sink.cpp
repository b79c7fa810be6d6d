#include "diag/diagnostic.h"

namespace harn::diag {

bool Sink::has_room(Code code) {
  if (row(code).severity == Severity::Error) ++errors_;
  if (diagnostics_.size() < kMost) return true;
  ++dropped_;
  return false;
}

Report Sink::add(Code code, const SourcePtr& source, Span span, std::string message) {
  diagnostics_.push_back({.code = code,
                          .severity = row(code).severity,
                          .message = std::move(message),
                          .source = source,
                          .span = span});
  return Report(&diagnostics_.back());
}

void Sink::clear() {
  diagnostics_.clear();
  errors_ = 0;
  dropped_ = 0;
}

}  // namespace harn::diag
