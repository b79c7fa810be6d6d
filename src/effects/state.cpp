#include "effects/state.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/result.h"

namespace harn::effects {

namespace {

// A folder for programs without a home. Those that use it share it; it goes with the last of them.
class TemporaryHome {
 public:
  ~TemporaryHome() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  // Made when first asked for; empty when it cannot be.
  std::string path(vm::Host& host) {
    std::lock_guard guard(lock_);
    if (!path_.empty()) return path_;
    bool found = false;
    std::string folder = host.env("TMPDIR", found);
    std::string made = (found && !folder.empty() ? folder : "/tmp") + "/harn-state-XXXXXX";
    if (mkdtemp(made.data())) path_ = std::move(made);
    return path_;
  }

 private:
  std::mutex lock_;
  std::string path_;
};

// Of a VM. Its tasks share it.
struct StatePlace {
  StateHome home;
  std::shared_ptr<TemporaryHome> temporary = std::make_shared<TemporaryHome>();
};

}  // namespace

void set_state_home(vm::Vm& vm, StateHome home) { vm.local<StatePlace>().home = std::move(home); }
const StateHome& state_home(vm::Vm& vm) { return vm.local<StatePlace>().home; }

vm::Vm& current_vm() { return vm::Scheduler::current().scheduler->vm(); }

std::shared_ptr<const void> hold_home() { return current_vm().local<StatePlace>().temporary; }

vm::Outcome<std::string> from_home(Run& run, const std::string& path) {
  if (path.starts_with('/')) return path;
  StatePlace& place = current_vm().local<StatePlace>();
  bool has_home = place.home.kind != StateHome::Kind::None;
  std::string home = has_home ? place.home.folder : place.temporary->path(run.host());
  if (!home.empty()) return home + "/" + path;
  return vm::runtime_error(ErrorKind::Io, "a temporary folder for the program's state cannot be made");
}

vm::Outcome<std::string> state_root(Run& run) {
  bool found = false;
  std::string given = run.host().env("HARN_STATE_DIR", found);
  return from_home(run, found && !given.empty() ? given : ".harn");
}

}  // namespace harn::effects
