#include <algorithm>

#include "diag/diagnostic.h"

namespace harn::diag {

Report& Report::label(std::string text) {
  if (diagnostic_) diagnostic_->label = std::move(text);
  return *this;
}

Report& Report::label(SourcePtr source, Span span, std::string text) {
  if (diagnostic_) diagnostic_->labels.push_back({std::move(source), span, std::move(text)});
  return *this;
}

Report& Report::help(std::string text) {
  if (diagnostic_) diagnostic_->helps.push_back(std::move(text));
  return *this;
}

Report& Report::fix(Fix fix) {
  if (diagnostic_) diagnostic_->fixes.push_back(std::move(fix));
  return *this;
}

bool Sink::has_room(Code code) {
  if (row(code).severity == Severity::Error) ++errors_;
  if (diagnostics_.size() < most_) return true;
  ++dropped_;
  return false;
}

Report Sink::add(Code code, const SourcePtr& source, Span span, std::string message) {
  diagnostics_.push_back(
      {.code = code, .severity = row(code).severity, .message = std::move(message), .source = source, .span = span});
  return Report(&diagnostics_.back());
}

void Sink::sort_by_place(size_t first) {
  std::vector<const SourceFile*> sources;  // in the order in which they were first reported
  auto rank = [&](const Diagnostic& one) {
    return std::find(sources.begin(), sources.end(), one.source.get()) - sources.begin();
  };
  for (size_t i = first; i < diagnostics_.size(); ++i) {
    if (rank(diagnostics_[i]) == std::ssize(sources)) sources.push_back(diagnostics_[i].source.get());
  }
  std::stable_sort(diagnostics_.begin() + static_cast<ptrdiff_t>(first), diagnostics_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) {
                     return std::pair(rank(a), a.span.start) < std::pair(rank(b), b.span.start);
                   });
}

void Sink::clear() {
  diagnostics_.clear();
  errors_ = 0;
  dropped_ = 0;
}

}  // namespace harn::diag
