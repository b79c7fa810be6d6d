// Changes the code of programs at random, asks the verifier, and runs what it accepts. Whatever that does, it must not
// crash, nor run on when it is told to stop.
//
//   mutated_code FOLDER [--seconds N] [--seed N] [--near N]
//
// FOLDER: fixtures to change. Each seed is one change of one program, and gives the same every time; a child
// process runs many, and the parent says which seed it has died of. `--seed` runs that one and shows it.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include "base/fmt.h"
#include "builtins/registry.h"
#include "bytecode/verify.h"
#include "cli/capture_host.h"
#include "engine/machine.h"
#include "engine/sources.h"

namespace {

using namespace harn;
using namespace harn::bytecode;
using Clock = std::chrono::steady_clock;

// Programs that start tasks, wait, or touch the world do not belong here: what they do depends on more than the code.
bool is_self_contained(const std::string& text) {
  for (const char* word :
       {"spawn", "parallel", "channel", "sleep",       "deadline", "exec",    "file",  "http",   "env",
        "exit",  "import",   "sync_",   "signal",      "receive",  "select",  "mutex", "timer",  "stream",
        "read",  "prompt",   "task_",   "while_limit", "retry",    "elapsed", "clock", "random", "uuid"}) {
    if (text.find(word) != std::string::npos) return false;
  }
  return text.size() < 4000;
}

std::vector<std::string> find_programs(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".harn") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    if (is_self_contained(text.str())) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// ---- changes ----

class Mutation {
 public:
  explicit Mutation(uint64_t seed) : random_(seed) {}

  uint32_t below(size_t count) { return static_cast<uint32_t>(random_() % std::max<size_t>(count, 1)); }

  // Gives what was done, or nothing when there was nothing to change.
  std::string apply(Program& program) {
    std::vector<Code*> all;
    for (auto& module : program.modules) collect(*module, all);
    Code& code = *all[below(all.size())];
    std::string what;
    for (uint32_t times = 1 + below(2); times > 0; --times) what += change(code) + "; ";
    return fmt::format("{}: {}", code.name, what);
  }

 private:
  static void collect(Code& code, std::vector<Code*>& out) {
    out.push_back(&code);
    for (auto& function : code.functions) collect(*function, out);
  }

  std::string change(Code& code) {
    if (below(12) == 0 && !code.handlers.empty()) return change_handler(code);
    if (below(12) == 0 && !code.captures.empty()) return change_capture(code);
    std::vector<uint32_t> starts = instruction_starts(code);
    uint32_t at = starts[below(starts.size())];
    Op op = op_of(code.words[at]);
    if (op >= Op::Count) return "nothing";
    uint32_t words = length(row(op).format);
    if (words > 1 && below(3) == 0) return change_extra(code, at, at + 1 + below(words - 1));
    return change_field(code, at);
  }

  // Which builtin is called stays: others could do things to the machine.
  std::string change_extra(Code& code, uint32_t at, uint32_t word) {
    if (facts(op_of(code.words[at])).has(Field::X, Meaning::Builtin)) return "nothing";
    Word old = code.words[word];
    code.words[word] = old + below(9) - 4;
    return fmt::format("word {} of {} from {} to {}", word, row(op_of(code.words[at])).name, static_cast<int32_t>(old),
                       static_cast<int32_t>(code.words[word]));
  }

  std::string change_field(Code& code, uint32_t at) {
    Word old = code.words[at];
    uint32_t field = below(4);
    uint32_t value = below(3) ? below(code.registers + 2) : below(256);
    if (field == 0) {
      // Another instruction of the same length, so that what follows stays what it is.
      auto op = static_cast<Op>(below(static_cast<size_t>(Op::Count)));
      if (length(row(op).format) != length(row(op_of(old)).format)) return "nothing";
      if (facts(op).has(Field::X, Meaning::Builtin) || op == Op::CallLibrary) return "nothing";
      value = static_cast<uint32_t>(op);
    }
    code.words[at] = (old & ~(0xFFu << field * 8)) | (value & 0xFF) << field * 8;
    return fmt::format("word {} from {} {:x} to {} {:x}", at, row(op_of(old)).name, old,
                       row(op_of(code.words[at])).name, code.words[at]);
  }

  std::string change_handler(Code& code) {
    Handler& handler = code.handlers[below(code.handlers.size())];
    uint32_t Handler::*field[] = {&Handler::start, &Handler::end, &Handler::target, &Handler::reg,
                                  &Handler::cleanup_end};
    uint32_t which = below(std::size(field) + 1);
    if (which == std::size(field)) handler.cleanup = !handler.cleanup;
    else handler.*field[which] += below(9) - 4;
    return fmt::format("field {} of a handler", which);
  }

  std::string change_capture(Code& code) {
    Capture& capture = code.captures[below(code.captures.size())];
    if (below(2)) capture.index += below(5) - 2;
    else capture.from = static_cast<Capture::From>(below(4));
    return "a capture";
  }

