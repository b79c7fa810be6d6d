#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

// Inside src/log only: SQLite, loaded by its first user, on any thread; and its connections and statements as objects that
// close themselves and answer by a Result. A connection is used by one thread at a time.
namespace harn::log {

#define HARN_SQLITE_FUNCTIONS(X)   \
  X(sqlite3_open_v2)               \
  X(sqlite3_close_v2)              \
  X(sqlite3_busy_handler)          \
  X(sqlite3_extended_errcode)      \
  X(sqlite3_extended_result_codes) \
  X(sqlite3_system_errno)          \
  X(sqlite3_errmsg)                \
  X(sqlite3_get_autocommit)        \
  X(sqlite3_prepare_v3)            \
  X(sqlite3_finalize)              \
  X(sqlite3_reset)                 \
  X(sqlite3_step)                  \
  X(sqlite3_bind_int64)            \
  X(sqlite3_bind_text64)           \
  X(sqlite3_column_int64)          \
  X(sqlite3_column_blob)           \
  X(sqlite3_column_bytes)

struct Sqlite {
#define HARN_SQLITE_MEMBER(name) decltype(&::name) name;
  HARN_SQLITE_FUNCTIONS(HARN_SQLITE_MEMBER)
#undef HARN_SQLITE_MEMBER

  // Or why it is not there: kind Unsupported.
  static Result<const Sqlite*> load();
};

class Statement;

class Connection {
 public:
  // Waits for other connections up to `kBusyMilliseconds`. `what` the file is, with its article: for messages.
  static Result<std::unique_ptr<Connection>> open(const Sqlite& sqlite, const std::string& path,
                                                  std::string_view what = "an event log");
  ~Connection();
  Connection(const Connection&) = delete;

  static constexpr int64_t kBusyMilliseconds = 10'000;

  const Sqlite& sqlite() const { return sqlite_; }
  sqlite3* handle() const { return handle_; }

  // Runs a statement that answers nothing, or whose answer does not matter.
  Result<void> run(std::string_view sql);
  // The first column of the first row.
  Result<int64_t> number(std::string_view sql);
  // What has just failed.
  std::unexpected<Error> failed() const;
  bool is_in_transaction() const { return sqlite_.sqlite3_get_autocommit(handle_) == 0; }

 private:
  Connection(const Sqlite& sqlite, std::string path, std::string_view what)
      : sqlite_(sqlite), path_(std::move(path)), what_(what) {}

  const Sqlite& sqlite_;
  std::string path_;
  std::string_view what_;
  sqlite3* handle_ = nullptr;
};

// Several statements that happen together or not at all.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {}
  ~Transaction() {
    if (connection_.is_in_transaction()) (void)connection_.run("ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Result<void> begin() { return connection_.run("BEGIN IMMEDIATE"); }
  Result<void> commit() { return connection_.run("COMMIT"); }

 private:
  Connection& connection_;
};

// Prepared once, used often:
//
//   find.bind(1, topic);
//   while (HARN_TRY(find.step())) use(find.text(0));
//   find.reset();                                          // or by `Use`
class Statement {
 public:
  Statement() = default;
  static Result<Statement> prepare(const Connection& connection, std::string_view sql);
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Texts are not copied: they must live until the reset.
  Statement& bind(int place, int64_t number);
  Statement& bind(int place, uint64_t number) { return bind(place, static_cast<int64_t>(number)); }
  Statement& bind(int place, std::string_view text);
  // True: there is a row.
  Result<bool> step();
  // For statements without rows: once, and ready to be used again.
  Result<void> run();
  void reset();

  int64_t number(int column) const;
  std::string_view text(int column) const;

  // Resets at the end of the scope.
  class Use {
   public:
    explicit Use(Statement& statement) : statement_(statement) {}
    ~Use() { statement_.reset(); }
    Use(const Use&) = delete;

   private:
    Statement& statement_;
  };

 private:
  const Connection* connection_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace harn::log
