#include "net/readable.h"

#include <optional>
#include <utility>

namespace harn::net {

// Lives on the I/O thread, which holds it until it is over.
class ReadableWait : public std::enable_shared_from_this<ReadableWait> {
 public:
  ReadableWait(std::shared_ptr<const Descriptor> descriptor, std::chrono::milliseconds settle, Job done)
      : descriptor_(std::move(descriptor)), settle_(settle), done_(std::move(done)) {}

  void begin() {
    if (!done_) return;  // cancelled before
    self_ = shared_from_this();
    timer_.emplace([this] { end(); });
    watch_.emplace(descriptor_->get(), [this](FdWatch::Events) {
      watch_->want(FdWatch::kNone);
      timer_->start(settle_);
    });
    watch_->want(FdWatch::kRead);
  }

  void end() {
    if (!done_) return;
    auto self = std::move(self_);
    watch_.reset();
    timer_.reset();
    std::exchange(done_, nullptr)();
  }

 private:
  std::shared_ptr<const Descriptor> descriptor_;
  std::chrono::milliseconds settle_;
  Job done_;
  std::shared_ptr<ReadableWait> self_;  // while it waits
  std::optional<FdWatch> watch_;
  std::optional<LoopTimer> timer_;
};

std::shared_ptr<ReadableWait> when_readable(std::shared_ptr<const Descriptor> descriptor,
                                            std::chrono::milliseconds settle, Job done) {
  auto wait = std::make_shared<ReadableWait>(std::move(descriptor), settle, std::move(done));
  post([wait] { wait->begin(); });
  return wait;
}

void cancel(const std::shared_ptr<ReadableWait>& wait) {
  post([wait] { wait->end(); });
}

}  // namespace harn::net
