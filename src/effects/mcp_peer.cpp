#include "effects/mcp_peer.h"

#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "base/mutex.h"
#include "vm/fiber.h"
#include "vm/job_pool.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::effects {

using namespace vm;

namespace {

// Held by those who write, too: the program may end in the middle.
struct Peer {
  Mutex lock;
  int descriptor = -1;

  bool write(std::string_view text) {
    std::lock_guard guard(lock);
    while (!text.empty()) {
      ssize_t size = ::write(descriptor, text.data(), text.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return false;
      text.remove_prefix(static_cast<size_t>(size));
    }
    return true;
  }
};
struct Peers {
  std::shared_ptr<Peer> peer = std::make_shared<Peer>();
};

}  // namespace

void set_mcp_peer(Vm& vm, int descriptor) { vm.local<Peers>().peer->descriptor = descriptor; }

Outcome<bool> carry_out(Run&, const SayToMcpPeer& request) {
  struct Shared {
    std::shared_ptr<Peer> peer;
    std::string text;
    bool is_said = false;
  };
  auto shared = std::make_shared<Shared>();
  shared->peer = Scheduler::current().scheduler->vm().local<Peers>().peer;
  if (shared->peer->descriptor < 0) return false;
  shared->text = request.line + "\n";
  auto work = [shared] { shared->is_said = shared->peer->write(shared->text); };
  if (run_blocking("an MCP client", work) == Wake::Cancelled) return stopped_error();
  return shared->is_said;
}

}  // namespace harn::effects
