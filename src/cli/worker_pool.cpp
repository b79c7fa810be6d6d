#include "cli/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/fmt.h"
#include "cli/files.h"

namespace harn::cli {

using Clock = std::chrono::steady_clock;

// ---- in the child ----

static std::atomic<vm::Vm*> timed_vm;
static std::atomic<bool> time_is_up;

static void on_alarm(int) {
  time_is_up = true;
  if (vm::Vm* vm = timed_vm.load()) vm->stop(vm::StopReason::Timeout);
}

TimeoutTarget::TimeoutTarget(vm::Vm& vm) {
  timed_vm = &vm;
  if (time_is_up) vm.stop(vm::StopReason::Timeout);
}

TimeoutTarget::~TimeoutTarget() { timed_vm = nullptr; }

namespace {

bool read_fully(int fd, void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    ssize_t got = ::read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool write_fully(int fd, const void* from, size_t size) {
  auto* at = static_cast<const char*>(from);
  while (size > 0) {
    ssize_t put = ::write(fd, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    at += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

// Answers job numbers with payloads until the parent closes the pipe. Leaves without the parent's
// clean-up: the buffers and files of the parent are the parent's.
[[noreturn]] void serve(int requests, int replies, const Job& job) {
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  uint32_t number;
  while (read_fully(requests, &number, sizeof number)) {
    time_is_up = false;
    std::string payload = job(number);
    uint64_t size = payload.size();
    if (!write_fully(replies, &size, sizeof size) || !write_fully(replies, payload.data(), size)) break;
  }
  _exit(0);
}

// ---- in the parent ----

struct Worker {
  pid_t pid = -1;
  int requests = -1;
  int replies = -1;
  size_t lane = 0;
  size_t position = 0;  // in the lane, of the job it works on
  bool busy = false;
  bool warned = false;  // its time is up and it was told so
  Clock::time_point start;
  Clock::time_point deadline;
  std::string received;
};

class Pool {
 public:
  Pool(const std::vector<std::vector<uint32_t>>& lanes, const Job& job, PoolOptions options,
       const std::function<void(uint32_t, JobOutcome)>& done)
      : lanes_(lanes),
        job_(job),
        options_(options),
        done_(done),
        workers_(std::min(std::max<size_t>(options.workers, 1), lanes.size())) {}

  Result<void> run() {
    for (Worker& worker : workers_) take_lane(worker);
    while (wait_for_replies()) {}
    for (Worker& worker : workers_) dismiss(worker);
    if (failure_.empty()) return {};
    return fail(ErrorKind::Io, std::move(failure_));
  }

 private:
  // How long a job has to unwind after its time was up.
  static constexpr auto kGrace = std::chrono::seconds(2);

  bool start(Worker& worker) {
    int request[2] = {-1, -1}, reply[2] = {-1, -1};
    bool made = pipe(request) == 0 && pipe(reply) == 0;
    const pid_t parent = getpid();
    if (made) worker.pid = fork();
    if (worker.pid < 0) {
      failure_ = fmt::format("cannot start a process for the tests: {}", reason(errno));
      for (int fd : {request[0], request[1], reply[0], reply[1]}) {
        if (fd >= 0) close(fd);
      }
      return false;
    }
    if (worker.pid == 0) {
      // A test that never ends must not outlive the command that runs it, however that ended.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);  // it ended before the line above
      for (Worker& other : workers_) {
        if (other.requests >= 0) close(other.requests);
        if (other.replies >= 0) close(other.replies);
      }
      close(request[1]);
      close(reply[0]);
      serve(request[0], reply[1], job_);
    }
    close(request[0]);
    close(reply[1]);
    worker.requests = request[1];
    worker.replies = reply[0];
    worker.received.clear();
    return true;
  }

  void dismiss(Worker& worker) {
    if (worker.pid < 0) return;
    close(worker.requests);
    close(worker.replies);
    waitpid(worker.pid, nullptr, 0);
    worker.pid = worker.requests = worker.replies = -1;
  }

  void take_lane(Worker& worker) {
    worker.busy = false;
    while (next_lane_ < lanes_.size() && lanes_[next_lane_].empty()) ++next_lane_;
    if (next_lane_ == lanes_.size() || !failure_.empty()) return;
    worker.lane = next_lane_++;
    worker.position = 0;
    send(worker);
  }

  void send(Worker& worker) {
    worker.busy = worker.pid >= 0 || start(worker);
    if (!worker.busy) return;
    worker.warned = false;
    worker.start = Clock::now();
    worker.deadline = worker.start + std::chrono::milliseconds(options_.timeout_ms);
    uint32_t number = lanes_[worker.lane][worker.position];
    write_fully(worker.requests, &number, sizeof number);  // a dead child shows as an ended pipe
  }

  void finish(Worker& worker, JobOutcome outcome) {
    outcome.ms = std::chrono::duration<double, std::milli>(Clock::now() - worker.start).count();
    if (worker.warned) outcome.how = JobOutcome::How::TimedOut;
    done_(lanes_[worker.lane][worker.position], std::move(outcome));
    if (++worker.position < lanes_[worker.lane].size()) send(worker);
    else take_lane(worker);
  }

  bool wait_for_replies() {
    std::vector<pollfd> waits;
    std::vector<Worker*> waiting;
    Clock::time_point soonest = Clock::time_point::max();
    for (Worker& worker : workers_) {
      if (!worker.busy) continue;
      waits.push_back({worker.replies, POLLIN, 0});
      waiting.push_back(&worker);
      soonest = std::min(soonest, worker.deadline);
    }
    if (waits.empty()) return false;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(soonest - Clock::now()).count();
    poll(waits.data(), waits.size(), static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) receive(*waiting[i]);
      else if (Clock::now() >= waiting[i]->deadline) overdue(*waiting[i]);
    }
    return true;
  }

  void receive(Worker& worker) {
    char block[64 * 1024];
    ssize_t got = ::read(worker.replies, block, sizeof block);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return lost(worker);
    worker.received.append(block, static_cast<size_t>(got));
    uint64_t size;
    if (worker.received.size() < sizeof size) return;
    memcpy(&size, worker.received.data(), sizeof size);
    if (worker.received.size() < sizeof size + size) return;
    std::string payload = worker.received.substr(sizeof size);
    worker.received.clear();
    finish(worker, {.payload = std::move(payload)});
  }

  // The child is gone before it answered.
  void lost(Worker& worker) {
    int status = 0;
    close(worker.requests);
    close(worker.replies);
    waitpid(worker.pid, &status, 0);
    worker.pid = worker.requests = worker.replies = -1;
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    finish(worker, {.how = JobOutcome::How::Crashed, .signal = number});
  }

  void overdue(Worker& worker) {
    kill(worker.pid, worker.warned ? SIGKILL : SIGALRM);
    worker.warned = true;
    worker.deadline = Clock::now() + kGrace;
  }

  const std::vector<std::vector<uint32_t>>& lanes_;
  const Job& job_;
  PoolOptions options_;
  const std::function<void(uint32_t, JobOutcome)>& done_;
  std::vector<Worker> workers_;
  size_t next_lane_ = 0;
  std::string failure_;
};

}  // namespace

Result<void> run_jobs(const std::vector<std::vector<uint32_t>>& lanes, const Job& job, PoolOptions options,
                      const std::function<void(uint32_t, JobOutcome)>& done) {
  return Pool(lanes, job, options, done).run();
}

}  // namespace harn::cli
