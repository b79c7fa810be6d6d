#pragma once

#include <chrono>
#include <memory>

#include "base/descriptor.h"
#include "net/loop.h"

// Waiting for a descriptor that seldom has something to read, without a thread for each.
namespace harn::net {

class ReadableWait;

// Calls `done` once, on the I/O thread: when the descriptor can be read and `settle` has passed since, or the wait was
// cancelled. The descriptor is held until then. Any thread.
std::shared_ptr<ReadableWait> when_readable(std::shared_ptr<const Descriptor> descriptor,
                                            std::chrono::milliseconds settle, Job done);
// One that is over stays so. Any thread.
void cancel(const std::shared_ptr<ReadableWait>& wait);

}  // namespace harn::net
