// A child is started by the thread that asks, since starting one takes a moment, and then belongs to the
// I/O thread: that reads its output, hears of its end through a pidfd, and kills it.
//
// The child is not waited for (in the sense of `wait`) before its output has ended: until then its number,
// which is also that of its group, cannot be given to another process, and killing the group is safe. What has left the
// group is killed as well: process_tree.h.
#include "net/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <unordered_map>

#include "base/descriptor.h"
#include "base/fmt.h"
#include "net/loop.h"
#include "net/process_tree.h"
#include "net/view.h"

namespace harn::net {

namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::Io, fmt::format("cannot make a pipe: {}", strerror(errno)));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Pipe made;
  made.read = Descriptor(ends[0]);
  made.write = Descriptor(ends[1]);
  return made;
}

// One stream of a child, read to its end.
struct Output {
  explicit Output(Descriptor fd) : fd(std::move(fd)) {}
  Descriptor fd;
  std::unique_ptr<FdWatch> watch;
  std::string text;

  bool is_open() const { return watch != nullptr; }
  void close() {
    watch.reset();
    fd = Descriptor();
  }
};

// The groups that run, where a signal handler finds them. As many as there can be fibers, and more.
class Groups {
 public:
  // Null when all places are taken.
  static std::atomic<pid_t>* add(pid_t pid) {
    for (size_t tries = 0; tries < std::size(places_); ++tries) {
      std::atomic<pid_t>& place = places_[used_++ % std::size(places_)];
      pid_t none = 0;
      if (place.compare_exchange_strong(none, pid)) return &place;
    }
    return nullptr;
  }
  static void remove(std::atomic<pid_t>* place) {
    if (place) place->store(0);
  }
  static void kill_all() {
    size_t used = std::min<size_t>(used_.load(), std::size(places_));
    for (size_t i = 0; i < used; ++i) {
      if (pid_t pid = places_[i].load()) kill_tree(pid);
    }
  }

 private:
  static inline constinit std::atomic<uint64_t> used_{0};
  static inline constinit std::atomic<pid_t> places_[32'768] = {};
  static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler must not wait for a lock");
};

class Child {
 public:
  Child(uint64_t number, pid_t pid, Descriptor pidfd, Output out, Output err, const ProcessSpec& spec,
        std::function<void(ProcessResult)> done)
      : number_(number),
        pid_(pid),
        group_(Groups::add(pid)),
        pidfd_(std::move(pidfd)),
        out_(std::move(out)),
        err_(std::move(err)),
        max_output_(spec.max_output),
        kept_errors_(spec.kept_errors),
        done_(std::move(done)) {}

  // ---- on the I/O thread ----
  void begin();
  void kill();
  void end(std::chrono::milliseconds grace);

 private:
  void watch(Output& output);
  void read(Output& output);
  static bool append(std::string& text, std::string_view more);
  bool has_exited() const;
  void kill_all();
  void ended();
  void finish_if_over();

  uint64_t number_;
  pid_t pid_;
  std::atomic<pid_t>* group_;
  Descriptor pidfd_;
  Output out_;
  Output err_;
  size_t max_output_;
  size_t kept_errors_;
  std::function<void(ProcessResult)> done_;
  std::unique_ptr<FdWatch> end_;
  std::optional<LoopTimer> grace_;  // runs while it has been asked to end
  std::vector<Descendant> asked_;   // and so have these
  bool has_ended_ = false;
  bool is_killed_ = false;
  bool wrote_too_much_ = false;
  bool no_memory_ = false;
};

// Those that run. Only the I/O thread looks at it.
std::unordered_map<uint64_t, std::unique_ptr<Child>>& children() {
  static auto* map = new std::unordered_map<uint64_t, std::unique_ptr<Child>>;
  return *map;
}

void Child::begin() {
  if (out_.fd.is_open()) watch(out_);
  watch(err_);
  end_ = std::make_unique<FdWatch>(pidfd_.get(), [this](FdWatch::Events) { ended(); });
  end_->want(FdWatch::kRead);
}

void Child::watch(Output& output) {
  output.watch = std::make_unique<FdWatch>(output.fd.get(), [this, &output](FdWatch::Events) { read(output); });
  output.watch->want(FdWatch::kRead);
}

void Child::read(Output& output) {
  static char block[64 * 1024];
  // A few blocks at a time: others have output to read, too.
  for (int round = 0; round < 4; ++round) {
    ssize_t got = ::read(output.fd.get(), block, sizeof block);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      output.close();
      return finish_if_over();
    }
    if (output.text.size() + static_cast<size_t>(got) > max_output_) {
      wrote_too_much_ = true;
      return kill();
    }
    if (!append(output.text, {block, static_cast<size_t>(got)})) {
      no_memory_ = true;
      return kill();
    }
    if (kept_errors_ > 0 && &output == &err_ && output.text.size() > 2 * kept_errors_)
      output.text.erase(0, output.text.size() - kept_errors_);
  }
}

