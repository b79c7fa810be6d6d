#include "effects/file_watch.h"

#include <mutex>

#include "base/mutex.h"
#include "base/shared_table.h"
#include "effects/watched_tree.h"
#include "net/readable.h"

namespace harn::effects {

namespace {

struct OpenedWatch {
  Mutex lock;  // tasks may share a stream
  std::string path;
  std::shared_ptr<WatchedTree> tree;
};

// The watches of a VM.
using Watches = SharedTable<uint64_t, std::shared_ptr<OpenedWatch>>;
Watches& watches() { return vm::Scheduler::current().scheduler->vm().local<Watches>(); }

// Until there is something to read. False: the task is to stop.
bool wait_for_changes(const OpenedWatch& watch, int64_t settle_ms) {
  auto completion = std::make_shared<vm::Completion>();
  auto wait = net::when_readable(watch.tree->descriptor(), std::chrono::milliseconds(settle_ms),
                                 [completion] { completion->finish(); });
  if (completion->wait("changes of files", vm::text_value(watch.path)) != vm::Wake::Cancelled) return true;
  net::cancel(wait);
  return false;
}

}  // namespace

vm::Outcome<uint64_t> carry_out(Run& run, const OpenWatch& request) {
  auto tree =
      on_file_thread("a directory", Leave::AtOnce,
                     [who = errand(run, request, "watch", Access::Read), path = request.path,
                      depth = request.is_recursive ? WatchedTree::Depth::Everything : WatchedTree::Depth::Entries](
                         Stop& stop) { return WatchedTree::open(who, path, depth, stop); });
  if (!tree) return file_error("watch_path:", request.path, tree.error());
  auto watch = std::make_shared<OpenedWatch>();
  watch->path = request.path;
  watch->tree = std::move(*tree);
  uint64_t number = watches().next_number();
  watches().put(number, std::move(watch));
  return number;
}

vm::Outcome<NextChanges::Answer> carry_out(Run&, const NextChanges& request) {
  auto watch = watches().find(request.watch).value_or(nullptr);
  if (!watch) return vm::throw_text(ErrorKind::Closed, "the watch is closed");
  for (;;) {
    if (watch->tree->is_over()) return NextChanges::Answer();
    if (!wait_for_changes(*watch, request.settle_ms)) return vm::stopped_error();
    auto changes = on_file_thread("a directory", Leave::AtOnce, [watch](Stop& stop) {
      std::lock_guard guard(watch->lock);
      return watch->tree->changes(stop);
    });
    if (!changes) return file_error("watch_path:", watch->path, changes.error());
    // A file that came and went is nothing to tell.
    if (!changes->empty()) return std::move(*changes);
  }
}

vm::Outcome<Done> carry_out(Run&, const CloseWatch& request) {
  watches().take(request.watch);
  return Done();
}

bool has_watches(vm::Vm& vm) { return vm.local<Watches>().count() > 0; }

}  // namespace harn::effects
