#include "effects/environment.h"

#include <pwd.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <vector>

#include "base/result.h"
#include "base/secrets.h"
#include "effects/files.h"
#include "effects/state.h"

namespace harn::effects {

// ---- variables ----

static ReadVariable::Answer variable(Run& run, std::string_view name) {
  ReadVariable::Answer answer;
  {
    std::lock_guard guard(run.world().lock);
    auto changed = run.world().variables.find(name);
    if (changed != run.world().variables.end()) return {changed->second.has_value(), changed->second.value_or("")};
  }
  answer.value = run.host().env(name, answer.is_set);
  return answer;
}

vm::Outcome<ReadVariable::Answer> carry_out(Run& run, const ReadVariable& request) {
  auto answer = variable(run, request.name);
  if (answer.is_set && (request.is_secret || Secrets::is_secret_name(request.name)))
    run.world().secrets.add(request.name, answer.value);
  return answer;
}

std::vector<std::string> variable_texts(Run& run, std::span<const std::string> names) {
  decltype(run.world().variables) changed;
  {
    std::lock_guard guard(run.world().lock);
    changed = run.world().variables;
  }
  std::vector<std::string> texts(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    bool is_set = false;
    auto own = changed.empty() ? changed.end() : changed.find(names[i]);
    texts[i] = own == changed.end() ? run.host().env(names[i], is_set) : own->second.value_or("");
    if (!texts[i].empty() && Secrets::is_secret_name(names[i])) run.world().secrets.add(names[i], texts[i]);
  }
  return texts;
}

std::string variable_text(Run& run, const std::string& name) { return variable_texts(run, {&name, 1})[0]; }

vm::Outcome<Done> carry_out(Run& run, const SetVariable& request) {
  bool is_name = !request.name.empty() && request.name.find_first_of(std::string_view("=\0", 2)) == std::string::npos;
  if (!is_name) return vm::throw_text(ErrorKind::Invalid, "env: '{}' is not the name of a variable", request.name);
  if (request.value.find('\0') != std::string::npos)
    return vm::throw_text(ErrorKind::Invalid, "env: the value of {} has a zero byte in it", request.name);
  if (request.is_set && Secrets::is_secret_name(request.name)) run.world().secrets.add(request.name, request.value);
  std::lock_guard guard(run.world().lock);
  run.world().variables[request.name] = request.is_set ? std::optional(request.value) : std::nullopt;
  return Done();
}

std::vector<std::string> environment_lines(Run& run) {
  std::vector<std::string> lines;
  std::lock_guard guard(run.world().lock);
  const auto& changed = run.world().variables;
  for (char** line = environ; *line; ++line) {
    std::string_view text = *line;
    if (!changed.contains(text.substr(0, text.find('=')))) lines.emplace_back(text);
  }
  for (const auto& [name, value] : changed) {
    if (value) lines.push_back(name + "=" + *value);
  }
  return lines;
}

vm::Outcome<std::vector<std::string>> carry_out(Run& run, const ListVariables&) {
  std::vector<std::string> names = environment_lines(run);
  for (std::string& line : names) line.resize(std::min(line.size(), line.find('=')));
  std::sort(names.begin(), names.end());
  return names;
}

// ---- the machine ----

namespace {

struct User {
  std::string name;
  std::string home;
};

User user() {
  std::vector<char> space(16 * 1024);
  passwd entry, *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found) != 0 || !found) return {};
  return {found->pw_name, found->pw_dir};
}

std::string variable_or(Run& run, std::string_view name, std::string_view otherwise) {
  auto answer = variable(run, name);
  return answer.value.empty() ? std::string(otherwise) : answer.value;
}

// A user without an entry, as in many containers, still has what the environment says.
std::string user_name(Run& run) {
  std::string name = user().name;
  return name.empty() ? variable_or(run, "USER", "unknown") : name;
}

int processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

int64_t pages_in_bytes(int which) { return int64_t{sysconf(which)} * sysconf(_SC_PAGESIZE); }

std::string host_name() {
  utsname names;
  return uname(&names) == 0 ? names.nodename : "";
}

constexpr std::string_view kArchitecture =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
    "unknown";
#endif

}  // namespace

std::string AskSystem::shown() const {
  switch (fact) {
    case SystemFact::UserName: return "user name";
    case SystemFact::HostName: return "host name";
    case SystemFact::Platform: return "platform";
    case SystemFact::Architecture: return "architecture";
    case SystemFact::HomeDirectory: return "home directory";
    case SystemFact::TempDirectory: return "directory for temporary files";
    case SystemFact::ProcessId: return "process id";
    case SystemFact::Processors: return "processors";
    case SystemFact::TotalMemory:
    case SystemFact::FreeMemory: return "memory";
  }
  return "";
}

vm::Outcome<std::string> carry_out(Run& run, const AskSystem& request) {
  switch (request.fact) {
    case SystemFact::UserName: return user_name(run);
    case SystemFact::HostName: return host_name();
    case SystemFact::Platform: return std::string("linux");
    case SystemFact::Architecture: return std::string(kArchitecture);
    case SystemFact::HomeDirectory: {
      std::string home = variable_or(run, "HOME", "");
      return home.empty() ? user().home : home;
    }
    case SystemFact::TempDirectory: return variable_or(run, "TMPDIR", "/tmp");
    case SystemFact::ProcessId: return std::to_string(getpid());
    case SystemFact::Processors: return std::to_string(processors());
    case SystemFact::TotalMemory: return std::to_string(pages_in_bytes(_SC_PHYS_PAGES));
    case SystemFact::FreeMemory: return std::to_string(pages_in_bytes(_SC_AVPHYS_PAGES));
  }
  return std::string();
}

// ---- directories ----

static std::string joined(const std::string& base, const std::string& path) {
  if (path.starts_with('/')) return path;
  return base == "/" ? base + path : base + "/" + path;
}

static bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

static std::string nearest_project(const std::string& start) {
  for (std::string at = start; !at.empty();) {
    if (is_there(joined(at, "harn.toml"))) return at;
    if (at == "/" || is_there(joined(at, ".git"))) break;
    size_t slash = at.rfind('/');
    at = slash == std::string::npos ? "" : slash == 0 ? "/" : at.substr(0, slash);
  }
  return "";
}

vm::Outcome<FindPaths::Answer> carry_out(Run& run, const FindPaths& request) {
  FindPaths::Answer paths;
  paths.execution_root = HARN_TRY(carry_out(run, CurrentDirectory{}));
  char real[PATH_MAX];
  bool has_source = realpath(request.source_directory.c_str(), real) != nullptr;
  paths.asset_root = has_source ? real : paths.execution_root;
  paths.project_root = nearest_project(paths.asset_root);
  // What the variables say begins at the project, or where the program was started.
  const std::string& base = paths.project_root.empty() ? paths.execution_root : paths.project_root;
  paths.state_root = HARN_TRY(state_root(run));
  // A program without a home leaves nothing behind, unless it is told where.
  std::string runs = variable_or(run, "HARN_RUN_DIR", "");
  bool has_home = state_home(current_vm()).kind != StateHome::Kind::None;
  if (runs.empty() && !has_home) paths.run_root = HARN_TRY(from_home(run, ".harn-runs"));
  else paths.run_root = joined(base, runs.empty() ? ".harn-runs" : runs);
  paths.worktree_root = variable_or(run, "HARN_WORKTREE_DIR", "");
  if (paths.worktree_root.empty()) paths.worktree_root = joined(paths.state_root, "worktrees");
  else paths.worktree_root = joined(base, paths.worktree_root);
  return paths;
}

}  // namespace harn::effects
