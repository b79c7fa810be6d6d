#include "effects/state_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/replace_file.h"
#include "effects/file_failure.h"
#include "effects/state.h"
#include "vm/digest.h"
#include "vm/fiber.h"
#include "vm/job_pool.h"

namespace harn::effects {

using namespace vm;
namespace fs = std::filesystem;

namespace {

Error failure(const std::string& path, std::error_code code) {
  FileFailure found = failure_of(code.value());
  return {found.kind, fmt::format("{}: {}", path, found.reason)};
}
std::error_code system_error() { return {errno, std::generic_category()}; }

// Runs what blocks on another thread.
template <class Work>
auto aside(Work work) -> Outcome<typename decltype(work())::value_type> {
  struct Shared {
    std::optional<decltype(work())> answer;
  };
  auto shared = std::make_shared<Shared>();
  auto job = [shared, work = std::move(work), home = hold_home()] { shared->answer.emplace(work()); };
  if (run_blocking("a file of the program's state", job) == Wake::Cancelled) return stopped_error();
  auto& answer = *shared->answer;
  if (!answer) return runtime_error(answer.error().kind, "{}", answer.error().message);
  return std::move(*answer);
}

Result<ReadStateFile::Answer> read(const std::string& path) {
  ReadStateFile::Answer out{.exists = false, .text = "", .path = path};
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return out;
    return std::unexpected(failure(path, system_error()));
  }
  out.exists = true;
  char buffer[16 * 1024];
  ssize_t got;
  while ((got = ::read(file, buffer, sizeof buffer)) > 0) out.text.append(buffer, static_cast<size_t>(got));
  std::error_code failed = got < 0 ? system_error() : std::error_code();
  close(file);
  if (failed) return std::unexpected(failure(path, failed));
  return out;
}

Result<bool> replace(const std::string& path, const ReplaceStateFile& request) {
  if (std::error_code failed = make_folders(fs::path(path).parent_path()))
    return std::unexpected(failure(path, failed));
  std::error_code failed;
  std::optional<FileLock> lock;
  if (request.compares) {
    lock.emplace(path + ".lock", failed);
    if (failed) return std::unexpected(failure(path, failed));
    if (fingerprint(HARN_TRY(read(path))) != request.expected) return false;
  }
  failed = replace_file(path, request.text, Durability::Synced);
  if (failed) return std::unexpected(failure(path, failed));
  return true;
}

Result<bool> remove(const std::string& path) {
  if (unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return std::unexpected(failure(path, system_error()));
}

bool is_own(const fs::path& path) {
  std::string name = path.filename().native();
  return name == kOwnFolder || (name.starts_with('.') && name.ends_with(".tmp"));
}

Result<ListStateFiles::Answer> list(const std::string& folder) {
  ListStateFiles::Answer out;
  std::error_code failed;
  out.exists = fs::is_directory(folder, failed);
  if (!out.exists) return out;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_own(at->path())) at.disable_recursion_pending();
    else if (at->is_regular_file(failed)) out.files.push_back(at->path().lexically_relative(folder).string());
  }
  if (failed) return std::unexpected(failure(folder, failed));
  std::sort(out.files.begin(), out.files.end());
  return out;
}

// Who wants what of a folder that the program has named, and within what: such a folder is the program's, not the
// runtime's.
struct Wanted {
  std::shared_ptr<const Workspace> workspace;  // null: anywhere
  const char* builtin;
  const char* verb;
  Access access;

  Result<void> check(const std::string& path, const std::filesystem::path& real) const {
    if (!workspace || workspace->allows(real.native(), access)) return {};
    return fail(ErrorKind::Denied, fmt::format("sandbox violation: builtin '{}' attempted to {} '{}' outside "
                                               "workspace_roots {}",
                                               builtin, verb, path, workspace->shown()));
  }
};

Result<fs::path> real_path(const std::string& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(path, failed);
  if (failed) return std::unexpected(failure(path, failed));
  return real;
}

// A symbolic link in the folder must not lead out of it: keys come from agents.
Result<std::string> inside(const Wanted& wanted, const std::string& folder, const std::string& file) {
  std::string path = folder + "/" + file;
  fs::path root = HARN_TRY(real_path(folder)), real = HARN_TRY(real_path(path));
  auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  if (in_root != root.end()) return fail(ErrorKind::Denied, fmt::format("{}: leads out of {}", path, folder));
  HARN_CHECK(wanted.check(path, real));
  return path;
}

template <class Work>
auto in_folder(Run& run, const StatePath& place, const Wanted& wanted, Work work)
    -> Outcome<typename decltype(work(""))::value_type> {
  using Answer = decltype(work(""));
  if (!place.folder.empty()) {
    std::string folder = HARN_TRY(from_home(run, place.folder));
    return aside(
        [folder, file = place.file, wanted, work]() -> Answer { return work(HARN_TRY(inside(wanted, folder, file))); });
  }
  // What is in the state root is where people have put it.
  return aside([path = HARN_TRY(state_root(run)) + "/" + place.file, work] { return work(path); });
}

}  // namespace

std::string fingerprint(const ReadStateFile::Answer& read) { return read.exists ? Digest::of(read.text) : ""; }

Outcome<ReadStateFile::Answer> carry_out(Run& run, const ReadStateFile& request) {
  Wanted wanted{run.workspace(), "agent_state_read", "read", Access::Read};
  return in_folder(run, request, wanted, [](const std::string& path) { return read(path); });
}

Outcome<bool> carry_out(Run& run, const ReplaceStateFile& request) {
  Wanted wanted{run.workspace(), "agent_state_write", "write", Access::Write};
  return in_folder(run, request, wanted, [request](const std::string& path) { return replace(path, request); });
}

Outcome<bool> carry_out(Run& run, const RemoveStateFile& request) {
  Wanted wanted{run.workspace(), "agent_state_delete", "delete", Access::Write};
  return in_folder(run, request, wanted, [](const std::string& path) { return remove(path); });
}

Outcome<ListStateFiles::Answer> carry_out(Run& run, const ListStateFiles& request) {
  std::string folder = HARN_TRY(from_home(run, request.folder));
  Wanted wanted{run.workspace(), "agent_state_list", "read", Access::Read};
  return aside([folder, wanted]() -> Result<ListStateFiles::Answer> {
    HARN_CHECK(wanted.check(folder, HARN_TRY(real_path(folder))));
    return list(folder);
  });
}

Outcome<Done> carry_out(Run& run, const MakeStateFolder& request) {
  std::string folder = HARN_TRY(from_home(run, request.folder));
  Wanted wanted{run.workspace(), "agent_state_init", "create", Access::Write};
  return aside([folder, wanted]() -> Result<Done> {
    HARN_CHECK(wanted.check(folder, HARN_TRY(real_path(folder))));
    if (std::error_code failed = make_folders(folder)) return std::unexpected(failure(folder, failed));
    return Done();
  });
}

}  // namespace harn::effects
