#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "vm/vm.h"

// Jobs in child processes. A job that crashes takes only its child along and the rest go on in a
// new one; a job that hangs is stopped, and killed when it does not listen.
namespace harn::cli {

struct JobOutcome {
  enum class How { Finished, TimedOut, Crashed };
  How how = How::Finished;
  int signal = 0;       // Crashed: what ended the child, 0 when it left by itself
  std::string payload;  // what the job returned; empty when it could not
  double ms = 0;
};

struct PoolOptions {
  size_t workers = 1;
  int64_t timeout_ms = 30'000;  // per job
};

// Runs numbered jobs. The jobs of one lane run one after the other in one child; lanes run side by
// side. `job` is called in a child, `done` here, as jobs finish. Fails when no child can be started.
using Job = std::function<std::string(uint32_t number)>;
Result<void> run_jobs(const std::vector<std::vector<uint32_t>>& lanes, const Job& job, PoolOptions options,
                      const std::function<void(uint32_t number, JobOutcome outcome)>& done);

// In a child, while one lives: the VM to stop when the job's time is up.
class TimeoutTarget {
 public:
  explicit TimeoutTarget(vm::Vm& vm);
  ~TimeoutTarget();
  TimeoutTarget(const TimeoutTarget&) = delete;
};

}  // namespace harn::cli
