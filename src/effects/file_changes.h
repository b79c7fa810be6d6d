#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What has happened to files, put together: of a file that was written, renamed and written again there is one change to tell.
// Plain data for any thread, one at a time.
namespace harn::effects {

struct FileChange {
  enum class Kind : uint8_t { Created, Modified, Deleted, Moved, Overflow };
  Kind kind = Kind::Created;
  std::string path;
  std::string old_path;  // of one that was moved; it may have been modified, too

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(kind), visit(path), visit(old_path);
  }
};

class FileChanges {
 public:
  void created(const std::string& path);
  void modified(const std::string& path);
  void deleted(const std::string& path);
  // `replaced`: there was something at `path`.
  void moved(const std::string& old_path, const std::string& path, bool replaced);
  // Some were lost: all below the path may have changed.
  void overflowed(const std::string& path);

  // By path; one that was lost comes first.
  std::vector<FileChange> take();

 private:
  struct Change {
    FileChange::Kind kind = FileChange::Kind::Created;
    std::string old_path;
    bool was_there = false;  // before all of these changes
  };

  std::map<std::string, Change> changes_;
  std::string overflowed_;
};

}  // namespace harn::effects
