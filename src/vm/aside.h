#pragma once

#include <functional>
#include <memory>

#include "vm/objects.h"

// Work of a library that cannot be stopped in the middle, on another thread (job_pool.h).
//
// One search of RE2 in a large text, or one run of a parser, takes as long as it takes. The task that needs
// the answer hands the work to a helper and waits; its worker runs other tasks meanwhile, if there are any. When the
// task has to stop, it leaves by `Stopped` at once, and the work goes on for nobody until it ends.
//
//   auto search = std::make_shared<Search>(...);   // owned by the work, too: it may outlive the call
//   run_aside([search] { search->run(); }, text);
namespace harn::vm {

// Texts of this size are worth the way to another thread and back, which takes some 20 microseconds. Shorter
// ones are done with in a few milliseconds, whatever the pattern.
constexpr size_t kLongText = 64 * 1024;

// Runs `work` and returns when it has ended; what it throws is thrown here. It must neither make nor touch
// values: those are counted by the task that owns them. `keeps` is what it reads, a string or bytes, or nil.
void run_aside(std::function<void()> work, const Value& keeps);

// The answer of `read`, which reads the text and is asked aside when that is long.
template <class Read>
auto read_aside(const Value& text, Read read) {
  if (text.as_string()->size < kLongText) return read();
  auto answer = std::make_shared<decltype(read())>();
  run_aside([=] { *answer = read(); }, text);
  return std::move(*answer);
}

// Frees what such work has made, which may take as long, and does not wait for it.
void drop_aside(std::shared_ptr<void> made);

}  // namespace harn::vm
