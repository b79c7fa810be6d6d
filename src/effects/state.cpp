#include "effects/state.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/result.h"

namespace harn::effects {

namespace {

// Of a VM. Its tasks share it.
class StatePlace {
 public:
  ~StatePlace() {
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  }

  // Empty when it cannot be made.
  std::string temporary(vm::Host& host) {
    std::lock_guard guard(lock_);
    if (!temporary_.empty()) return temporary_;
    bool found = false;
    std::string folder = host.env("TMPDIR", found);
    std::string made = (found && !folder.empty() ? folder : "/tmp") + "/harn-state-XXXXXX";
    if (mkdtemp(made.data())) temporary_ = std::move(made);
    return temporary_;
  }

  StateHome home;

 private:
  std::mutex lock_;
  std::string temporary_;
};

}  // namespace

void set_state_home(vm::Vm& vm, StateHome home) { vm.local<StatePlace>().home = std::move(home); }
const StateHome& state_home(vm::Vm& vm) { return vm.local<StatePlace>().home; }

vm::Vm& current_vm() { return vm::Scheduler::current().scheduler->vm(); }

vm::Outcome<std::string> from_home(Run& run, const std::string& path) {
  if (path.starts_with('/')) return path;
  StatePlace& place = current_vm().local<StatePlace>();
  bool has_home = place.home.kind != StateHome::Kind::None;
  std::string home = has_home ? place.home.folder : place.temporary(run.host());
  if (!home.empty()) return home + "/" + path;
  return vm::runtime_error(ErrorKind::Io, "a temporary folder for the program's state cannot be made");
}

vm::Outcome<std::string> state_root(Run& run) {
  bool found = false;
  std::string given = run.host().env("HARN_STATE_DIR", found);
  return from_home(run, found && !given.empty() ? given : ".harn");
}

}  // namespace harn::effects
