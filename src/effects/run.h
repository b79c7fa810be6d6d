#pragma once

#include <any>
#include <atomic>
#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "effects/budget.h"
#include "effects/egress.h"
#include "effects/policy.h"
#include "effects/replay.h"
#include "effects/tape.h"
#include "effects/trace.h"
#include "effects/workspace.h"
#include "vm/error.h"
#include "vm/fiber.h"
#include "vm/handle.h"
#include "vm/host.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

// On whose behalf something is done to the world, and how far that may go.
//
// Every VM has one; a task has its creator's. `within` makes one that may do less: there is no way to get more. Runs
// of one VM share its world: host, clock, what tests have put in place of it, recording, replay and trace.
namespace harn::effects {

// One kind of effect. A request type has one as `row`.
struct EffectRow {
  std::string_view name;  // as tapes have it
  vm::Capability capability;
  uint32_t version = 1;        // of the fields of request and answer
  bool is_own_output = false;  // done in a replay, too
};

// What a program is started with: what it may do, and what its randomness follows from.
struct Authority {
  Policy policy;
  std::optional<uint64_t> seed;
  std::optional<EgressRules> egress = {};  // none: the program may set them
};

// What the runs of one VM share.
struct World {
  vm::Host& host;
  vm::Clock& clock;
  std::optional<uint64_t> seed;  // all randomness follows from it

  // Capabilities whose effects somebody answers or records: a bit each.
  std::atomic<uint32_t> attended{0};
  Mutex lock;  // of what follows
  std::map<const EffectRow*, std::any> mocks;
  // At most one of the two.
  std::shared_ptr<Recorder> recorder;
  std::shared_ptr<Player> player;
  std::shared_ptr<Trace> trace;
  std::shared_ptr<const EgressRules> egress;  // set once, or null
  // Variables of the environment that the program has set; nothing: taken away.
  std::map<std::string, std::optional<std::string>, std::less<>> variables;

  // See approval.h.
  uint32_t asked_from_outside = 0;        // capabilities that the VM's own run asks about
  std::set<std::string> approved_always;  // what nobody wants to be asked about again
  bool asking = false;
  std::deque<std::shared_ptr<vm::Completion>> waiting_to_ask;

  std::atomic<bool> has_warned_unconfined{false};  // of children, see effects/process.cpp
  SharedSecrets secrets;
};

// What a run has of its own; the rest is that of the one it is made within.
struct RunPart {
  Policy policy = {};
  std::vector<Limit> limits = {};
  std::string identity = {};  // who asked for it: a user, an agent, a trigger; empty: as before
  SpanId parent = 0;          // the span that its effects are part of; 0: as before
};

extern const vm::HandleType kRunType;

class Run : public vm::HandleObject {
 public:
  // Gives the VM its own, before anything runs on it.
  static void begin(vm::Vm& vm, Authority authority, const Policy& sandbox = {}) {
    Policy& policy = authority.policy;
    policy.deny.insert(policy.deny.end(), sandbox.deny.begin(), sandbox.deny.end());
    policy.ask.insert(policy.ask.end(), sandbox.ask.begin(), sandbox.ask.end());
    if (sandbox.workspace) policy.workspace = sandbox.workspace;
    vm.run([&] { return make(vm, authority); });
  }
  // HARN_DENY, HARN_SEED, HARN_EGRESS_*.
  static Authority environment_authority(vm::Host& host);
  // The VM's own. Where nobody has begun it, the environment decides.
  static Run& of(vm::Vm& vm) {
    return static_cast<Run&>(vm.run([&vm] { return make(vm, environment_authority(vm.host())); }));
  }
  // That of the running task.
  static Run& current(vm::Vm& vm) {
    vm::Task* task = vm::Scheduler::current_or_null();
    return task && task->run ? *static_cast<Run*>(task->run.get()) : of(vm);
  }
  static vm::Ref<Run> within(const Run& outer, RunPart part);
  // From now on it may do no more than this, too.
  void narrow(const Policy& policy) { narrow(this, policy); }

  bool allows(vm::Capability capability) const { return allowed_ & bit_of(capability); }
  // Whether a person has to be asked, where it is allowed.
  bool asks(vm::Capability capability) const { return asked_ & bit_of(capability); }
  bool must_confine() const { return must_confine_; }
  const ChildVariables& child_variables() const { return child_variables_; }
  // Whether an effect that needs this can simply be carried out.
  bool is_direct(vm::Capability capability) const {
    return direct_ & ~world_->attended.load(std::memory_order_acquire) & bit_of(capability);
  }
  // Null: nothing is limited.
  Budget* budget() const { return budget_.get(); }
  const std::string& identity() const { return identity_; }
  SpanId trace_parent() const { return trace_parent_; }
  // Null: all of the file system.
  const std::shared_ptr<const Workspace>& workspace() const { return workspace_; }

  World& world() { return *world_; }
  vm::Host& host() { return world_->host; }
  vm::Clock& clock() { return world_->clock; }

  // Null ends it.
  void record(std::shared_ptr<Recorder> recorder);
  void replay(std::shared_ptr<Player> player);
  void trace(std::shared_ptr<Trace> trace);
  // What attends to the effects of all runs; null where there is none.
  struct Attending {
    std::shared_ptr<Recorder> recorder;
    std::shared_ptr<Player> player;
    std::shared_ptr<Trace> trace;
  };
  Attending attending();
  // Rules about connections; null: there are none.
  std::shared_ptr<const EgressRules> egress();
  // For all runs of the VM, once. Fails with the source of those that are there.
  std::expected<void, std::string> set_egress(EgressRules rules);
  void set_mock(const EffectRow& row, std::any mock);
  void clear_mock(const EffectRow& row);
  std::any mock(const EffectRow& row);

 private:
  static vm::Ref<vm::HandleObject> make(vm::Vm& vm, const Authority& authority);
  void attend();  // with the world's lock held
  // By a policy, from what everybody may do or what an outer run may.
  void narrow(const Run* outer, const Policy& policy);

  std::shared_ptr<World> world_;
  uint32_t allowed_ = 0;  // a bit for each capability
  uint32_t asked_ = 0;
  uint32_t direct_ = 0;  // allowed, and neither asked about nor limited
  bool must_confine_ = false;
  ChildVariables child_variables_;
  std::shared_ptr<Budget> budget_;
  std::string identity_;
  SpanId trace_parent_ = 0;
  std::shared_ptr<const Workspace> workspace_;
};

// capability denied: process.exec (git)
std::unexpected<vm::Thrown> denied(const EffectRow& row, std::string_view shown);
// limit reached: at most 5 of process.exec (git)
std::unexpected<vm::Thrown> over_budget(const EffectRow& row, const Limit& limit, std::string_view shown);

}  // namespace harn::effects
