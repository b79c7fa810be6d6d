#include "log/sqlite.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/dynamic_library.h"
#include "base/fmt.h"

namespace harn::log {

namespace {

struct Loading {
  Sqlite functions{};
  std::string why;

  Loading() {
    DynamicLibrary library("libsqlite3.so.0");
#define HARN_SQLITE_FIND(name) library.find(functions.name, #name);
    HARN_SQLITE_FUNCTIONS(HARN_SQLITE_FIND)
#undef HARN_SQLITE_FIND
    why = library.why();
  }
};

// Short naps: a transaction of another process takes about as long as the disk needs for one sync.
int nap(void*, int count) {
  constexpr int64_t kFirstNap = 200'000, kLongestNap = 5'000'000;  // nanoseconds
  int64_t nanoseconds = std::min(kFirstNap << std::min(count, 8), kLongestNap);
  if (count * kLongestNap / 1'000'000 > Connection::kBusyMilliseconds) return 0;
  timespec time{0, nanoseconds};
  nanosleep(&time, nullptr);
  return 1;
}

ErrorKind kind_of(int code, int system) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorKind::Timeout;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return ErrorKind::Denied;
    case SQLITE_CANTOPEN: return system == EACCES || system == EROFS ? ErrorKind::Denied : ErrorKind::Io;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM: return ErrorKind::Limit;
    default: return system == ENOSPC || system == EDQUOT || system == EFBIG ? ErrorKind::Limit : ErrorKind::Io;
  }
}

std::string what_is_wrong(std::string_view what, int code, int system, const char* message) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("another process has kept it locked for {} s", Connection::kBusyMilliseconds / 1000);
    case SQLITE_FULL: return "the disk is full";
    case SQLITE_CORRUPT: return fmt::format("the file is damaged ({})", message);
    case SQLITE_NOTADB: return fmt::format("the file is not {}", what);
    case SQLITE_READONLY: return "it may not be written to";
    case SQLITE_TOOBIG: return "the text is too large";
    default: return system == 0 ? message : fmt::format("{} ({})", message, strerror(system));
  }
}

}  // namespace

Result<const Sqlite*> Sqlite::load() {
  static const Loading loading;
  if (loading.why.empty()) return &loading.functions;
  return fail(ErrorKind::Unsupported, fmt::format("SQLite is needed for event logs and caches: {}", loading.why));
}

// ---- connections ----

// What was said to models and by them is its owner's to read. SQLite gives the files beside a database the same mode. Only one that is not there yet is
// opened here: to close a second descriptor would let go of the locks that this process has on the first.
static void make_private(const std::string& path) {
  int made = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) close(made);
}

Result<std::unique_ptr<Connection>> Connection::open(const Sqlite& sqlite, const std::string& path,
                                                     std::string_view what) {
  std::unique_ptr<Connection> out(new Connection(sqlite, path, what));
  make_private(path);
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite.sqlite3_open_v2(path.c_str(), &out->handle_, kFlags, nullptr) != SQLITE_OK) return out->failed();
  sqlite.sqlite3_extended_result_codes(out->handle_, 1);
  sqlite.sqlite3_busy_handler(out->handle_, nap, nullptr);
  return out;
}

Connection::~Connection() { sqlite_.sqlite3_close_v2(handle_); }

std::unexpected<Error> Connection::failed() const {
  int code = sqlite_.sqlite3_extended_errcode(handle_);
  int system = sqlite_.sqlite3_system_errno(handle_);
  // Where it says nothing of the system's reason, that is still where the system has left it.
  if (system == 0 && (code & 0xff) == SQLITE_IOERR) system = errno;
  return fail(kind_of(code, system), fmt::format("{} {}: {}", what_.substr(what_.find(' ') + 1), path_,
                                                 what_is_wrong(what_, code, system, sqlite_.sqlite3_errmsg(handle_))));
}

Result<void> Connection::run(std::string_view sql) {
  auto statement = HARN_TRY(Statement::prepare(*this, sql));
  while (HARN_TRY(statement.step())) {}
  return {};
}

Result<int64_t> Connection::number(std::string_view sql) {
  auto statement = HARN_TRY(Statement::prepare(*this, sql));
  return HARN_TRY(statement.step()) ? statement.number(0) : 0;
}

// ---- statements ----

Result<Statement> Statement::prepare(const Connection& connection, std::string_view sql) {
  Statement out;
  out.connection_ = &connection;
  int code = connection.sqlite().sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                                    SQLITE_PREPARE_PERSISTENT, &out.handle_, nullptr);
  if (code != SQLITE_OK) return connection.failed();
  return out;
}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(handle_, other.handle_);
  return *this;
}

Statement::~Statement() {
  if (handle_) connection_->sqlite().sqlite3_finalize(handle_);
}

Statement& Statement::bind(int place, int64_t number) {
  connection_->sqlite().sqlite3_bind_int64(handle_, place, number);
  return *this;
}

Statement& Statement::bind(int place, std::string_view text) {
  // A null pointer would be NULL, not an empty text.
  const char* bytes = text.data() ? text.data() : "";
  connection_->sqlite().sqlite3_bind_text64(handle_, place, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Result<bool> Statement::step() {
  int code = connection_->sqlite().sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->failed();
}

Result<void> Statement::run() {
  auto stepped = step();
  reset();
  HARN_CHECK(std::move(stepped));
  return {};
}

void Statement::reset() { connection_->sqlite().sqlite3_reset(handle_); }

int64_t Statement::number(int column) const { return connection_->sqlite().sqlite3_column_int64(handle_, column); }

std::string_view Statement::text(int column) const {
  const void* bytes = connection_->sqlite().sqlite3_column_blob(handle_, column);
  int size = connection_->sqlite().sqlite3_column_bytes(handle_, column);
  return {static_cast<const char*>(bytes), static_cast<size_t>(size)};
}

}  // namespace harn::log
