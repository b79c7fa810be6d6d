#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "vm/clock.h"
#include "vm/vm.h"

// How many requests a minute go to a provider. Of a VM; shared by all tasks.
namespace harn::llm {

class RateLimits {
 public:
  static RateLimits& of(vm::Vm& vm) { return vm.local<RateLimits>(); }

  // Nothing, or 0 and less: no limit.
  void set(std::string_view provider, std::optional<int64_t> rpm);
  std::optional<int64_t> get(std::string_view provider);
  // Takes the place of one request; the value is when it may be sent. Those who come later get later places.
  vm::Nanoseconds take_place(std::string_view provider, vm::Nanoseconds now);

 private:
  struct Limit {
    int64_t rpm = 0;
    std::deque<vm::Nanoseconds> taken;  // the last `rpm` places, in order
  };
  Mutex lock_;
  std::map<std::string, Limit, std::less<>> limits_;
};

}  // namespace harn::llm
