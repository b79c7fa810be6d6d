#include "effects/environment.h"

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

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
  answer.value = run.host().env(name, answer.is_set);
  return answer;
}

vm::Outcome<ReadVariable::Answer> carry_out(Run& run, const ReadVariable& request) {
  auto answer = variable(run, request.name);
  if (answer.is_set && Secrets::is_secret_name(request.name)) run.world().secrets.add(request.name, answer.value);
  return answer;
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
  paths.run_root = joined(base, variable_or(run, "HARN_RUN_DIR", ".harn-runs"));
  paths.worktree_root = variable_or(run, "HARN_WORKTREE_DIR", "");
  if (paths.worktree_root.empty()) paths.worktree_root = joined(paths.state_root, "worktrees");
  else paths.worktree_root = joined(base, paths.worktree_root);
  return paths;
}

}  // namespace harn::effects
