#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "vm/fiber.h"
#include "vm/objects.h"

// Tasks that wait for something to happen to a connection. Held by the connection's callback and by whoever asks: the I/O
// thread wakes them all, and each asks again.
namespace harn::effects {

class Waiters {
 public:
  // Asks until there is an answer; fails when the task is told to stop. Nothing: not by then.
  template <class Ask>
  auto wait_until(vm::Nanoseconds due, const char* what, const std::string& shown, Ask ask)
      -> vm::Outcome<decltype(ask())> {
    for (;;) {
      Place place(*this);  // before asking: what happens from now on is not missed
      if (auto answer = ask()) return answer;
      switch (place.completion->wait(what, vm::text_value(shown), due)) {
        case vm::Wake::Cancelled: return vm::stopped_error();
        case vm::Wake::Timeout: return ask();
        default: break;
      }
    }
  }

  void wake_all() {
    std::vector<std::shared_ptr<vm::Completion>> woken;
    {
      std::lock_guard guard(lock_);
      woken.swap(waiting_);
    }
    for (auto& completion : woken) completion->finish();
  }

 private:
  // In line, for as long as it lives.
  struct Place {
    explicit Place(Waiters& waiters) : waiters(waiters) {
      std::lock_guard guard(waiters.lock_);
      waiters.waiting_.push_back(completion);
    }
    ~Place() {
      std::lock_guard guard(waiters.lock_);
      std::erase(waiters.waiting_, completion);
    }
    Waiters& waiters;
    std::shared_ptr<vm::Completion> completion = std::make_shared<vm::Completion>();
  };

  Mutex lock_;
  std::vector<std::shared_ptr<vm::Completion>> waiting_;
};

}  // namespace harn::effects
