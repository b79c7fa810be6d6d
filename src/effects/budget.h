#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "vm/capability.h"

// How much a run may do to the world.
//
// What an effect costs is taken out before it begins, of every budget from the run's own outwards, or of none: tasks on
// several workers together never get more than there is. What was not used in the end is given back.
namespace harn::effects {

// So many effects of what `name` means in a policy ("process.exec", "network", "*").
struct Limit {
  std::string name;
  int64_t most = 0;
};

class Budget {
 public:
  Budget(std::shared_ptr<Budget> outer, std::vector<Limit> limits);

  // A bit for each capability that this one or an outer one limits.
  uint32_t limited() const { return limited_; }
  // Nothing, or the limit that does not allow it; then nothing was taken.
  std::optional<Limit> take(vm::Capability capability, int64_t effects = 1);
  void give_back(vm::Capability capability, int64_t effects = 1);

 private:
  struct Account {
    Limit limit;
    uint32_t capabilities;  // a bit each
    int64_t used = 0;
  };
  bool fits(vm::Capability capability, int64_t effects, std::optional<Limit>& broken);
  void add(vm::Capability capability, int64_t effects);

  const std::shared_ptr<Budget> outer_;
  std::shared_ptr<Mutex> lock_;  // one for a budget and its outer ones
  std::vector<Account> accounts_;
  uint32_t limited_ = 0;
};

}  // namespace harn::effects