// False when there is no memory for it: that must not end the I/O thread.
bool Child::append(std::string& text, std::string_view more) try {
  text.append(more);
  return true;
} catch (const std::bad_alloc&) {
  text = {};
  return false;
}

// The I/O thread may be told of what happened to a descriptor that was closed in the same moment, and whose place
// this one has taken: only the kernel knows. (To wait for it would not do: the descriptor does not block.)
bool Child::has_exited() const {
  siginfo_t info{};
  int failed =
      waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG | WNOWAIT);
  return failed ? errno != EAGAIN : info.si_pid != 0;
}

void Child::ended() {
  if (!has_exited()) return;
  has_ended_ = true;
  end_.reset();
  finish_if_over();
}

void Child::kill() {
  if (is_killed_) return;
  is_killed_ = true;
  kill_all();
  out_.close();
  err_.close();
  finish_if_over();
}

// As long as it lives all that it has started is found from it. Afterwards who still holds its output is.
void Child::kill_all() {
  for (const Descendant& one : asked_) signal_descendant(one, SIGKILL);
  if (!has_ended_) return kill_tree(pid_);
  ::kill(-pid_, SIGKILL);
  if (out_.is_open()) kill_holders(out_.fd.get());
  if (err_.is_open()) kill_holders(err_.fd.get());
}

void Child::end(std::chrono::milliseconds grace) {
  constexpr size_t kMost = 1024;
  if (is_killed_ || grace_) return;
  asked_.resize(kMost);
  asked_.resize(has_ended_ ? 0 : descendants_of(pid_, asked_.data(), kMost));
  std::erase_if(asked_, [this](const Descendant& one) { return getpgid(one.pid) == pid_; });
  ::kill(-pid_, SIGTERM);
  for (const Descendant& one : asked_) signal_descendant(one, SIGTERM);
  grace_.emplace([this] { kill(); });
  grace_->start(grace);
}

void Child::finish_if_over() {
  if (!has_ended_ || out_.is_open() || err_.is_open()) return;
  for (const Descendant& one : asked_) signal_descendant(one, SIGKILL);
  Groups::remove(group_);  // the number may be another's after this
  siginfo_t info{};
  waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd_.get()), &info, WEXITED);
  ProcessResult result;
  result.out = std::move(out_.text);
  result.err = std::move(err_.text);
  result.status = info.si_code == CLD_EXITED ? info.si_status : -1;
  result.signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  result.wrote_too_much = wrote_too_much_;
  result.no_memory = no_memory_;
  auto done = std::move(done_);
  children().erase(number_);  // this object
  done(std::move(result));
}

// ---- starting one ----

