#include <algorithm>
#include <span>
#include <unordered_map>

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

// Sources come in the order in which they were first reported. `get` makes a pointer of an item.
template <class Item, class Get>
static void sort_places(std::span<Item> items, Get get) {
  std::unordered_map<const SourceFile*, size_t> ranks;
  for (const Item& item : items) ranks.try_emplace(get(item)->source.get(), ranks.size());
  auto place = [&](const Item& item) { return std::pair(ranks.at(get(item)->source.get()), get(item)->span.start); };
  std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return place(a) < place(b); });
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

void Sink::add(const Diagnostic& diagnostic) {
  if (has_room(diagnostic.code)) diagnostics_.push_back(diagnostic);
}

void Sink::sort_by_place(size_t first) {
  sort_places(std::span(diagnostics_).subspan(first), [](const Diagnostic& one) { return &one; });
}

void sort_by_place(std::vector<const Diagnostic*>& diagnostics) {
  sort_places(std::span(diagnostics), [](const Diagnostic* one) { return one; });
}

void Sink::clear() {
  diagnostics_.clear();
  errors_ = 0;
  dropped_ = 0;
}

}  // namespace harn::diag
