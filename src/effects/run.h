#pragma once

#include <any>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "effects/tape.h"
#include "vm/capability.h"
#include "vm/error.h"
#include "vm/handle.h"
#include "vm/host.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

// On whose behalf something is done to the world, and how far that may go.
//
// Every VM has one; a task has its creator's. `narrowed` makes one that may do less: there is no way to get more. Runs
// of one VM share its world: host, clock, what tests have put in place of it, and the tape.
namespace harn::effects {

// One kind of effect. A request type has one as `row`.
struct EffectRow {
  std::string_view name;  // as tapes have it
  vm::Capability capability;
  uint32_t version = 1;  // of the fields of request and answer
};

// Capability names; "process" stands for all that start with "process.", "*" for all but writing to the
// program's own output, which is how it answers.
struct Policy {
  std::vector<std::string> allow;  // empty: everything that is not denied
  std::vector<std::string> deny;   // wins
};

// What the runs of one VM share.
struct World {
  vm::Host& host;
  vm::Clock& clock;
  std::optional<uint64_t> seed;  // HARN_SEED: all randomness follows from it

  // Capabilities whose effects somebody answers or records: a bit each.
  std::atomic<uint32_t> attended{0};
  std::mutex lock;  // of what follows
  std::map<const EffectRow*, std::any> mocks;
  std::shared_ptr<Tape> tape;
};

class Run : public vm::HandleObject {
 public:
  // The VM's own: its policy is HARN_DENY.
  static Run& of(vm::Vm& vm) {
    return static_cast<Run&>(vm.run([&vm] { return make(vm); }));
  }
  // That of the running task.
  static Run& current(vm::Vm& vm) {
    vm::Task* task = vm::Scheduler::current_or_null();
    return task && task->run ? *static_cast<Run*>(task->run.get()) : of(vm);
  }
  static vm::Ref<Run> narrowed(const Run& outer, const Policy& policy);

  bool allows(vm::Capability capability) const { return allowed_ >> bit(capability) & 1; }
  // Whether an effect that needs this can simply be carried out.
  bool is_direct(vm::Capability capability) const {
    return (allowed_ & ~world_->attended.load(std::memory_order_acquire)) >> bit(capability) & 1;
  }

  World& world() { return *world_; }
  vm::Host& host() { return world_->host; }
  vm::Clock& clock() { return world_->clock; }

  // Null ends it.
  void set_tape(std::shared_ptr<Tape> tape);
  std::shared_ptr<Tape> tape();
  void set_mock(const EffectRow& row, std::any mock);
  void clear_mock(const EffectRow& row);
  std::any mock(const EffectRow& row);

 private:
  static vm::Ref<vm::HandleObject> make(vm::Vm& vm);
  static constexpr uint32_t bit(vm::Capability capability) { return static_cast<uint32_t>(capability); }
  void attend();  // with the world's lock held

  std::shared_ptr<World> world_;
  uint32_t allowed_ = 0;  // a bit for each capability
};

// capability denied: process.exec (git)
std::unexpected<vm::Thrown> denied(const EffectRow& row, std::string_view shown);

}  // namespace harn::effects
