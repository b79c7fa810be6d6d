#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/mutex.h"
#include "vm/clock.h"

// What a run has done to the world, and how long that took.
//
// A span is an effect, or a piece of work that somebody has named; effects inside of it have it as their parent. Spans
// hold no secrets. Used by all tasks at once.
namespace harn::effects {

using SpanId = uint64_t;  // 0: none

enum class SpanEnd : uint8_t { Open, Done, Failed, Denied, OverBudget, Mocked, Replayed };

struct Span {
  SpanId id = 0;
  SpanId parent = 0;
  uint64_t task = 0;
  std::string name;   // "process.run"
  std::string shown;  // "git"
  std::string identity;
  vm::Nanoseconds began = 0;  // from the start of the trace
  vm::Nanoseconds took = 0;
  SpanEnd end = SpanEnd::Open;
  std::string error;
};

class Trace {
 public:
  // `ended` is called by one thread at a time.
  Trace(vm::Nanoseconds start, std::function<void(const Span&)> ended) : start_(start), ended_(std::move(ended)) {}

  SpanId begin(Span span, vm::Nanoseconds now);
  void end(SpanId id, vm::Nanoseconds now, SpanEnd end, std::string error = {});
  // Tells of those that have not ended, too.
  void finish(vm::Nanoseconds now);

 private:
  const vm::Nanoseconds start_;
  const std::function<void(const Span&)> ended_;
  Mutex lock_;
  SpanId last_ = 0;
  std::map<SpanId, Span> open_;
};

}  // namespace harn::effects
