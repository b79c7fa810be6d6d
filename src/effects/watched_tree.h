#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>

#include "effects/file_changes.h"
#include "effects/file_job.h"
#include "effects/places.h"

// A file, or a directory and all that is below it, that inotify watches.
//
// inotify watches directories one by one, and numbers them. What is known of the tree is kept here, so that a directory that
// appears is watched, one that is moved keeps its watches under its new path, and a file that takes the place of another (which
// is how most programs write files) is told as modified. Directories are opened by path when they have to be read, and asked
// about at the workspace like any other; none is held open, since one that is would never be told as deleted. Links are entries
// like files: what they lead to is not watched.
//
// Used by one thread at a time; nothing waits.
namespace harn::effects {

class WatchedTree {
 public:
  enum class Depth : uint8_t { Entries, Everything };
  // Nothing that happens after this is missed.
  static FileResult<std::shared_ptr<WatchedTree>> open(Errand errand, const std::string& path, Depth depth, Stop& stop);

  // Can be read when something has happened.
  const std::shared_ptr<const Descriptor>& descriptor() const { return inotify_; }
  // What has happened since the last time.
  FileResult<std::vector<FileChange>> changes(Stop& stop);
  // The root is gone: there will be no more.
  bool is_over() const { return is_over_; }  // any thread

 private:
  struct Event {
    uint32_t mask = 0, cookie = 0;
    std::string way;
    bool is_directory() const;
  };
  // A name that has gone, until it is known where to.
  struct Gone {
    uint32_t cookie = 0;
    std::string way;
  };

  WatchedTree(Errand errand, Depth depth);
  FileResult<void> add(const std::string& way, Stop& stop);
  FileResult<void> add_all(std::string way, Stop& stop);
  FileResult<void> begin_again(Stop& stop);
  FileResult<void> read_events(Stop& stop);
  FileResult<void> take(int watch, Event event, Stop& stop);
  FileResult<void> appeared(const Event& event, Stop& stop);
  void moved(const std::string& from, const std::string& to);
  void forget(const std::string& way);
  void settle_gone();
  std::string path_of(const std::string& way) const;

  Errand errand_;
  Depth depth_;
  std::string path_;
  std::string only_;  // the name of the one entry that is watched
  std::shared_ptr<const Descriptor> inotify_;
  // Ways are paths from the root, which is "".
  std::unordered_map<int, std::string> ways_;
  std::map<std::string, int> watches_;
  std::map<std::string, bool> entries_;  // whether it is a directory
  std::optional<Gone> gone_;
  FileChanges changes_;
  std::atomic<bool> is_over_ = false;
};

}  // namespace harn::effects
