#include "effects/directory.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/result.h"

namespace harn::effects {

static unsigned char type_of(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat info;
  bool known = fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0;
  return static_cast<unsigned char>(known ? IFTODT(info.st_mode) : static_cast<unsigned>(DT_UNKNOWN));
}

FileResult<std::vector<DirectoryEntry>> entries_of(const Descriptor& directory, Stop& stop) {
  // With a position of its own: `directory` can be read again.
  Descriptor own(openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own.is_open()) return file_failed(errno);
  DIR* opened = fdopendir(own.get());
  if (!opened) return file_failed(errno);
  own.release();
  std::unique_ptr<DIR, int (*)(DIR*)> stream(opened, closedir);
  std::vector<DirectoryEntry> entries;
  for (;;) {
    if (stop.is_requested()) return file_failed(ECANCELED);
    errno = 0;
    dirent* entry = readdir(stream.get());
    if (!entry) break;
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), type_of(dirfd(stream.get()), *entry)});
  }
  if (errno != 0) return file_failed(errno);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

namespace {

// A directory that is being emptied.
struct Level {
  std::string name;
  dev_t device;
  ino_t inode;
  std::vector<std::string> directories;  // still to be removed
};

// Goes down and up in a tree with one open directory.
class Removal {
 public:
  Removal(Descriptor parent, Stop& stop) : at_(std::move(parent)), stop_(stop) {}

  FileResult<void> remove(const std::string& name) {
    struct stat top = HARN_TRY(info_of(at_));
    HARN_CHECK(enter(name));
    while (!levels_.empty()) {
      auto& directories = levels_.back().directories;
      if (directories.empty()) {
        HARN_CHECK(leave(top));
        continue;
      }
      std::string next = std::move(directories.back());
      directories.pop_back();
      HARN_CHECK(enter(next));
    }
    return {};
  }

 private:
  FileResult<void> enter(const std::string& name) {
    Descriptor inner(openat(at_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.is_open()) return file_failed(errno);
    struct stat info = HARN_TRY(info_of(inner));
    Level level{name, info.st_dev, info.st_ino, {}};
    for (DirectoryEntry& entry : HARN_TRY(entries_of(inner, stop_))) {
      if (entry.type == DT_DIR) level.directories.push_back(std::move(entry.name));
      else if (unlinkat(inner.get(), entry.name.c_str(), 0) != 0 && errno != ENOENT) return file_failed(errno);
      if (stop_.is_requested()) return file_failed(ECANCELED);
    }
    at_ = std::move(inner);
    levels_.push_back(std::move(level));
    return {};
  }

  FileResult<void> leave(const struct stat& top) {
    std::string name = std::move(levels_.back().name);
    levels_.pop_back();
    Descriptor outer(openat(at_.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!outer.is_open()) return file_failed(errno);
    struct stat info = HARN_TRY(info_of(outer));
    dev_t device = levels_.empty() ? top.st_dev : levels_.back().device;
    ino_t inode = levels_.empty() ? top.st_ino : levels_.back().inode;
    if (info.st_dev != device || info.st_ino != inode) return file_failed(EBUSY);  // somebody has moved it
    at_ = std::move(outer);
    if (unlinkat(at_.get(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return file_failed(errno);
    return {};
  }

  Descriptor at_;
  Stop& stop_;
  std::vector<Level> levels_;
};

}  // namespace

FileResult<void> remove_tree(const Place& place, Stop& stop) {
  Descriptor parent(openat(place.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.is_open()) return file_failed(errno);
  return Removal(std::move(parent), stop).remove(place.name);
}

}  // namespace harn::effects
