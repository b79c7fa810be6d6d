#include "effects/state.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/fmt.h"
#include "base/mutex.h"
#include "effects/file_failure.h"

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
  Mutex lock_;
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

Result<std::filesystem::path> real_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path real = fs::weakly_canonical(path, failed);
  if (failed) {
    FileFailure found = failure_of(failed.value());
    return fail(found.kind, fmt::format("{}: {}", path, found.reason));
  }
  bool is_dangling = fs::is_symlink(fs::symlink_status(path, failed)) && !fs::exists(path, failed);
  if (is_dangling) return fail(ErrorKind::Denied, fmt::format("{}: is a link that leads to nothing", path));
  return real;
}

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

vm::Outcome<std::string> state_path(Run& run, const std::string& file) {
  std::string root = HARN_TRY(state_root(run));
  std::string path = root + "/" + file;
  bool is_set = false;
  bool is_named = !run.host().env("HARN_STATE_DIR", is_set).empty();
  auto real_home = real_path(HARN_TRY(from_home(run, "."))), real_root = real_path(root), real = real_path(path);
  bool is_inside =
      real && real_root && is_below(*real, *real_root) && (is_named || (real_home && is_below(*real_root, *real_home)));
  if (is_inside) return path;
  return vm::throw_text(ErrorKind::Denied,
                        "sandbox violation: '{}' is a link, or behind one, that leads out of the state root", path);
}

}  // namespace harn::effects
