#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

// One connection to PostgreSQL. Calls block their thread; one at a time per connection, on any thread. No message holds the
// password.
//
//   PgStop stop;
//   auto settings = PgSettings::parse("postgres://me:secret@db.example.com/things");
//   auto connection = PgConnection::connect(*settings, stop);
//   auto result = (*connection)->run("select id from things where name = $1", {PgParam::text("a")}, stop);
namespace harn::sql {

// Tells a call that is under way to end soon. Any thread.
class PgStop {
 public:
  PgStop();
  ~PgStop();
  PgStop(const PgStop&) = delete;

  void request();
  bool is_requested() const { return requested_; }
  // Until the descriptor is ready; false: it is to end, or the time is over (-1: none).
  bool wait(int fd, short events, int timeout_ms = -1) const;

 private:
  std::atomic<bool> requested_ = false;
  int event_;
};

struct PgError {
  enum class Kind : uint8_t {
    Settings,     // they make no sense
    Unavailable,  // no libpq
    Connect,      // nobody there, or not for us
    Blocked,      // check_address says no
    Timeout,
    Stopped,
    Lost,  // the connection broke in the middle
    TooLarge,
    Server,  // the statement failed
  };
  Kind kind = Kind::Server;
  std::string message;
  std::string state;  // SQLSTATE, where there is one
  std::string detail, hint, table, column, constraint;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(kind), visit(message), visit(state), visit(detail), visit(hint), visit(table), visit(column),
        visit(constraint);
  }
};

struct PgSettings {
  struct Host {
    std::string name;  // or the directory of a socket, or empty
    std::string address;
    int port = 5432;
  };
  std::vector<std::pair<std::string, std::string>> options;  // of libpq, without the hosts
  std::vector<Host> hosts;
  std::string password;
  int64_t connect_timeout_ms = 10'000;
  int64_t statement_timeout_ms = 0;  // 0: none
  int64_t statement_cache = 100;     // prepared statements that are kept
  // Why no connection may be made to a numeric address and port; empty: it may.
  std::function<std::string(const std::string& address, int port)> check_address;

  // A URL, or "host=... dbname=...".
  static std::expected<PgSettings, PgError> parse(const std::string& source);
};

// The types that parameters are sent as.
constexpr uint32_t kPgBool = 16, kPgBytes = 17, kPgInt8 = 20, kPgInt2 = 21, kPgInt4 = 23, kPgOid = 26, kPgJson = 114,
                   kPgFloat4 = 700, kPgFloat8 = 701, kPgJsonb = 3802;

struct PgParam {
  uint32_t type = 0;  // 0: as the statement needs it
  bool is_null = false;
  std::string value;  // as text; bytes as they are
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(type), visit(is_null), visit(value);
  }
};

struct PgCell {
  bool is_null = false;
  std::string text;  // of bytea: the bytes
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(is_null), visit(text);
  }
};

struct PgResult {
  struct Column {
    std::string name;
    uint32_t type = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(name), visit(type);
    }
  };
  std::vector<Column> columns;
  std::vector<PgCell> cells;  // row by row
  int64_t rows_affected = 0;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(columns), visit(cells), visit(rows_affected);
  }
};

class PgConnection {
 public:
  static std::expected<std::unique_ptr<PgConnection>, PgError> connect(const PgSettings& settings, const PgStop& stop);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;

  // Runs one statement. When it is told to stop, the server is told, too; the connection can be used again if `is_usable`. Rows
  // after the first `most_rows` are dropped; all of them together have a bound.
  std::expected<PgResult, PgError> run(const std::string& sql, const std::vector<PgParam>& params, const PgStop& stop,
                                       uint64_t most_rows = UINT64_MAX);
  // The same for what is run once, and only sets something.
  std::expected<PgResult, PgError> command(const std::string& sql, const PgStop& stop);

  // Forgets the prepared statements.
  void clear_statements(const PgStop& stop);

  bool is_usable() const;
  // The same of one that was idle: the server may have ended it meanwhile.
  bool is_alive();
  bool is_in_transaction() const;
  // In one that can only be rolled back.
  bool has_failed_transaction() const;

  // Of the rows of one result.
  static constexpr size_t kMostBytes = size_t{256} << 20;

 private:
  struct Statement {
    std::string key, name;
  };
  struct Handle;  // libpq's

  explicit PgConnection(std::unique_ptr<Handle> handle, int64_t statement_cache);
  std::expected<std::string, PgError> statement_for(const std::string& sql, const std::vector<PgParam>& params,
                                                    const PgStop& stop);
  void forget(const std::string& key, const PgStop& stop);
  std::expected<PgResult, PgError> answer(const PgStop& stop, uint64_t most_rows);
  std::optional<PgError> flush(const PgStop& stop);
  std::optional<PgError> wait_for_result(const PgStop& stop);
  void cancel_and_drain();
  PgError lost() const;

  std::unique_ptr<Handle> handle_;
  size_t statement_cache_;
  uint64_t last_statement_ = 0;
  std::list<Statement> statements_;  // the one used last comes first
  std::unordered_map<std::string, std::list<Statement>::iterator> by_key_;
};

}  // namespace harn::sql
