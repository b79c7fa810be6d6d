#include "net/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/fmt.h"

namespace harn::net {

namespace {

constexpr size_t kMost = 1024;   // of one tree at one time; the rest is found when these are gone
constexpr int kMostRounds = 64;  // against those that start others faster than they can be found

// A path or a number as text, without memory.
class Path {
 public:
  Path& add(const char* text) {
    while (*text && size_ < sizeof text_ - 1) text_[size_++] = *text++;
    return *this;
  }
  Path& add(long number) {
    char digits[24];
    auto [end, error] = std::to_chars(digits, digits + sizeof digits - 1, number);
    *end = 0;
    return add(digits);
  }
  const char* text() {
    text_[size_] = 0;
    return text_;
  }

 private:
  char text_[128];
  size_t size_ = 0;
};

size_t read_file(const char* path, char* buffer, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t used = 0;
  while (used < size) {
    ssize_t got = read(file, buffer + used, size - used);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    used += static_cast<size_t>(got);
  }
  close(file);
  return used;
}

struct Facts {
  pid_t parent = 0;
  char state = 0;  // 0: there is no such process
  unsigned long long started = 0;
};

// "12 (name) S 1 ...": the name may hold anything, parentheses too.
Facts facts_of(pid_t pid) {
  char buffer[1024];
  std::string_view line(buffer, read_file(Path().add("/proc/").add(pid).add("/stat").text(), buffer, sizeof buffer));
  size_t end = line.rfind(')');
  Facts facts;
  if (end == line.npos) return facts;
  constexpr int kState = 3, kParent = 4, kStarted = 22;
  std::string_view rest = line.substr(end + 1);
  for (int field = kState; !rest.empty() && field <= kStarted; ++field) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    if (field == kState && !word.empty()) facts.state = word[0];
    if (field == kParent) std::from_chars(word.data(), word.data() + word.size(), facts.parent);
    if (field == kStarted) std::from_chars(word.data(), word.data() + word.size(), facts.started);
  }
  return facts;
}

// Calls `visit` for each entry of a folder that is a number.
template <class Visit>
void each_number(const char* folder, Visit visit) {
  int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  alignas(dirent64) char buffer[8192];
  for (long got; (got = syscall(SYS_getdents64, file, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < got;) {
      auto* entry = reinterpret_cast<dirent64*>(buffer + at);
      at += entry->d_reclen;
      std::string_view name = entry->d_name;
      pid_t number = 0;
      auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (error == std::errc() && end == name.data() + name.size()) visit(number);
    }
  }
  close(file);
}

bool is_alive(const Facts& facts) { return facts.state != 0 && facts.state != 'Z' && facts.state != 'X'; }

// Those below a process, parents before their children.
struct Found {
  Descendant all[kMost];
  size_t size = 0;

  bool has(pid_t pid) const {
    return std::any_of(all, all + size, [&](const Descendant& one) { return one.pid == pid; });
  }
  void add(pid_t pid) {
    if (size == kMost || has(pid)) return;
    if (Facts facts = facts_of(pid); facts.state) all[size++] = {pid, facts.started};
  }
};

// The children of one process, by the kernel's own lists. False: it keeps none (CONFIG_PROC_CHILDREN).
bool add_listed(pid_t parent, Found& found) {
  bool is_listed = true;
  each_number(Path().add("/proc/").add(parent).add("/task").text(), [&](pid_t thread) {
    Path path;
    path.add("/proc/").add(parent).add("/task/").add(thread).add("/children");
    int file = open(path.text(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      is_listed = is_listed && errno != ENOENT;
      return;
    }
    char block[4096];
    pid_t number = 0;
    for (ssize_t got; (got = read(file, block, sizeof block)) > 0;) {
      for (char c : std::string_view(block, static_cast<size_t>(got))) {
        if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
        else if (number != 0) found.add(std::exchange(number, 0));
      }
    }
    close(file);
  });
  return is_listed;
}

// The same, asked of all processes. True: there are more, whose parents were found after them.
bool add_by_parent(pid_t root, Found& found) {
  size_t before = found.size;
  each_number("/proc", [&](pid_t pid) {
    if (pid == root || found.has(pid)) return;
    pid_t parent = facts_of(pid).parent;
    if (parent == root || (parent != 0 && found.has(parent))) found.add(pid);
  });
  return found.size > before;
}

void find_all(pid_t root, Found& found) {
  bool is_listed = add_listed(root, found);
  for (size_t i = 0; is_listed && i < found.size; ++i) (void)add_listed(found.all[i].pid, found);
  while (!is_listed && add_by_parent(root, found)) {}
}

}  // namespace

void keep_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void signal_descendant(const Descendant& process, int signal) {
  int file = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  if (file < 0) return;
  Facts facts = facts_of(process.pid);  // of whom the descriptor is for, or of nobody
  if (is_alive(facts) && facts.started == process.started) syscall(SYS_pidfd_send_signal, file, signal, nullptr, 0);
  close(file);
}

size_t descendants_of(pid_t root, Descendant* out, size_t size) {
  Found found;
  find_all(root, found);
  size_t alive = 0;
  for (size_t i = 0; i < found.size && alive < size; ++i) {
    if (is_alive(facts_of(found.all[i].pid))) out[alive++] = found.all[i];
  }
  return alive;
}

void kill_tree(pid_t root) {
  bool is_here = is_alive(facts_of(root));
  if (is_here) kill(root, SIGSTOP);
  Found killed;
  for (int round = 0; is_here && round < kMostRounds; ++round) {
    Found found;
    find_all(root, found);
    bool is_new = false;
    for (size_t i = 0; i < found.size; ++i) {
      if (killed.has(found.all[i].pid) || !is_alive(facts_of(found.all[i].pid))) continue;
      signal_descendant(found.all[i], SIGKILL);
      if (killed.size < kMost) killed.all[killed.size++] = found.all[i];
      is_new = true;
    }
    if (!is_new) break;
  }
  kill(-root, SIGKILL);
  kill(root, SIGKILL);
}

void kill_holders(int pipe_fd) {
  struct stat pipe;
  if (fstat(pipe_fd, &pipe) != 0) return;
  each_number("/proc", [&](pid_t pid) {
    if (pid == getpid()) return;
    std::string folder = fmt::format("/proc/{}/fd", pid);
    bool holds = false;
    each_number(folder.c_str(), [&](pid_t number) {
      struct stat info;
      holds = holds || (stat(fmt::format("{}/{}", folder, number).c_str(), &info) == 0 && info.st_dev == pipe.st_dev &&
                        info.st_ino == pipe.st_ino);
    });
    if (holds) kill(pid, SIGKILL);
  });
}

}  // namespace harn::net
