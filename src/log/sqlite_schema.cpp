#include "log/sqlite_schema.h"

#include <fstream>

#include "base/fmt.h"

namespace harn::log {

namespace {

constexpr int64_t kApplication = 0x4861726e;  // "Harn"
constexpr int64_t kVersion = 1;

// `event_log` is for people with a shell for SQLite.
constexpr std::string_view kTables[] = {
    R"(CREATE TABLE topics(
         number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
         first INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL,
         max_age_ms INTEGER NOT NULL, max_count INTEGER NOT NULL, max_bytes INTEGER NOT NULL))",
    R"(CREATE TABLE events(
         place INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL,
         kind TEXT NOT NULL, payload TEXT NOT NULL, headers TEXT NOT NULL, key TEXT NOT NULL))",
    R"(CREATE TABLE keys(
         topic INTEGER NOT NULL, key TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(topic, key)) WITHOUT ROWID)",
    R"(CREATE VIEW event_log AS
         SELECT topics.name AS topic, events.place & 0xFFFFFFFFFF AS id, at_ms, kind, payload, headers, key
         FROM topics JOIN events ON events.place >> 40 = topics.number)",
};

// What the file is. Reading it is the first thing that looks into it.
Result<bool> is_new(Connection& connection, const std::string& path) {
  int64_t application = HARN_TRY(connection.number("PRAGMA application_id"));
  int64_t version = HARN_TRY(connection.number("PRAGMA user_version"));
  int64_t tables = HARN_TRY(connection.number("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && version == 0 && tables == 0) return true;
  if (application != kApplication) {
    return fail(ErrorKind::Io, fmt::format("event log {}: the file is not an event log", path));
  }
  if (version == kVersion) return false;
  return fail(
      ErrorKind::Unsupported,
      fmt::format("event log {}: the file has version {}, and this harn reads version {}", path, version, kVersion));
}

// SQLite takes a file with less than a page in it for a new one, whatever it is: somebody's notes, or what is left of a
// log.
Result<void> check_first_page(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr size_t kPage = 4096;
  std::ifstream file(path, std::ios::binary);
  std::string page(kPage, '\0');
  file.read(page.data(), kPage);
  auto size = static_cast<size_t>(file.gcount());
  if (size == 0 || (size == kPage && page.starts_with(kMagic))) return {};
  std::string_view what = page.starts_with(kMagic) ? "is damaged (its first page is cut off)" : "is not an event log";
  return fail(ErrorKind::Io, fmt::format("event log {}: the file {}", path, what));
}

Result<void> make_tables(Connection& connection, const std::string& path) {
  HARN_CHECK(connection.run("BEGIN IMMEDIATE"));
  if (HARN_TRY(is_new(connection, path))) {  // another process may have been first
    for (std::string_view table : kTables) HARN_CHECK(connection.run(table));
    HARN_CHECK(connection.run(fmt::format("PRAGMA application_id = {}", kApplication)));
    HARN_CHECK(connection.run(fmt::format("PRAGMA user_version = {}", kVersion)));
  }
  return connection.run("COMMIT");
}

}  // namespace

Result<std::unique_ptr<Connection>> connect(const Sqlite& sqlite, const std::string& path) {
  auto connection = HARN_TRY(Connection::open(sqlite, path));
  bool is_empty = HARN_TRY(is_new(*connection, path));
  if (is_empty) {
    HARN_CHECK(check_first_page(path));
    // Before anything is written: the mode is part of the file.
    HARN_CHECK(connection->run("PRAGMA journal_mode = WAL"));
  }
  HARN_CHECK(connection->run("PRAGMA synchronous = FULL"));
  HARN_CHECK(connection->run("PRAGMA cell_size_check = ON"));
  if (is_empty) HARN_CHECK(make_tables(*connection, path));
  return connection;
}

}  // namespace harn::log
