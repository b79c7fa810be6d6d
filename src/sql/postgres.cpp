#include "sql/postgres.h"

#include <poll.h>

#include "base/fmt.h"
#include "sql/postgres_handle.h"

namespace harn::sql {

using Kind = PgError::Kind;

namespace {

// How long the server may take to say that a statement was cancelled.
constexpr int kCancelMs = 2'000;

using Result = std::unique_ptr<PGresult, decltype(&::PQclear)>;

std::string text_of(const char* text) { return text ? text : ""; }

PgError server_error(const LibPq& pq, const PGresult* result) {
  auto field = [&](int code) { return text_of(pq.PQresultErrorField(result, code)); };
  PgError error{.kind = Kind::Server, .message = field(PG_DIAG_MESSAGE_PRIMARY)};
  error.state = field(PG_DIAG_SQLSTATE);
  error.detail = field(PG_DIAG_MESSAGE_DETAIL);
  error.hint = field(PG_DIAG_MESSAGE_HINT);
  error.table = field(PG_DIAG_TABLE_NAME);
  error.column = field(PG_DIAG_COLUMN_NAME);
  error.constraint = field(PG_DIAG_CONSTRAINT_NAME);
  int given = 0, needed = 0;  // the server's text has our name of the statement
  if (sscanf(error.message.c_str(),
             "bind message supplies %d parameters, but prepared statement \"%*[^\"]\" requires %d", &given,
             &needed) == 2)
    error.message = fmt::format("{} parameters are given, the statement needs {}", given, needed);
  if (error.message.empty()) error.message = plain_message(pq.PQresultErrorMessage(result));
  return error;
}

// There would be no end of such results.
bool is_copy(ExecStatusType status) {
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

// What a statement is known by: its text, and what its parameters are.
std::string key_of(const std::string& sql, const std::vector<PgParam>& params) {
  std::string key = sql;
  for (const PgParam& param : params) key += fmt::format("\1{}", param.type);
  return key;
}

// Bytea comes as text: "\x00ff".
std::string bytes_of(const LibPq& pq, const char* text) {
  size_t size = 0;
  unsigned char* bytes = pq.PQunescapeBytea(reinterpret_cast<const unsigned char*>(text), &size);
  std::string result(reinterpret_cast<char*>(bytes), bytes ? size : 0);
  pq.PQfreemem(bytes);
  return result;
}

// Adds the rows of a piece of the answer; how many bytes they have.
size_t add_rows(const LibPq& pq, const PGresult* piece, PgResult& result) {
  int columns = pq.PQnfields(piece);
  if (result.columns.empty()) {
    for (int i = 0; i < columns; ++i) result.columns.push_back({text_of(pq.PQfname(piece, i)), pq.PQftype(piece, i)});
  }
  size_t bytes = 0;
  for (int row = 0; row < pq.PQntuples(piece); ++row) {
    for (int i = 0; i < columns; ++i) {
      PgCell cell{.is_null = pq.PQgetisnull(piece, row, i) != 0};
      const char* value = pq.PQgetvalue(piece, row, i);
      if (!cell.is_null) {
        if (pq.PQftype(piece, i) == kPgBytes) cell.text = bytes_of(pq, value);
        else cell.text.assign(value, static_cast<size_t>(pq.PQgetlength(piece, row, i)));
      }
      bytes += sizeof cell + cell.text.size();
      result.cells.push_back(std::move(cell));
    }
  }
  return bytes;
}

// Parameters as libpq wants them.
struct Sent {
  explicit Sent(const std::vector<PgParam>& params) {
    for (const PgParam& param : params) {
      types.push_back(param.type);
      values.push_back(param.is_null ? nullptr : param.value.c_str());
      sizes.push_back(static_cast<int>(param.value.size()));
      formats.push_back(param.type == kPgBytes ? 1 : 0);
    }
  }
  int count() const { return static_cast<int>(types.size()); }
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> sizes, formats;
};

}  // namespace

PgConnection::PgConnection(std::unique_ptr<Handle> handle, int64_t statement_cache)
    : handle_(std::move(handle)), statement_cache_(static_cast<size_t>(statement_cache)) {}
PgConnection::~PgConnection() = default;

bool PgConnection::is_usable() const {
  return handle_->pq.PQstatus(handle_->connection) == CONNECTION_OK &&
         handle_->pq.PQtransactionStatus(handle_->connection) != PQTRANS_ACTIVE;
}

// A server that talks to a connection which asks nothing is about to end it. (Or its settings have changed, which is rare.)
bool PgConnection::is_alive() {
  pollfd input{handle_->pq.PQsocket(handle_->connection), POLLIN, 0};
  return is_usable() && poll(&input, 1, 0) == 0;
}

bool PgConnection::is_in_transaction() const {
  auto status = handle_->pq.PQtransactionStatus(handle_->connection);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool PgConnection::has_failed_transaction() const {
  return handle_->pq.PQtransactionStatus(handle_->connection) == PQTRANS_INERROR;
}

PgError PgConnection::lost() const {
  std::string why = plain_message(handle_->pq.PQerrorMessage(handle_->connection));
  return {.kind = Kind::Lost, .message = why.empty() ? "the connection was lost" : "the connection was lost: " + why};
}

// ---- one exchange ----

std::optional<PgError> PgConnection::flush(const PgStop& stop) {
  const LibPq& pq = handle_->pq;
  for (;;) {
    int left = pq.PQflush(handle_->connection);
    if (left == 0) return std::nullopt;
    if (left < 0) return lost();
    if (!stop.wait(pq.PQsocket(handle_->connection), POLLIN | POLLOUT) && stop.is_requested())
      return PgError{.kind = Kind::Stopped, .message = "stopped"};
    if (!pq.PQconsumeInput(handle_->connection)) return lost();
  }
}

std::optional<PgError> PgConnection::wait_for_result(const PgStop& stop) {
  const LibPq& pq = handle_->pq;
  while (pq.PQisBusy(handle_->connection)) {
    if (!stop.wait(pq.PQsocket(handle_->connection), POLLIN) && stop.is_requested())
      return PgError{.kind = Kind::Stopped, .message = "stopped"};
    if (!pq.PQconsumeInput(handle_->connection)) return lost();
  }
  return std::nullopt;
}

// Tells the server to give the statement up, and reads what is still on the way. A server that does not answer keeps the
// connection busy: it is not usable then.
void PgConnection::cancel_and_drain() {
  const LibPq& pq = handle_->pq;
  char why[256];
  if (PGcancel* cancel = pq.PQgetCancel(handle_->connection)) {
    pq.PQcancel(cancel, why, sizeof why);
    pq.PQfreeCancel(cancel);
  }
  for (;;) {
    while (pq.PQisBusy(handle_->connection)) {
      pollfd input{pq.PQsocket(handle_->connection), POLLIN, 0};
      if (poll(&input, 1, kCancelMs) <= 0 || !pq.PQconsumeInput(handle_->connection)) return;
    }
    Result piece(pq.PQgetResult(handle_->connection), pq.PQclear);
    if (!piece || is_copy(pq.PQresultStatus(piece.get()))) return;
  }
}

std::expected<PgResult, PgError> PgConnection::answer(const PgStop& stop, uint64_t most_rows) {
  const LibPq& pq = handle_->pq;
  PgResult result;
  std::optional<PgError> failed = flush(stop);
  size_t bytes = 0;
  uint64_t rows = 0;
  while (!failed) {
    if ((failed = wait_for_result(stop))) break;
    Result piece(pq.PQgetResult(handle_->connection), pq.PQclear);
    if (!piece) return result;
    switch (pq.PQresultStatus(piece.get())) {
      case PGRES_SINGLE_TUPLE:
        if (rows++ < most_rows) bytes += add_rows(pq, piece.get(), result);
        if (bytes > kMostBytes)
          failed =
              PgError{.kind = Kind::TooLarge, .message = fmt::format("the result has more than {} bytes", kMostBytes)};
        break;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK:
        add_rows(pq, piece.get(), result);  // the names of columns, when there was no row
        result.rows_affected = std::atoll(pq.PQcmdTuples(piece.get()));
        break;
      case PGRES_EMPTY_QUERY: break;
      case PGRES_COPY_IN:
      case PGRES_COPY_OUT:
      case PGRES_COPY_BOTH:
        failed = PgError{.kind = Kind::Server, .message = "COPY from and to the client is not supported"};
        break;
      default: {
        PgError error = server_error(pq, piece.get());
        if (pq.PQstatus(handle_->connection) != CONNECTION_OK) return std::unexpected(lost());
        piece.reset();
        while (!wait_for_result(stop) && Result(pq.PQgetResult(handle_->connection), pq.PQclear)) continue;
        return std::unexpected(std::move(error));
      }
    }
  }
  if (failed->kind != Kind::Lost) cancel_and_drain();
  return std::unexpected(*std::move(failed));
}

// ---- statements ----

std::expected<PgResult, PgError> PgConnection::command(const std::string& sql, const PgStop& stop) {
  int is_sent =
      handle_->pq.PQsendQueryParams(handle_->connection, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0);
  if (!is_sent) return std::unexpected(lost());
  return answer(stop, 0);
}

void PgConnection::forget(const std::string& key, const PgStop& stop) {
  auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  std::string name = found->second->name;
  statements_.erase(found->second);
  by_key_.erase(found);
  if (is_usable()) (void)command("deallocate " + name, stop);  // it may be in a transaction that has failed
}

void PgConnection::clear_statements(const PgStop& stop) {
  statements_.clear();
  by_key_.clear();
  if (is_usable()) (void)command("deallocate all", stop);
}

// The name of the statement, once the server knows it.
std::expected<std::string, PgError> PgConnection::statement_for(const std::string& sql,
                                                                const std::vector<PgParam>& params,
                                                                const PgStop& stop) {
  std::string key = key_of(sql, params);
  if (auto found = by_key_.find(key); found != by_key_.end()) {
    statements_.splice(statements_.begin(), statements_, found->second);
    return found->second->name;
  }
  if (statements_.size() >= statement_cache_) forget(std::string(statements_.back().key), stop);
  Sent sent(params);
  std::string name = fmt::format("harn_{}", ++last_statement_);
  if (!handle_->pq.PQsendPrepare(handle_->connection, name.c_str(), sql.c_str(), sent.count(), sent.types.data()))
    return std::unexpected(lost());
  auto prepared = answer(stop, 0);
  if (!prepared) return std::unexpected(prepared.error());
  statements_.push_front({key, name});
  by_key_[key] = statements_.begin();
  return name;
}

std::expected<PgResult, PgError> PgConnection::run(const std::string& sql, const std::vector<PgParam>& params,
                                                   const PgStop& stop, uint64_t most_rows) {
  const LibPq& pq = handle_->pq;
  Sent sent(params);
  if (statement_cache_ == 0) {
    if (!pq.PQsendQueryParams(handle_->connection, sql.c_str(), sent.count(), sent.types.data(), sent.values.data(),
                              sent.sizes.data(), sent.formats.data(), 0))
      return std::unexpected(lost());
    pq.PQsetSingleRowMode(handle_->connection);
    return answer(stop, most_rows);
  }
  for (bool is_again = false;; is_again = true) {
    auto name = statement_for(sql, params, stop);
    if (!name) return std::unexpected(name.error());
    if (!pq.PQsendQueryPrepared(handle_->connection, name->c_str(), sent.count(), sent.values.data(), sent.sizes.data(),
                                sent.formats.data(), 0))
      return std::unexpected(lost());
    pq.PQsetSingleRowMode(handle_->connection);
    auto result = answer(stop, most_rows);
    // A table has changed under a statement that was prepared before: it has to be prepared again.
    bool is_stale = !result && result.error().state == "0A000" && !is_again && !is_in_transaction();
    if (!is_stale) return result;
    forget(key_of(sql, params), stop);
  }
}

}  // namespace harn::sql
