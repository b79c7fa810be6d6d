#include "net/confine.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/descriptor.h"
#include "base/dynamic_library.h"
#include "base/fmt.h"
#include "base/text.h"

namespace harn::net {

namespace {

std::unexpected<Error> cannot(std::string_view what) {
  return fail(ErrorKind::Unsupported, fmt::format("{}: {}", what, strerror(errno)));
}

// ---- privileges ----

// What root keeps: to work with files and processes as it is used to. Not: to look into other processes, to change the
// kernel, the network or the clock.
constexpr int kKept[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,   CAP_FSETID,           CAP_SETGID,
                         CAP_SETUID, CAP_KILL,         CAP_SYS_NICE, CAP_NET_BIND_SERVICE, CAP_IPC_LOCK};

// Those who are not root have nothing to give up, and are told so.
void give_up_privileges() {
  for (int capability = 0; capability <= 63; ++capability) {
    bool is_kept = std::find(std::begin(kKept), std::end(kKept), capability) != std::end(kKept);
    if (!is_kept && prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
}

// ---- files: Landlock ----

// What the headers of older systems do not know.
constexpr uint64_t kTruncate = 1ull << 14;                      // since version 3
constexpr uint64_t kIoctlDevice = 1ull << 15;                   // since version 5
constexpr uint64_t kScopeAbstractSocket = 1, kScopeSignal = 2;  // since version 6
struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scopes = 0;
};

constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kAll = (LANDLOCK_ACCESS_FS_REFER << 1) - 1;  // those of version 2
// Those that make sense for what is no folder.
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kIoctlDevice;

constexpr const char* kSystemFolders[] = {"/usr", "/bin",  "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc",
                                          "/opt", "/proc", "/sys",  "/run", "/nix",   "/snap",  "/var/lib"};
// What is secret among them, for those who could read it: root, and whoever runs in a container with secrets mounted.
constexpr const char* kSystemSecrets[] = {"/etc/shadow",
                                          "/etc/shadow-",
                                          "/etc/gshadow",
                                          "/etc/gshadow-",
                                          "/etc/sudoers",
                                          "/etc/sudoers.d",
                                          "/etc/ssl/private",
                                          "/etc/ssh/ssh_host_rsa_key",
                                          "/etc/ssh/ssh_host_ecdsa_key",
                                          "/etc/ssh/ssh_host_ed25519_key",
                                          "/run/secrets"};
// Settings at home without which programs do not even start: git ends when it may not read its own. Nothing secret is in them;
// git keeps credentials in other files.
constexpr const char* kHomeSettings[] = {".gitconfig", ".config/git/config", ".config/git/ignore",
                                         ".config/git/attributes"};
constexpr const char* kScratchFolders[] = {"/tmp", "/var/tmp", "/dev/shm"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

class FileRules {
 public:
  static Result<FileRules> make() {
    long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 2) return cannot("the kernel has no Landlock, or an old one");
    RulesetAttributes attributes{.files = kAll};
    if (version >= 3) attributes.files |= kTruncate;
    if (version >= 5) attributes.files |= kIoctlDevice;
    if (version >= 6) attributes.scopes = kScopeAbstractSocket | kScopeSignal;
    size_t size = version >= 6 ? sizeof attributes : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    FileRules rules;
    rules.handled_ = attributes.files;
    rules.ruleset_ = Descriptor(static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    if (rules.ruleset_.get() < 0) return cannot("Landlock");
    return rules;
  }

  // What does not exist needs no rule.
  Result<void> allow(const std::string& path, uint64_t access) {
    Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat info;
    if (place.get() < 0 || fstat(place.get(), &info) != 0) return {};
    if (!S_ISDIR(info.st_mode)) access &= kOfFiles;
    landlock_path_beneath_attr rule{.allowed_access = access & handled_, .parent_fd = place.get()};
    if (syscall(SYS_landlock_add_rule, ruleset_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
      return cannot(fmt::format("Landlock, {}", path));
    return {};
  }

  Result<void> hold() {
    if (syscall(SYS_landlock_restrict_self, ruleset_.get(), 0) != 0) return cannot("Landlock");
    return {};
  }

 private:
  Descriptor ruleset_;
  uint64_t handled_ = 0;
};

// Programs bring what they need with them: beside `/opt/x/bin` is `/opt/x/lib`. But not where that is all of home.
std::string home_of_programs(const std::string& folder) {
  const char* home = getenv("HOME");
  size_t slash = folder.rfind('/');
  std::string beside = slash == 0 || slash == folder.npos ? "" : folder.substr(0, slash);
  bool is_too_much = beside.empty() || beside == "/home" || (home && (std::string_view(home) == beside));
  return is_too_much ? folder : beside;
}

Result<void> allow_programs(FileRules& rules) {
  const char* path = getenv("PATH");
  for (std::string_view folder : text::split(path ? path : "", ":")) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    if (folder.starts_with('/')) HARN_CHECK(rules.allow(home_of_programs(std::string(folder)), kRead));
  }
  return {};
}

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// A folder but for what is hidden in it: rules can only allow, and hold for all that is below, so everything beside it is allowed by itself.
Result<void> allow_around(FileRules& rules, const std::string& path, uint64_t access,
                          const std::vector<std::string>& hidden) {
  auto is_hidden = [&](const std::string& one) { return is_inside(path, one); };
  if (std::any_of(hidden.begin(), hidden.end(), is_hidden)) return {};
  auto is_below = [&](const std::string& one) { return is_inside(one, path); };
  if (std::none_of(hidden.begin(), hidden.end(), is_below)) return rules.allow(path, access);
  HARN_CHECK(rules.allow(path, access & LANDLOCK_ACCESS_FS_READ_DIR));
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return {};
  while (const dirent* entry = readdir(folder.get())) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    HARN_CHECK(allow_around(rules, fmt::format("{}{}{}", path, path == "/" ? "" : "/", name), access, hidden));
  }
  return {};
}

Result<void> allow_system(FileRules& rules) {
  std::vector<std::string> secrets;
  for (const char* path : kSystemSecrets) {
    if (access(path, R_OK) == 0) secrets.emplace_back(path);
  }
  for (const char* folder : kSystemFolders) HARN_CHECK(allow_around(rules, folder, kRead, secrets));
  return {};
}

Result<void> allow_home_settings(FileRules& rules) {
  const char* home = getenv("HOME");
  if (!home || *home != '/') return {};
  for (const char* path : kHomeSettings)
    HARN_CHECK(rules.allow(fmt::format("{}/{}", home, path), LANDLOCK_ACCESS_FS_READ_FILE));
  return {};
}

Result<void> confine_files(const Confinement& confinement) {
  FileRules rules = HARN_TRY(FileRules::make());
  uint64_t everything = kAll | kTruncate;
  // No devices are made, and none are spoken to but the harmless ones.
  everything &= ~static_cast<uint64_t>(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK);
  HARN_CHECK(allow_system(rules));
  HARN_CHECK(allow_programs(rules));
  HARN_CHECK(allow_home_settings(rules));
  for (const char* folder : kScratchFolders) HARN_CHECK(rules.allow(folder, everything));
  if (const char* scratch = getenv("TMPDIR")) HARN_CHECK(rules.allow(scratch, everything));
  for (const char* device : kDevices) HARN_CHECK(rules.allow(device, kRead | LANDLOCK_ACCESS_FS_WRITE_FILE));
  const auto& hidden = confinement.hidden;
  for (const std::string& path : confinement.readable) HARN_CHECK(allow_around(rules, path, kRead, hidden));
  for (const std::string& path : confinement.writable) HARN_CHECK(allow_around(rules, path, everything, hidden));
  return rules.hold();
}

// ---- system calls: seccomp ----

// libseccomp, loaded by the first child that is confined.
struct SeccompLibrary {
  decltype(&::seccomp_init) init;
  decltype(&::seccomp_release) release;
  decltype(&::seccomp_load) load;
  decltype(&::seccomp_rule_add_array) rule_add;
  decltype(&::seccomp_syscall_resolve_name) resolve;

  static Result<const SeccompLibrary*> get() {
    static const auto* loaded = new Result<const SeccompLibrary*>(read());
    return *loaded;
  }

 private:
  static Result<const SeccompLibrary*> read() {
    auto* library = new SeccompLibrary;
    DynamicLibrary file("libseccomp.so.2");
    file.find(library->init, "seccomp_init")
        .find(library->release, "seccomp_release")
        .find(library->load, "seccomp_load")
        .find(library->rule_add, "seccomp_rule_add_array")
        .find(library->resolve, "seccomp_syscall_resolve_name");
    if (file.is_complete()) return library;
    return fail(ErrorKind::Unsupported, file.why());
  }
};

// What reaches into the kernel, other processes or other worlds. A name that this kernel's library does not know is
// left out: there is no such call then.
constexpr const char* kForbidden[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise",
    // other views of the file system
    "mount", "umount2", "umount", "move_mount", "mount_setattr", "open_tree", "fsopen", "fsmount", "fsconfig", "fspick",
    "pivot_root", "chroot", "unshare", "setns", "open_by_handle_at", "name_to_handle_at", "quotactl", "quotactl_fd",
    "swapon", "swapoff", "acct",
    // the kernel itself
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "bpf", "perf_event_open",
    "userfaultfd", "keyctl", "add_key", "request_key", "iopl", "ioperm", "lookup_dcookie", "vhangup", "syslog",
    // around this filter
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    // the clock
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime"};

class CallRules {
 public:
  static Result<CallRules> make() {
    CallRules rules;
    rules.library_ = HARN_TRY(SeccompLibrary::get());
    rules.filter_ = rules.library_->init(SCMP_ACT_ALLOW);
    if (!rules.filter_) return cannot("seccomp");
    return rules;
  }
  CallRules(CallRules&& other) noexcept
      : library_(other.library_), filter_(std::exchange(other.filter_, nullptr)), failed_(other.failed_) {}
  ~CallRules() {
    if (filter_) library_->release(filter_);
  }

  void forbid(const char* name, int error, std::vector<scmp_arg_cmp> arguments = {}) {
    int number = library_->resolve(name);
    if (number == __NR_SCMP_ERROR) return;
    auto count = static_cast<unsigned>(arguments.size());
    int code =
        library_->rule_add(filter_, SCMP_ACT_ERRNO(static_cast<uint16_t>(error)), number, count, arguments.data());
    if (code != 0 && code != -EDOM) failed_ = code;  // EDOM: this processor has no such call
  }

  Result<void> hold() {
    int code = failed_ ? failed_ : library_->load(filter_);
    if (code == 0) return {};
    errno = -code;
    return cannot("seccomp");
  }

 private:
  CallRules() = default;
  const SeccompLibrary* library_ = nullptr;
  scmp_filter_ctx filter_ = nullptr;
  int failed_ = 0;
};

Result<void> confine_calls(bool may_use_network) {
  CallRules rules = HARN_TRY(CallRules::make());
  for (const char* name : kForbidden) rules.forbid(name, EPERM);
  // A world of its own would come with privileges in it. What clone3 is asked cannot be seen: it is not there, and clone
  // is used instead.
  rules.forbid("clone", EPERM, {{0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER}});
  rules.forbid("clone3", ENOSYS);
  // Typing for the user, on the terminal that the program was started from.
  rules.forbid("ioctl", EPERM, {{1, SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI}});
  rules.forbid("ioctl", EPERM, {{1, SCMP_CMP_MASKED_EQ, 0xffffffff, 0x541C /* TIOCLINUX */}});
  if (!may_use_network) rules.forbid("socket", EACCES);
  return rules.hold();
}

}  // namespace

void prepare_confinement() { (void)SeccompLibrary::get(); }

Result<void> confine_this_thread(const Confinement& confinement) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot("no new privileges");
  give_up_privileges();
  HARN_CHECK(confine_files(confinement));
  return confine_calls(confinement.may_use_network);
}

}  // namespace harn::net
