#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"

// Texts by namespace and key in a file of SQLite, the least recently used ones of which go first.
//
//   auto cache = HARN_TRY(CacheFile::open(path));          // made if it is not there; its folder must be
//   HARN_TRY(cache.write("llm", key, text, 256));
//   auto text = HARN_TRY(cache.read("llm", key));
//
// Several processes may have it open. The last one to close it waits for the disk, so those that are used again stay open
// (`CacheFiles`). Blocks, for a lock of another process up to ten seconds; used by one thread at a time. SQLite is loaded by the first to
// open one.
namespace harn::log {

class Connection;  // log/sqlite.h

class CacheFile {
 public:
  static Result<CacheFile> open(const std::string& path);
  ~CacheFile();
  CacheFile(CacheFile&&) noexcept;

  // What is there is now the most recently used.
  Result<std::optional<std::string>> read(std::string_view space, std::string_view key);
  // How many others had to go, so that there are `max_entries` at most in the namespace; 0: any number.
  Result<int64_t> write(std::string_view space, std::string_view key, std::string_view text, int64_t max_entries);
  // How many went.
  Result<int64_t> remove(std::string_view space, std::string_view key);
  Result<int64_t> clear(std::string_view space);

 private:
  explicit CacheFile(std::unique_ptr<Connection> connection);
  Result<int64_t> count(std::string_view space);

  std::unique_ptr<Connection> connection_;
};

// Those that are open. For any thread: one at a time uses them.
class CacheFiles {
 public:
  // Gives `use` the cache of that path, opened if need be, and what it answers.
  template <class Use>
  auto with(const std::string& path, Use use) -> decltype(use(std::declval<CacheFile&>())) {
    std::lock_guard guard(lock_);
    auto answer = use(*HARN_TRY(find(path)));
    if (!answer) open_.erase(path);  // whatever is wrong with it, the next one looks anew
    return answer;
  }

 private:
  // Which file was opened: somebody may have removed it, and made another.
  struct Identity {
    uint64_t device = 0, inode = 0;
    static Identity of(const std::string& path);
    bool operator==(const Identity&) const = default;
  };
  struct Open {
    CacheFile file;
    Identity identity;
  };
  static constexpr size_t kMostOpen = 8;

  Result<CacheFile*> find(const std::string& path);

  Mutex lock_;
  std::map<std::string, Open> open_;
};

}  // namespace harn::log
