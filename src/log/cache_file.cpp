#include "log/cache_file.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/fmt.h"
#include "log/sqlite.h"

namespace harn::log {

namespace {

// `used` counts uses within a namespace, so that it needs no clock: the smallest is the longest unused.
constexpr std::string_view kTable =
    R"(CREATE TABLE IF NOT EXISTS entries(
         namespace TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, used INTEGER NOT NULL,
         PRIMARY KEY(namespace, key)) WITHOUT ROWID)";
constexpr std::string_view kIndex = "CREATE INDEX IF NOT EXISTS entries_used ON entries(namespace, used)";

constexpr std::string_view kNextUse = "(SELECT coalesce(max(used), 0) + 1 FROM entries WHERE namespace = ?1)";

}  // namespace

CacheFile::CacheFile(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
CacheFile::~CacheFile() = default;
CacheFile::CacheFile(CacheFile&&) noexcept = default;

Result<CacheFile> CacheFile::open(const std::string& path) {
  const Sqlite* sqlite = HARN_TRY(Sqlite::load());
  CacheFile out(HARN_TRY(Connection::open(*sqlite, path, "a cache")));
  // A cache that loses its last entries with the power is still a cache.
  HARN_CHECK(out.connection_->run("PRAGMA journal_mode = WAL"));
  HARN_CHECK(out.connection_->run("PRAGMA synchronous = NORMAL"));
  HARN_CHECK(out.connection_->run(kTable));
  HARN_CHECK(out.connection_->run(kIndex));
  return out;
}

Result<std::optional<std::string>> CacheFile::read(std::string_view space, std::string_view key) {
  auto find = HARN_TRY(Statement::prepare(*connection_, "SELECT text FROM entries WHERE namespace = ?1 AND key = ?2"));
  find.bind(1, space).bind(2, key);
  if (!HARN_TRY(find.step())) return std::nullopt;
  std::string text(find.text(0));
  find.reset();
  auto use = HARN_TRY(Statement::prepare(
      *connection_, fmt::format("UPDATE entries SET used = {} WHERE namespace = ?1 AND key = ?2", kNextUse)));
  use.bind(1, space).bind(2, key);
  HARN_CHECK(use.run());
  return text;
}

Result<int64_t> CacheFile::count(std::string_view space) {
  auto count = HARN_TRY(Statement::prepare(*connection_, "SELECT count(*) FROM entries WHERE namespace = ?1"));
  count.bind(1, space);
  return HARN_TRY(count.step()) ? count.number(0) : 0;
}

Result<int64_t> CacheFile::write(std::string_view space, std::string_view key, std::string_view text,
                                 int64_t max_entries) {
  Transaction transaction(*connection_);
  HARN_CHECK(transaction.begin());
  auto put = HARN_TRY(
      Statement::prepare(*connection_, fmt::format("INSERT OR REPLACE INTO entries VALUES(?1, ?2, ?3, {})", kNextUse)));
  put.bind(1, space).bind(2, key).bind(3, text);
  HARN_CHECK(put.run());
  int64_t surplus = max_entries > 0 ? std::max<int64_t>(HARN_TRY(count(space)) - max_entries, 0) : 0;
  if (surplus > 0) {
    auto evict = HARN_TRY(Statement::prepare(*connection_,
                                             "DELETE FROM entries WHERE namespace = ?1 AND key IN "
                                             "(SELECT key FROM entries WHERE namespace = ?1 ORDER BY used LIMIT ?2)"));
    evict.bind(1, space).bind(2, surplus);
    HARN_CHECK(evict.run());
  }
  HARN_CHECK(transaction.commit());
  return surplus;
}

Result<int64_t> CacheFile::remove(std::string_view space, std::string_view key) {
  Transaction transaction(*connection_);
  HARN_CHECK(transaction.begin());
  int64_t before = HARN_TRY(count(space));
  auto remove = HARN_TRY(Statement::prepare(*connection_, "DELETE FROM entries WHERE namespace = ?1 AND key = ?2"));
  remove.bind(1, space).bind(2, key);
  HARN_CHECK(remove.run());
  int64_t gone = before - HARN_TRY(count(space));
  HARN_CHECK(transaction.commit());
  return gone;
}

Result<int64_t> CacheFile::clear(std::string_view space) {
  Transaction transaction(*connection_);
  HARN_CHECK(transaction.begin());
  int64_t gone = HARN_TRY(count(space));
  auto clear = HARN_TRY(Statement::prepare(*connection_, "DELETE FROM entries WHERE namespace = ?1"));
  clear.bind(1, space);
  HARN_CHECK(clear.run());
  HARN_CHECK(transaction.commit());
  return gone;
}

// ---- those that are open ----

CacheFiles::Identity CacheFiles::Identity::of(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

Result<CacheFile*> CacheFiles::find(const std::string& path) {
  auto found = open_.find(path);
  if (found != open_.end() && found->second.identity == Identity::of(path)) return &found->second.file;
  if (found != open_.end()) open_.erase(found);
  if (open_.size() >= kMostOpen) open_.erase(open_.begin());
  CacheFile file = HARN_TRY(CacheFile::open(path));
  return &open_.emplace(path, Open{std::move(file), Identity::of(path)}).first->second.file;
}

}  // namespace harn::log