// Where children are ignored they leave no exit code, and their number is free at once.
void keep_exit_codes() {
  struct sigaction now {};
  if (sigaction(SIGCHLD, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

// What the child is given: streams, directory, group.
class SpawnPlan {
 public:
  // Without input (-1) there is nothing to read.
  void prepare(int in, int out, int err) { in_ = in, out_ = out, err_ = err; }

  // The error number, or 0. By vfork, which takes no longer for a large process than for a small one; posix_spawn, which
  // does the same, knows nothing of orphans.
  int run(const ProcessSpec& spec, pid_t& pid) const {
    std::vector<char*> words = pointers(spec.words);
    std::vector<char*> environment;
    if (spec.environment) environment = pointers(*spec.environment);
    // A handler must not run in the child, whose memory is ours.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    // By what the child tells why it has not become the program: its memory is not ours everywhere (the thread sanitizer makes a fork of this).
    int report[2] = {-1, -1};
    if (pipe2(report, O_CLOEXEC) != 0) {
      int error = errno;
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      return error;
    }
    pid = vfork();
    if (pid == 0) {
      int why = begin(spec, words.data(), spec.environment ? environment.data() : environ, before);
      (void)!write(report[1], &why, sizeof why);
      _exit(127);
    }
    int error = pid < 0 ? errno : 0;
    close(report[1]);
    if (pid > 0) {
      int why = 0;
      ssize_t size;
      while ((size = read(report[0], &why, sizeof why)) < 0 && errno == EINTR) {}
      if (size == sizeof why) error = why;
    }
    close(report[0]);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid > 0 && error) waitpid(pid, nullptr, 0);
    return error;
  }

  // The same by hand: this process, which was forked, becomes the program. Gives why it did not.
  // `warn`: why it is not confined.
  Error become(const ProcessSpec& spec, const std::function<void(const std::string&)>& warn) const {
    auto cannot = [&](std::string_view what) {
      return Error{errno == ENOENT ? ErrorKind::NotFound : ErrorKind::Io, fmt::format("{}: {}", what, strerror(errno))};
    };
    keep_orphans();
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    int in = in_ < 0 ? open("/dev/null", O_RDONLY) : in_;
    if (dup2(in, STDIN_FILENO) < 0) return cannot("its input");
    if (spec.is_on_terminal) tcsetpgrp(STDOUT_FILENO, getpid());
    else if (dup2(out_, STDOUT_FILENO) < 0 || dup2(err_, STDERR_FILENO) < 0) return cannot("its output");
    if (spec.directory_fd >= 0) {
      if (auto entered = enter_folder(spec.directory_fd); !entered) return entered.error();
    } else if (!spec.directory.empty() && chdir(spec.directory.c_str()) != 0) {
      return cannot(spec.directory);
    }
    auto confined = confine_this_thread(*spec.confinement);
    // What is hidden stays so, whatever else the kernel cannot do.
    bool is_open = !spec.confinement->hidden.empty();
    if (!confined && (spec.must_be_confined || is_open)) return confined.error();
    if (!confined) warn(confined.error().message);
    std::vector<char*> words = pointers(spec.words);
    if (!spec.environment) execvp(words[0], words.data());
    else execvpe(words[0], words.data(), pointers(*spec.environment).data());
    return cannot(fmt::format("cannot start `{}`", spec.words[0]));
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
  }

  // The descriptor becomes one of the streams.
  static bool put(int from, int stream) {
    if (from == stream) return fcntl(from, F_SETFD, 0) == 0;
    return from >= 0 && dup2(from, stream) >= 0;
  }

  static void reset_signals() {
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction now {};
      if (sigaction(number, nullptr, &now) != 0) continue;
      bool is_ignored = now.sa_handler == SIG_IGN && number != SIGPIPE && number != SIGXFSZ;
      if (!is_ignored && now.sa_handler != SIG_DFL) signal(number, SIG_DFL);
    }
  }

  // In the child, which has our memory: system calls, and nothing else. The error number; returns only when it fails.
  [[gnu::noinline]] int begin(const ProcessSpec& spec, char* const* words, char* const* environment,
                              const sigset_t& mask) const {
    reset_signals();
    keep_orphans();
    if (setpgid(0, 0) != 0) return errno;
    if (!put(in_ < 0 ? open("/dev/null", O_RDONLY) : in_, STDIN_FILENO)) return errno;
    if (spec.is_on_terminal) tcsetpgrp(STDOUT_FILENO, getpid());
    else if (!put(out_, STDOUT_FILENO) || !put(err_, STDERR_FILENO)) return errno;
    if (spec.directory_fd >= 0 && fchdir(spec.directory_fd) != 0) return errno;
    // Whatever else is open, by us or by those who started us, is not the child's.
    if (close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC) != 0) close_range(STDERR_FILENO + 1, ~0u, 0);
    bool has_path = spec.directory_fd < 0 && !spec.directory.empty();
    if (has_path && chdir(spec.directory.c_str()) != 0) return errno;
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvpe(words[0], words, environment);
    return errno;
  }

  int in_ = -1, out_ = -1, err_ = -1;
};

Result<void> check_texts(const ProcessSpec& spec) {
  auto has_nul = [](const std::string& text) { return text.contains('\0'); };
  bool is_wrong = std::any_of(spec.words.begin(), spec.words.end(), has_nul) || has_nul(spec.directory);
  if (spec.environment) is_wrong = is_wrong || std::any_of(spec.environment->begin(), spec.environment->end(), has_nul);
  if (is_wrong) return fail(ErrorKind::Invalid, "a word holds a NUL character");
  return {};
}

// A file in memory that the child reads at its own pace: nobody has to feed it.
Result<Descriptor> make_input(std::string_view text) {
  if (text.empty()) return Descriptor();
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  while (file.is_open() && !text.empty()) {
    ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(ErrorKind::Io, fmt::format("cannot pass on its input: {}", strerror(errno)));
    text.remove_prefix(static_cast<size_t>(written));
  }
  if (!file.is_open() || lseek(file.get(), 0, SEEK_SET) != 0)
    return fail(ErrorKind::Io, fmt::format("cannot pass on its input: {}", strerror(errno)));
  return file;
}

// Everything that is written to a pipe until its end.
std::string read_all(int fd) {
  std::string text;
  char block[1024];
  for (;;) {
    ssize_t got = read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block, static_cast<size_t>(got));
  }
}

