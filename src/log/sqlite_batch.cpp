#include "log/sqlite_batch.h"

#include "base/fmt.h"

namespace harn::log {

Result<Statements> Statements::prepare(const Connection& connection) {
  Statements out;
  struct Row {
    Statement& statement;
    std::string_view sql;
  };
  Row rows[] = {
      {out.begin, "BEGIN IMMEDIATE"},
      {out.commit, "COMMIT"},
      {out.rollback, "ROLLBACK"},
      {out.find_topic,
       "SELECT number, first, last, bytes, max_age_ms, max_count, max_bytes FROM topics WHERE name = ?1"},
      {out.add_topic,
       "INSERT INTO topics(name, first, last, bytes, max_age_ms, max_count, max_bytes) VALUES(?1, 1, 0, 0, 0, 0, 0) "
       "RETURNING number"},
      {out.change_topic,
       "UPDATE topics SET first = ?2, last = ?3, bytes = ?4, max_age_ms = ?5, max_count = ?6, max_bytes = ?7 "
       "WHERE number = ?1"},
      {out.add_event, "INSERT INTO events(place, at_ms, kind, payload, headers, key) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"},
      {out.find_key, "SELECT id FROM keys WHERE topic = ?1 AND key = ?2"},
      {out.add_key, "INSERT INTO keys(topic, key, id) VALUES(?1, ?2, ?3)"},
      {out.oldest,
       "SELECT at_ms, length(CAST(kind AS BLOB)) + length(CAST(payload AS BLOB)) + length(CAST(headers AS BLOB)) + "
       "length(CAST(key AS BLOB)), key FROM events WHERE place = ?1"},
      {out.remove_event, "DELETE FROM events WHERE place = ?1"},
      {out.remove_key, "DELETE FROM keys WHERE topic = ?1 AND key = ?2"},
  };
  for (Row& row : rows) row.statement = HARN_TRY(Statement::prepare(connection, row.sql));
  return out;
}

Batch::~Batch() {
  if (!connection_.is_in_transaction()) return;
  // If even that fails there is nothing to be undone: the file is as it was.
  [[maybe_unused]] auto ignored = statements_.rollback.run();
}

Result<void> Batch::begin() { return statements_.begin.run(); }

Result<void> Batch::commit() {
  for (const auto& [name, topic] : topics_) {
    if (topic.is_changed) HARN_CHECK(store_topic(topic));
  }
  return statements_.commit.run();
}

Result<void> Batch::store_topic(const Topic& topic) {
  return statements_.change_topic.bind(1, topic.number)
      .bind(2, topic.kept.first)
      .bind(3, topic.kept.last)
      .bind(4, topic.kept.bytes)
      .bind(5, topic.retention.max_age_ms)
      .bind(6, topic.retention.max_count)
      .bind(7, topic.retention.max_bytes)
      .run();
}

std::vector<std::pair<std::string, uint64_t>> Batch::grown() const {
  std::vector<std::pair<std::string, uint64_t>> out;
  for (const auto& [name, topic] : topics_) {
    if (topic.has_grown) out.emplace_back(name, topic.kept.last);
  }
  return out;
}

// ---- topics ----

Result<Batch::Topic*> Batch::topic(const std::string& name) {
  auto [at, is_new] = topics_.try_emplace(name);
  Topic& topic = at->second;
  if (!is_new) return &topic;
  Statement& find = statements_.find_topic;
  Statement::Use use(find);
  if (!HARN_TRY(find.bind(1, name).step())) return &topic;
  auto number = [&](int column) { return static_cast<uint64_t>(find.number(column)); };
  topic.number = number(0);
  topic.kept = {number(1), number(2), number(3)};
  topic.retention = {find.number(4), number(5), number(6)};
  return &topic;
}

Result<void> Batch::ensure_number(Topic& topic, const std::string& name) {
  if (topic.number) return {};
  Statement& add = statements_.add_topic;
  Statement::Use use(add);
  HARN_CHECK(add.bind(1, name).step());
  topic.number = static_cast<uint64_t>(add.number(0));
  if (topic.number <= kMostTopics) return {};
  return fail(ErrorKind::Limit, fmt::format("event log: there are {} topics, and no room for more", kMostTopics));
}

// ---- appending ----

Result<std::optional<uint64_t>> Batch::known_id(const Topic& topic, const std::string& key) {
  if (key.empty() || !topic.number) return std::nullopt;
  Statement& find = statements_.find_key;
  Statement::Use use(find);
  if (!HARN_TRY(find.bind(1, topic.number).bind(2, key).step())) return std::nullopt;
  return static_cast<uint64_t>(find.number(0));
}

Result<Appended> Batch::append(const NewEvent& event) {
  Topic& topic = *HARN_TRY(this->topic(event.topic));
  if (auto known = HARN_TRY(known_id(topic, event.key))) return Appended{Appended::How::Known, *known};
  if (event.expected_last && *event.expected_last != topic.kept.last) {
    return Appended{Appended::How::Conflict, topic.kept.last};
  }
  HARN_CHECK(ensure_number(topic, event.topic));
  HARN_CHECK(store(topic, event));
  HARN_CHECK(trim(topic, event.at_ms));
  return Appended{Appended::How::New, topic.kept.last};
}

Result<void> Batch::store(Topic& topic, const NewEvent& event) {
  uint64_t id = topic.kept.last + 1;
  if (id > kMostEvents) {
    return fail(ErrorKind::Limit, fmt::format("event log: the topic `{}` has had {} events, and no room for more",
                                              event.topic, kMostEvents));
  }
  HARN_CHECK(statements_.add_event.bind(1, place_of(topic.number, id))
                 .bind(2, event.at_ms)
                 .bind(3, event.kind)
                 .bind(4, event.payload)
                 .bind(5, event.headers)
                 .bind(6, event.key)
                 .run());
  if (!event.key.empty()) HARN_CHECK(statements_.add_key.bind(1, topic.number).bind(2, event.key).bind(3, id).run());
  topic.kept.last = id;
  topic.kept.bytes += size_of(event.kind, event.payload, event.headers, event.key);
  topic.is_changed = topic.has_grown = true;
  return {};
}

// ---- retention ----

Result<uint64_t> Batch::retain(const std::string& name, const Retention& retention, int64_t now_ms) {
  Topic& topic = *HARN_TRY(this->topic(name));
  HARN_CHECK(ensure_number(topic, name));
  topic.retention = retention;
  topic.is_changed = true;
  return trim(topic, now_ms);
}

Result<uint64_t> Batch::trim(Topic& topic, int64_t now_ms) {
  uint64_t before = topic.kept.first;
  while (may_go(topic.kept, topic.retention)) {
    int64_t place = place_of(topic.number, topic.kept.first);
    Statement& oldest = statements_.oldest;
    Statement::Use use(oldest);
    if (!HARN_TRY(oldest.bind(1, place).step())) {
      return fail(ErrorKind::Io, fmt::format("event log: the file is damaged (event {} is missing)", topic.kept.first));
    }
    if (!must_go(topic.kept, topic.retention, oldest.number(0), now_ms)) break;
    if (std::string key(oldest.text(2)); !key.empty()) {
      HARN_CHECK(statements_.remove_key.bind(1, topic.number).bind(2, key).run());
    }
    topic.kept.bytes -= static_cast<uint64_t>(oldest.number(1));
    oldest.reset();
    HARN_CHECK(statements_.remove_event.bind(1, place).run());
    ++topic.kept.first;
  }
  return topic.kept.first - before;
}

}  // namespace harn::log
