#include "log/memory_index.h"

#include <algorithm>
#include <numeric>

#include "base/fmt.h"
#include "log/sqlite.h"

namespace harn::log {

namespace {

// `place` counts up and is never used again, so that it says which of two records is newer.
constexpr std::string_view kSchema[] = {
    "CREATE TABLE IF NOT EXISTS mark(one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL, tail TEXT NOT "
    "NULL)",
    "CREATE TABLE IF NOT EXISTS totals(one INTEGER PRIMARY KEY CHECK (one = 1), records INTEGER NOT NULL, words "
    "INTEGER NOT NULL, "
    "looked_through INTEGER NOT NULL)",
    "INSERT OR IGNORE INTO totals VALUES(1, 0, 0, 0)",
    // Words that so many records have that they say little: to count them takes longer than all the rest.
    "CREATE TABLE IF NOT EXISTS common(word TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS records(place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, record TEXT "
    "NOT NULL, "
    "text TEXT NOT NULL, words INTEGER NOT NULL)",
    // The words as std/memory has them: letters, digits and underscores, in lower case.
    "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, content='records', content_rowid='place', "
    "tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")",
    "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(texts, row)",
};

// How many records a search looks at; a word that more of them have is common.
constexpr int64_t kBudget = 2000;

// Looks through all words when there are twice as many records as the last time.
Result<void> note_common(Connection& connection) {
  int64_t records = HARN_TRY(connection.number("SELECT records FROM totals"));
  if (records <= kBudget || records < 2 * HARN_TRY(connection.number("SELECT looked_through FROM totals"))) return {};
  HARN_CHECK(
      connection.run(fmt::format("INSERT OR IGNORE INTO common SELECT term FROM vocabulary WHERE doc > {}", kBudget)));
  return connection.run("UPDATE totals SET looked_through = records");
}

// One word as a query of FTS5.
std::string quoted(const std::string& word) {
  std::string out = "\"";
  for (char c : word) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

MemoryIndex::MemoryIndex(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
MemoryIndex::~MemoryIndex() = default;
MemoryIndex::MemoryIndex(MemoryIndex&&) noexcept = default;

Result<MemoryIndex> MemoryIndex::open(const std::string& path) {
  const Sqlite* sqlite = HARN_TRY(Sqlite::load());
  MemoryIndex out(HARN_TRY(Connection::open(*sqlite, path, "an index of memories")));
  // What is lost with the power is taken from the log again.
  HARN_CHECK(out.connection_->run("PRAGMA journal_mode = WAL"));
  HARN_CHECK(out.connection_->run("PRAGMA synchronous = NORMAL"));
  if (HARN_TRY(out.connection_->number("SELECT count(*) FROM sqlite_master WHERE name = 'vocabulary'")) > 0) return out;
  for (std::string_view statement : kSchema) HARN_CHECK(out.connection_->run(statement));
  return out;
}

Result<MemoryMark> MemoryIndex::mark() {
  auto find = HARN_TRY(Statement::prepare(*connection_, "SELECT bytes, tail FROM mark"));
  if (!HARN_TRY(find.step())) return MemoryMark();
  return MemoryMark{find.number(0), std::string(find.text(1))};
}

Result<void> MemoryIndex::add(const std::vector<MemoryEntry>& entries, const MemoryMark& mark) {
  Transaction transaction(*connection_);
  HARN_CHECK(transaction.begin());
  auto find = HARN_TRY(Statement::prepare(*connection_, "SELECT place, text, words FROM records WHERE id = ?1"));
  auto unindex =
      HARN_TRY(Statement::prepare(*connection_, "INSERT INTO texts(texts, rowid, text) VALUES('delete', ?1, ?2)"));
  auto remove = HARN_TRY(Statement::prepare(*connection_, "DELETE FROM records WHERE place = ?1"));
  auto put =
      HARN_TRY(Statement::prepare(*connection_, "INSERT INTO records(id, record, text, words) VALUES(?1, ?2, ?3, ?4)"));
  auto index =
      HARN_TRY(Statement::prepare(*connection_, "INSERT INTO texts(rowid, text) VALUES(last_insert_rowid(), ?1)"));
  int64_t records = 0, words = 0;
  for (const MemoryEntry& entry : entries) {
    find.bind(1, entry.id);
    if (HARN_TRY(find.step())) {
      int64_t place = find.number(0);
      std::string text(find.text(1));
      --records, words -= find.number(2);
      find.reset();
      HARN_CHECK(unindex.bind(1, place).bind(2, text).run());
      HARN_CHECK(remove.bind(1, place).run());
    }
    find.reset();
    if (entry.record.empty()) continue;
    HARN_CHECK(put.bind(1, entry.id).bind(2, entry.record).bind(3, entry.text).bind(4, entry.words).run());
    HARN_CHECK(index.bind(1, entry.text).run());
    ++records, words += entry.words;
  }
  auto count =
      HARN_TRY(Statement::prepare(*connection_, "UPDATE totals SET records = records + ?1, words = words + ?2"));
  HARN_CHECK(count.bind(1, records).bind(2, words).run());
  auto note = HARN_TRY(Statement::prepare(*connection_, "INSERT OR REPLACE INTO mark VALUES(1, ?1, ?2)"));
  HARN_CHECK(note.bind(1, mark.bytes).bind(2, mark.tail).run());
  HARN_CHECK(note_common(*connection_));
  return transaction.commit();
}

// How many records have the word; all of them, when it is common.
static Result<int64_t> frequency_of(Statement& common, Statement& count, const std::string& word, int64_t records) {
  Statement::Use use(common), use_count(count);
  common.bind(1, word);
  if (HARN_TRY(common.step())) return records;
  count.bind(1, word);
  int64_t found = HARN_TRY(count.step()) ? count.number(0) : 0;
  return found > kBudget ? records : found;
}

Result<MemoryFound> MemoryIndex::search(const std::vector<std::string>& words, int64_t limit) {
  MemoryFound out;
  auto totals = HARN_TRY(Statement::prepare(*connection_, "SELECT records, words FROM totals"));
  if (HARN_TRY(totals.step())) out.records = totals.number(0), out.words = totals.number(1);
  totals.reset();
  auto common = HARN_TRY(Statement::prepare(*connection_, "SELECT 1 FROM common WHERE word = ?1"));
  auto count = HARN_TRY(Statement::prepare(*connection_, "SELECT doc FROM vocabulary WHERE term = ?1"));
  for (const std::string& word : words)
    out.frequencies.push_back(HARN_TRY(frequency_of(common, count, word, out.records)));
  std::vector<size_t> order(words.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return out.frequencies[a] < out.frequencies[b]; });
  std::string query;
  int64_t looked_at = 0;
  for (size_t at : order) {
    if (out.frequencies[at] == 0) continue;
    if (!query.empty() && looked_at + out.frequencies[at] > kBudget) break;
    looked_at += out.frequencies[at];
    query += (query.empty() ? "" : " OR ") + quoted(words[at]);
  }
  if (query.empty()) return out;
  // A word that everything has ranks nothing: then the newest are looked at, which is quick.
  std::string_view by_rank = "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY rank, rowid DESC LIMIT ?2";
  std::string_view by_age = "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY rowid DESC LIMIT ?2";
  auto match = HARN_TRY(Statement::prepare(*connection_, looked_at > kBudget ? by_age : by_rank));
  auto read = HARN_TRY(Statement::prepare(*connection_, "SELECT record FROM records WHERE place = ?1"));
  match.bind(1, query).bind(2, limit);
  while (HARN_TRY(match.step())) {
    Statement::Use use(read);
    read.bind(1, match.number(0));
    if (HARN_TRY(read.step())) out.hits.push_back({match.number(0), std::string(read.text(0))});
  }
  return out;
}

}  // namespace harn::log
