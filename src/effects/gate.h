#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "vm/builtin.h"
#include "vm/error.h"
#include "vm/host.h"

// The gate: the one place every effect on the world passes before it happens.
namespace harn::effects {

struct Effect {
  std::string_view capability;  // "process.exec", "network.access"
  std::string_view subject;     // what it is about, in full: a command, a URL. May hold secrets
  std::string_view shown;       // the same for messages: without secrets
};

// Capability names; "process" stands for all that start with "process.", "*" for all.
struct Policy {
  std::vector<std::string> allow;  // empty: everything that is not denied
  std::vector<std::string> deny;   // wins
};

// One per VM. Tasks on all workers pass it.
class Gate {
 public:
  // Asked after the policy, in the order they were added; an error stops the effect.
  using Hook = std::function<vm::Outcome<void>(vm::Call& call, const Effect& effect)>;

  vm::Outcome<void> pass(vm::Call& call, const Effect& effect);

  void set_policy(Policy policy);
  void add_hook(Hook hook);
  // How many effects of this kind were let through.
  uint64_t passed(std::string_view capability);

 private:
  void read_environment(vm::Host& host);
  bool is_allowed(std::string_view capability) const;

  std::mutex lock_;
  bool has_environment_ = false;
  Policy policy_;
  std::vector<std::string> denied_outside_;  // HARN_DENY: a program's own policy cannot lift it
  std::vector<Hook> hooks_;
  std::map<std::string, uint64_t, std::less<>> passed_;
};

// Lets the effect happen, or gives the error to throw: `capability denied: process.exec (git)`.
vm::Outcome<void> pass(vm::Call& call, const Effect& effect);

}  // namespace harn::effects
