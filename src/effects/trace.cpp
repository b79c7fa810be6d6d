#include "effects/trace.h"

namespace harn::effects {

SpanId Trace::begin(Span span, vm::Nanoseconds now) {
  std::lock_guard guard(lock_);
  span.id = ++last_;
  span.began = now - start_;
  open_.emplace(last_, std::move(span));
  return last_;
}

void Trace::end(SpanId id, vm::Nanoseconds now, SpanEnd end, std::string error) {
  std::lock_guard guard(lock_);
  auto node = open_.extract(id);
  Span& span = node.mapped();
  span.took = now - start_ - span.began;
  span.end = end;
  span.error = std::move(error);
  ended_(span);
}

void Trace::finish(vm::Nanoseconds now) {
  std::lock_guard guard(lock_);
  for (auto& [id, span] : open_) {
    span.took = now - start_ - span.began;
    ended_(span);
  }
  open_.clear();
}

}  // namespace harn::effects
