#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// An index over a log of memories (std/memory), in a file of SQLite with FTS5. It holds nothing that is not in the log: whoever finds it damaged, or behind a log that
// has become another one, makes it anew.
//
//   auto index = HARN_TRY(MemoryIndex::open(path));
//   HARN_CHECK(index.add(entries, {.bytes = 4096, .tail = "..."}));     // what the log says up to there
//   auto found = HARN_TRY(index.search({"two", "spaces"}, 50));
//
// Several processes may have it open. Blocks; used by one thread at a time. SQLite is loaded by the first to open one.
namespace harn::log {

class Connection;  // log/sqlite.h

// How much of the log is in the index: bytes, and the last of them, by which a log that was replaced is known.
struct MemoryMark {
  int64_t bytes = 0;
  std::string tail;
};
constexpr size_t kMemoryTail = 64;

struct MemoryEntry {
  std::string id;
  std::string record;  // JSON; empty: the record is forgotten
  std::string text;    // what is searched
  int64_t words = 0;   // in the text
};

struct MemoryFound {
  int64_t records = 0;               // in the index
  int64_t words = 0;                 // in all of them
  std::vector<int64_t> frequencies;  // of each word that was asked for: how many records have it
  struct Hit {
    int64_t place;  // later ones are newer
    std::string record;
  };
  std::vector<Hit> hits;  // the best first, as FTS5 ranks them
};

class MemoryIndex {
 public:
  static Result<MemoryIndex> open(const std::string& path);
  ~MemoryIndex();
  MemoryIndex(MemoryIndex&&) noexcept;

  Result<MemoryMark> mark();
  // All of it or nothing. A record with an id that is there takes its place, as the newest.
  Result<void> add(const std::vector<MemoryEntry>& entries, const MemoryMark& mark);
  // Words that very many records have say little and cost much: they count as words that all have, and the rarest are looked for, one at least.
  Result<MemoryFound> search(const std::vector<std::string>& words, int64_t limit);

 private:
  explicit MemoryIndex(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace harn::log
