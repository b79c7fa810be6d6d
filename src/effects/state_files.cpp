#include "effects/state_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/replace_file.h"
#include "effects/file_failure.h"
#include "effects/state.h"
#include "log/cache_file.h"
#include "log/memory_index.h"
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
  failed = replace_file(path, request.text, request.is_derived ? Durability::Renamed : Durability::Synced,
                        request.is_private ? Readers::OwnerOnly : Readers::AsBefore);
  if (failed) return std::unexpected(failure(path, failed));
  return true;
}

// All of a text, or why not.
std::error_code write_all(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return system_error();
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

bool ends_inside_a_line(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  char last = '\n';
  return size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

Result<Done> append(const std::string& path, const std::string& line) {
  if (std::error_code failed = make_folders(fs::path(path).parent_path()))
    return std::unexpected(failure(path, failed));
  std::error_code failed;
  FileLock lock(path + ".lock", failed);
  if (failed) return std::unexpected(failure(path, failed));
  Descriptor file(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return std::unexpected(failure(path, system_error()));
  failed = write_all(file.get(), (ends_inside_a_line(file.get()) ? "\n" : "") + line + "\n");
  if (!failed && fdatasync(file.get()) != 0) failed = system_error();
  if (failed) return std::unexpected(failure(path, failed));
  return Done();
}

// A file, or a folder that is empty.
Result<bool> remove(const std::string& path) {
  if (unlink(path.c_str()) == 0) return true;
  if (errno == EISDIR && rmdir(path.c_str()) == 0) return true;
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
  std::string builtin;
  const char* verb;
  Access access;

  Result<void> check(const std::string& path, const std::filesystem::path& real) const {
    if (!workspace || workspace->allows(real.native(), access)) return {};
    return fail(ErrorKind::Denied, fmt::format("sandbox violation: builtin '{}' attempted to {} '{}' outside "
                                               "workspace_roots {}",
                                               builtin, verb, path, workspace->shown()));
  }
};

// A symbolic link in the folder must not lead out of it: keys come from agents.
Result<std::string> inside(const Wanted& wanted, const std::string& folder, const std::string& file) {
  std::string path = file.empty() ? folder : folder + "/" + file;
  fs::path root = HARN_TRY(real_path(folder)), real = HARN_TRY(real_path(path));
  if (!is_below(real, root)) return fail(ErrorKind::Denied, fmt::format("{}: leads out of {}", path, folder));
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
  return aside([path = HARN_TRY(state_path(run, place.file)), work] { return work(path); });
}

// The builtin of std/agent_state unless the request names another.
Wanted wanted_by(Run& run, const StatePath& place, const char* builtin, const char* verb, Access access) {
  return {run.workspace(), place.builtin.empty() ? builtin : place.builtin, verb, access};
}

}  // namespace

std::string fingerprint(const ReadStateFile::Answer& read) { return read.exists ? Digest::of(read.text) : ""; }

Outcome<ReadStateFile::Answer> carry_out(Run& run, const ReadStateFile& request) {
  Wanted wanted = wanted_by(run, request, "agent_state_read", "read", Access::Read);
  return in_folder(run, request, wanted, [](const std::string& path) { return read(path); });
}

Outcome<bool> carry_out(Run& run, const ReplaceStateFile& request) {
  Wanted wanted = wanted_by(run, request, "agent_state_write", "write", Access::Write);
  return in_folder(run, request, wanted, [request](const std::string& path) { return replace(path, request); });
}

Outcome<Done> carry_out(Run& run, const AppendStateLine& request) {
  Wanted wanted = wanted_by(run, request, "agent_state_write", "write", Access::Write);
  return in_folder(run, request, wanted, [line = request.line](const std::string& path) { return append(path, line); });
}

Outcome<Done> append_line(Run& run, const std::string& path, std::string line) {
  std::string place = HARN_TRY(from_home(run, path));
  return aside([place, line = std::move(line)] { return append(place, line); });
}

Outcome<bool> carry_out(Run& run, const RemoveStateFile& request) {
  Wanted wanted = wanted_by(run, request, "agent_state_delete", "delete", Access::Write);
  return in_folder(run, request, wanted, [](const std::string& path) { return remove(path); });
}

Outcome<ListStateFiles::Answer> carry_out(Run& run, const ListStateFiles& request) {
  Wanted wanted = wanted_by(run, request, "agent_state_list", "read", Access::Read);
  return in_folder(run, request, wanted, [](const std::string& path) { return list(path); });
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

// ---- files that are held ----

// By their paths. They are let go of when the VM ends.
struct HeldFiles {
  Mutex lock;
  std::map<std::string, Descriptor> files;
};
struct HeldFilesOfVm {
  std::shared_ptr<HeldFiles> held = std::make_shared<HeldFiles>();
};

// Whoever holds the lock of a folder is the only one who writes there: temporary files are of writers that were killed.
static void remove_leftovers(const fs::path& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::string name = entry.path().filename().native();
    if (name.starts_with('.') && name.ends_with(".tmp")) unlink(entry.path().c_str());
  }
}

static Result<HoldStateFile::Answer> hold(HeldFiles& held, const std::string& path) {
  std::lock_guard guard(held.lock);
  if (held.files.contains(path)) return HoldStateFile::Answer{false, std::to_string(getpid())};
  if (std::error_code failed = make_folders(fs::path(path).parent_path()))
    return std::unexpected(failure(path, failed));
  // Programs that are started do not get it: it would be held for as long as they run.
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return std::unexpected(failure(path, system_error()));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return std::unexpected(failure(path, system_error()));
    char holder[32] = {};
    ssize_t got = pread(file.get(), holder, sizeof holder - 1, 0);
    std::string text(holder, static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return HoldStateFile::Answer{false, text.substr(0, text.find('\n'))};
  }
  // Who it is is only told, so it does not matter when that cannot be written.
  (void)!ftruncate(file.get(), 0);
  (void)write_all(file.get(), std::to_string(getpid()) + "\n");
  held.files.emplace(path, std::move(file));
  remove_leftovers(fs::path(path).parent_path());
  return HoldStateFile::Answer{true, ""};
}

Outcome<HoldStateFile::Answer> carry_out(Run& run, const HoldStateFile& request) {
  Wanted wanted = wanted_by(run, request, "session_open", "write", Access::Write);
  auto held = current_vm().local<HeldFilesOfVm>().held;
  bool lets_go = request.lets_go;
  return in_folder(run, request, wanted, [held, lets_go](const std::string& path) -> Result<HoldStateFile::Answer> {
    if (!lets_go) return hold(*held, path);
    std::lock_guard guard(held->lock);
    return HoldStateFile::Answer{held->files.erase(path) > 0, ""};
  });
}

// ---- caches ----

// Those of a VM stay open until it ends, or until the job that uses them does.
struct OpenCaches {
  std::shared_ptr<log::CacheFiles> files = std::make_shared<log::CacheFiles>();
};
static std::shared_ptr<log::CacheFiles> open_caches() { return current_vm().local<OpenCaches>().files; }

static Result<CacheRead::Answer> read_cache(log::CacheFiles& caches, const std::string& path,
                                            const CacheRead& request) {
  if (!fs::exists(path)) return CacheRead::Answer();
  auto text = HARN_TRY(caches.with(path, [&](log::CacheFile& file) { return file.read(request.space, request.key); }));
  return CacheRead::Answer{text.has_value(), text.value_or("")};
}

static Result<int64_t> change(log::CacheFile& file, const CacheChange& request) {
  using What = CacheChange::What;
  switch (request.what) {
    case What::Write: return file.write(request.space, request.key, request.text, request.max_entries);
    case What::Remove: return file.remove(request.space, request.key);
    case What::Clear: return file.clear(request.space);
  }
  return 0;
}

static Result<int64_t> change_cache(log::CacheFiles& caches, const std::string& path, const CacheChange& request) {
  if (request.what != CacheChange::What::Write && !fs::exists(path)) return 0;
  if (std::error_code failed = make_folders(fs::path(path).parent_path()))
    return std::unexpected(failure(path, failed));
  return caches.with(path, [&](log::CacheFile& file) { return change(file, request); });
}

Outcome<CacheRead::Answer> carry_out(Run& run, const CacheRead& request) {
  Wanted wanted = wanted_by(run, request, "cache_get", "read", Access::Read);
  return in_folder(run, request, wanted, [request, caches = open_caches()](const std::string& path) {
    return read_cache(*caches, path, request);
  });
}

Outcome<int64_t> carry_out(Run& run, const CacheChange& request) {
  Wanted wanted = wanted_by(run, request, "cache_put", "write", Access::Write);
  return in_folder(run, request, wanted, [request, caches = open_caches()](const std::string& path) {
    return change_cache(*caches, path, request);
  });
}

// ---- memories ----

namespace {

// Those of a VM that are open, by the paths of their logs. Their lock is held for one search or addition.
struct OpenIndexes {
  Mutex lock;
  std::map<std::string, log::MemoryIndex> indexes;

  Result<log::MemoryIndex*> find(const std::string& log_path) {
    auto found = indexes.find(log_path);
    if (found != indexes.end()) return &found->second;
    return &indexes.emplace(log_path, HARN_TRY(log::MemoryIndex::open(index_path(log_path)))).first->second;
  }
  // It may be damaged, or of another log: it holds nothing that cannot be had again.
  void drop(const std::string& log_path) {
    indexes.erase(log_path);
    for (const char* end : {"", "-wal", "-shm"}) unlink((index_path(log_path) + end).c_str());
  }
  static std::string index_path(const std::string& log_path) {
    return (fs::path(log_path).parent_path() / "index.sqlite").string();
  }
};
struct OpenIndexesOfVm {
  std::shared_ptr<OpenIndexes> open = std::make_shared<OpenIndexes>();
};

// As much of a log as is indexed at a time.
constexpr int64_t kPart = 8 << 20;

Result<std::string> bytes_of(int file, const std::string& path, int64_t from, int64_t size) {
  std::string out(static_cast<size_t>(size), 0);
  size_t got = 0;
  while (got < out.size()) {
    ssize_t more = pread(file, out.data() + got, out.size() - got, from + static_cast<int64_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return std::unexpected(failure(path, system_error()));
    if (more == 0) break;
    got += static_cast<size_t>(more);
  }
  out.resize(got);
  return out;
}

Result<void> look_up(log::MemoryIndex& index, const SearchMemories& request, SearchMemories::Answer& out) {
  auto found = HARN_TRY(index.search(request.terms, request.limit));
  out.records = found.records, out.words = found.words, out.frequencies = std::move(found.frequencies);
  for (auto& hit : found.hits) out.places.push_back(hit.place), out.hits.push_back(std::move(hit.record));
  return {};
}

// The part of the log that comes next, in whole lines; a line that is being written is left for later.
Result<bool> is_behind(log::MemoryIndex& index, const Descriptor& file, const std::string& path, int64_t size,
                       SearchMemories::Answer& out) {
  auto mark = HARN_TRY(index.mark());
  auto tail_size = static_cast<int64_t>(mark.tail.size());
  out.begins_anew = mark.bytes > size || mark.bytes < tail_size ||
                    HARN_TRY(bytes_of(file.get(), path, mark.bytes - tail_size, tail_size)) != mark.tail;
  out.from = out.begins_anew ? 0 : mark.bytes;
  int64_t wanted = kPart;
  for (;;) {
    out.log = HARN_TRY(bytes_of(file.get(), path, out.from, std::min(wanted, size - out.from)));
    size_t end = out.log.rfind('\n');
    if (end != std::string::npos) out.log.resize(end + 1);
    else if (out.from + wanted < size) {
      wanted *= 2;
      continue;
    }  // one very long line
    else
      out.log.clear();
    out.is_behind = !out.log.empty();
    return out.is_behind;
  }
}

Result<SearchMemories::Answer> search(OpenIndexes& open, const std::string& path, const SearchMemories& request) {
  SearchMemories::Answer out;
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  int64_t size = file.is_open() ? lseek(file.get(), 0, SEEK_END) : 0;
  out.is_short = size < request.shortest;
  if (out.is_short) return out;
  std::lock_guard guard(open.lock);
  auto tried = [&]() -> Result<SearchMemories::Answer> {
    log::MemoryIndex* index = HARN_TRY(open.find(path));
    if (!HARN_TRY(is_behind(*index, file, path, size, out))) HARN_CHECK(look_up(*index, request, out));
    return out;
  };
  if (auto found = tried()) return found;
  open.drop(path);
  out = {};
  return tried();
}

Result<Done> add(OpenIndexes& open, const std::string& path, const AddMemories& request) {
  if (std::error_code failed = make_folders(fs::path(path).parent_path()))
    return std::unexpected(failure(path, failed));
  std::lock_guard guard(open.lock);
  if (request.begins_anew) open.drop(path);
  std::vector<log::MemoryEntry> entries;
  for (size_t i = 0; i < request.ids.size(); ++i)
    entries.push_back({request.ids[i], request.records[i], request.texts[i], request.words[i]});
  HARN_CHECK(HARN_TRY(open.find(path))->add(entries, {request.upto, request.tail}));
  return Done();
}

}  // namespace

Outcome<SearchMemories::Answer> carry_out(Run& run, const SearchMemories& request) {
  Wanted wanted = wanted_by(run, request, "memory_recall", "read", Access::Read);
  return in_folder(run, request, wanted,
                   [request, open = current_vm().local<OpenIndexesOfVm>().open](const std::string& path) {
                     return search(*open, path, request);
                   });
}

Outcome<Done> carry_out(Run& run, const AddMemories& request) {
  Wanted wanted = wanted_by(run, request, "memory_recall", "write", Access::Write);
  return in_folder(run, request, wanted,
                   [request, open = current_vm().local<OpenIndexesOfVm>().open](const std::string& path) {
                     return add(*open, path, request);
                   });
}

}  // namespace harn::effects