// A child with a view of its own has to make that itself, when it is a process already and not yet the program. It tells through a pipe what went
// wrong: 'w' and why it is not confined, a NUL; 'e' with the kind of an error and its text. The pipe ends when it is the program.
Result<int> run_with_view(SpawnPlan& plan, ProcessSpec& spec, pid_t& pid, std::string& unconfined) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::Io, fmt::format("cannot make a pipe: {}", strerror(errno)));
  Descriptor heard(ends[0]), told(ends[1]);
  prepare_confinement();
  bool can_cover = can_cover_folders();
  pid = fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    auto tell = [&](const std::string& text) {
      [[maybe_unused]] ssize_t written = write(told.get(), text.data(), text.size());
    };
    if (can_cover) {
      if (cover_folders(spec.confinement->hidden)) spec.confinement->hidden.clear();
      if (auto kept = keep_paths(spec.confinement->kept); !kept) {
        if (spec.must_be_confined)
          tell(fmt::format("e{}{}", static_cast<char>(kept.error().kind), kept.error().message));
        if (spec.must_be_confined) _exit(127);
        tell("w" + kept.error().message + '\0');
      }
    }
    close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    Error wrong = plan.become(spec, [&](const std::string& why) { tell("w" + why + '\0'); });
    tell(fmt::format("e{}{}", static_cast<char>(wrong.kind), wrong.message));
    _exit(127);
  }
  told = Descriptor();
  std::string text = read_all(heard.get());
  if (text.starts_with('w')) {
    unconfined = text.substr(1, text.find('\0') - 1);
    text.erase(0, text.find('\0') + 1);
  }
  if (text.size() < 2) return 0;
  waitpid(pid, nullptr, 0);
  return fail(static_cast<ErrorKind>(text[1]), text.substr(2));
}

// Starts it on a thread that has confined itself, and ends: what a thread gives up it never gets back.
Result<int> run_confined(SpawnPlan& plan, const ProcessSpec& spec, pid_t& pid, std::string& unconfined) {
  Result<int> error = 0;
  std::thread([&] {
    auto confined = confine_this_thread(*spec.confinement);
    if (!confined) unconfined = confined.error().message;
    if (confined || !spec.must_be_confined) error = plan.run(spec, pid);
    else error = fail(ErrorKind::Denied, "it cannot be confined: " + unconfined);
  }).join();
  return error;
}

std::unexpected<Error> cannot_start(const ProcessSpec& spec, int error) {
  struct stat info;
  if (!spec.directory.empty() && (stat(spec.directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))) {
    return fail(ErrorKind::NotFound, fmt::format("`{}` is not a directory", spec.directory));
  }
  ErrorKind kind = error == ENOENT ? ErrorKind::NotFound : ErrorKind::Io;
  return fail(kind, fmt::format("cannot start `{}`: {}", spec.words[0], strerror(error)));
}

}  // namespace

Result<ProcessId> start_process(ProcessSpec spec, std::function<void(ProcessResult)> done) {
  static std::atomic<uint64_t> numbers{0};
  [[maybe_unused]] static bool once = (keep_exit_codes(), true);
  HARN_CHECK(check_texts(spec));
  bool has_sockets = spec.output_fd >= 0;
  Pipe out = has_sockets ? Pipe() : HARN_TRY(make_pipe());
  Pipe err = HARN_TRY(make_pipe());
  Descriptor in = HARN_TRY(make_input(spec.input));
  SpawnPlan plan;
  plan.prepare(has_sockets ? spec.input_fd : in.get(), has_sockets ? spec.output_fd : out.write.get(), err.write.get());
  pid_t pid = 0;
  std::string unconfined;
  bool has_view = spec.confinement &&
                  (!spec.confinement->hidden.empty() || (!spec.confinement->kept.empty() && can_cover_folders()));
  int error = has_view           ? HARN_TRY(run_with_view(plan, spec, pid, unconfined))
              : spec.confinement ? HARN_TRY(run_confined(plan, spec, pid, unconfined))
                                 : plan.run(spec, pid);
  if (error) return cannot_start(spec, error);
  restore_file_limit(pid);
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd.get() < 0) {
    error = errno;
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return cannot_start(spec, error);
  }
  uint64_t number = ++numbers;
  auto child = std::make_unique<Child>(number, pid, std::move(pidfd), Output(std::move(out.read)),
                                       Output(std::move(err.read)), spec, std::move(done));
  post([number, child = std::move(child)]() mutable {
    Child& begun = *(children()[number] = std::move(child));
    begun.begin();
  });
  return ProcessId{number, pid, std::move(unconfined)};
}

void end_process(ProcessId id, std::chrono::milliseconds grace) {
  post([id, grace] {
    auto found = children().find(id.number);
    if (found != children().end()) found->second->end(grace);
  });
}

void kill_process(ProcessId id) {
  post([id] {
    auto found = children().find(id.number);
    if (found != children().end()) found->second->kill();
  });
}

void take_terminal_back() {
  // We are in the background at this moment, and the system stops those who ask for the terminal from there.
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &stop, &before);
  tcsetpgrp(STDOUT_FILENO, getpgrp());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void kill_all_processes() { Groups::kill_all(); }

}  // namespace harn::net