  std::mt19937_64 random_;
};

// A program of its own: the one that was compiled stays as it is.
std::shared_ptr<Code> copy_code(const Code& code) {
  auto copy = std::make_shared<Code>(code);
  for (auto& function : copy->functions) function = copy_code(*function);
  return copy;
}

// ---- running ----

// Tells a program to stop when it takes long, and the process when that does not help.
class Watch {
 public:
  explicit Watch(vm::Vm& vm) : vm_(vm), thread_([this] { wait(); }) {}
  ~Watch() {
    {
      std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    auto is_done = [&] { return is_done_; };
    if (changed_.wait_for(lock, std::chrono::milliseconds(100), is_done)) return;
    vm_.stop(vm::StopReason::Timeout);
    if (changed_.wait_for(lock, std::chrono::seconds(20), is_done)) return;
    fmt::print(stderr, "it does not stop\n");
    _exit(3);
  }

  vm::Vm& vm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false;
  std::thread thread_;
};

void run(std::unique_ptr<Program> program) {
  cli::CaptureHost host(cli::CaptureHost::Keep::No);
  vm::Limits limits{.while_limit = 1000, .max_frames = 2000, .max_registers = 100'000};
  engine::Machine machine(host, {.limits = limits, .workers = 1});
  Watch watch(machine.vm());
  (void)machine.run(std::move(program), {});
}

struct Tally {
  uint64_t seed;  // the one that runs
  uint64_t accepted;
};

struct Options {
  std::string folder;
  uint64_t seconds = 10;
  uint64_t seed = 0;  // 0: many
  uint64_t near = 0;
};

// Compiled programs, each when it is first needed.
class Programs {
 public:
  Programs(std::vector<std::string> paths, uint64_t near) : paths_(std::move(paths)), known_(paths_.size()) {
    setenv("HARN_NEAR_REGISTERS", std::to_string(near).c_str(), 1);
  }

  const std::string& path(size_t number) const { return paths_[number]; }
  size_t size() const { return paths_.size(); }
  // Null: it has errors.
  std::unique_ptr<Program> copy(size_t number) {
    Known& known = known_[number];
    if (!known.is_tried) {
      known.is_tried = true;
      known.loaded = engine::load_file(paths_[number]).value();
      known.program = engine::compile(*known.loaded);
    }
    if (!known.program) return nullptr;
    auto copy = std::make_unique<Program>(*known.program);
    for (auto& module : copy->modules) module = copy_code(*module);
    return copy;
  }

 private:
  struct Known {
    bool is_tried = false;
    std::unique_ptr<engine::Loaded> loaded;
    std::unique_ptr<Program> program;
  };
  std::vector<std::string> paths_;
  std::vector<Known> known_;
};

void try_seed(uint64_t seed, Programs& programs, Tally& tally, bool shows) {
  tally.seed = seed;
  Mutation mutation(seed);
  size_t number = mutation.below(programs.size());
  auto program = programs.copy(number);
  if (!program) return;
  std::string what = mutation.apply(*program);
  auto fault = verify(*program, builtins::catalog().count());
  if (shows) fmt::print(stderr, "{}\n{}\n{}\n", programs.path(number), what, fault ? fault->text() : "accepted");
  if (fault) return;
  if (shows) {
    for (const auto& module : program->modules) fmt::print(stderr, "{}", disassemble(*module));
  }
  ++tally.accepted;
  run(std::move(program));
}

// Runs seeds in a child until the time is over; gives whether the child came through.
bool run_child(uint64_t first, Clock::time_point end, Programs& programs, Tally& tally) {
  pid_t child = fork();
  if (child == 0) {
    for (uint64_t seed = first; seed < first + 2000 && Clock::now() < end; ++seed)
      try_seed(seed, programs, tally, false);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    auto number = [&] { return i + 1 < argc ? std::stoull(argv[++i]) : 0; };
    if (arg == "--seconds") options.seconds = number();
    else if (arg == "--seed") options.seed = number();
    else if (arg == "--near") options.near = number();
    else options.folder = arg;
  }
  Programs programs(find_programs(options.folder), options.near);
  auto* tally =
      static_cast<Tally*>(mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (options.seed) {
    try_seed(options.seed, programs, *tally, true);
    return 0;
  }
  auto end = Clock::now() + std::chrono::seconds(options.seconds);
  uint64_t failed = 0;
  for (uint64_t next = 1; Clock::now() < end && failed < 10; next = tally->seed + 1) {
    if (run_child(next, end, programs, *tally)) continue;
    ++failed;
    fmt::print("died of seed {}: {} {} --near {} --seed {}\n", tally->seed, argv[0], options.folder, options.near,
               tally->seed);
  }
  fmt::print("{} of {} changes were accepted\n", tally->accepted, tally->seed);
  fmt::print("{} passed, {} failed\n", tally->seed - failed, failed);
  return failed ? 1 : 0;
}
