#include "templates/renders.h"

#include <algorithm>
#include <tuple>

namespace harn::templates {

void Renders::keep(Render render) {
  all_.push_back(std::move(render));
  if (all_.size() > kMost) all_.pop_front();
}

const Render* Renders::find(std::string_view id) const {
  auto found = std::ranges::find(all_, id, &Render::id);
  return found == all_.end() ? nullptr : &*found;
}

const Span* span_at(const std::vector<Span>& spans, size_t offset) {
  constexpr std::string_view kBestFirst[] = {"expr", "legacy_bare", "text", "include", "for_iteration", "if"};
  auto rank = [&](const Span& span) {
    return std::tuple(std::ranges::find(kBestFirst, span.kind) - std::begin(kBestFirst), span.end - span.start);
  };
  const Span* best = nullptr;
  for (const Span& span : spans) {
    bool covers = span.start <= offset && offset < span.end;
    if (covers && (!best || rank(span) < rank(*best))) best = &span;
  }
  return best;
}

std::vector<const Span*> spans_of(const std::vector<Span>& spans, std::string_view uri, uint32_t line) {
  std::vector<const Span*> found;
  for (const Span& span : spans) {
    if (span.place.line == line && span.origin && span.origin->uri == uri) found.push_back(&span);
  }
  std::ranges::stable_sort(found, {}, &Span::start);
  return found;
}

}  // namespace harn::templates
