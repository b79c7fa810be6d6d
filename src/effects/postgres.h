#pragma once

#include "effects/http.h"
#include "sql/postgres.h"

// PostgreSQL: opening a pool, each statement, and the beginning and end of a transaction are effects of their own. Pools and
// transactions are numbers; what is behind them is the VM's until it is closed, or the VM ends. Statements run on threads of
// the job pool; a task that is stopped has the server give its statement up.
namespace harn::effects {

using sql::kPgBool, sql::kPgBytes, sql::kPgFloat4, sql::kPgFloat8, sql::kPgInt2, sql::kPgInt4, sql::kPgInt8,
    sql::kPgJson, sql::kPgJsonb, sql::kPgOid;
using sql::PgCell;
using sql::PgError;
using sql::PgParam;
using sql::PgResult;

// What most of them answer: a failure of the database is no failure of the effect.
struct PgAnswer {
  bool has_failed = false;
  PgError error;
  uint64_t number = 0;  // of what was opened
  PgResult result;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(has_failed), visit(error), visit(number), visit(result);
  }
};

struct PgPoolOptions {
  int64_t max_connections = 10;
  int64_t acquire_timeout_ms = 30'000;
  int64_t connect_timeout_ms = 10'000;
  int64_t statement_timeout_ms = 0;
  int64_t statement_cache_capacity = 100;
  std::string application_name;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(max_connections), visit(acquire_timeout_ms), visit(connect_timeout_ms), visit(statement_timeout_ms);
    visit(statement_cache_capacity), visit(application_name);
  }
};

// Connects once, so that what is wrong is told now.
struct OpenPostgres {
  using Answer = PgAnswer;
  static constexpr EffectRow row{.name = "postgres.open", .capability = vm::Capability::Network};

  std::string source;  // with the password: in no recording, and so unknown to a replay
  std::string masked;  // without
  PgPoolOptions options;

  std::string shown() const { return masked; }
  std::vector<EgressTarget> targets() const;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(options);
  }
};
vm::Outcome<PgAnswer> carry_out(Run& run, const OpenPostgres& request);
std::unexpected<vm::Thrown> egress_blocked(const OpenPostgres& request, std::string_view reason);

struct QueryPostgres {
  using Answer = PgAnswer;
  static constexpr EffectRow row{.name = "postgres.query", .capability = vm::Capability::Network};

  uint64_t pool = 0;  // or, when this is 0,
  uint64_t transaction = 0;
  std::string sql;
  std::vector<PgParam> params;
  uint64_t most_rows = UINT32_MAX;

  std::string shown() const;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(pool), visit(transaction), visit(sql), visit(params), visit(most_rows);
  }
};
vm::Outcome<PgAnswer> carry_out(Run& run, const QueryPostgres& request);

struct BeginPostgres {
  using Answer = PgAnswer;
  static constexpr EffectRow row{.name = "postgres.begin", .capability = vm::Capability::Network};

  struct Setting {
    std::string name, value;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(name), visit(value);
    }
  };
  uint64_t pool = 0;
  std::string mode;  // after BEGIN: "isolation level serializable read only"
  std::vector<Setting> settings;

  std::string shown() const { return fmt::format("pool {}", pool); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(pool), visit(mode), visit(settings);
  }
};
vm::Outcome<PgAnswer> carry_out(Run& run, const BeginPostgres& request);

// A rollback happens also when the task is being stopped, and never fails.
struct EndPostgres {
  using Answer = PgAnswer;
  static constexpr EffectRow row{.name = "postgres.end", .capability = vm::Capability::Network};

  uint64_t transaction = 0;
  bool commits = false;

  std::string shown() const { return commits ? "commit" : "rollback"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(transaction), visit(commits);
  }
};
vm::Outcome<PgAnswer> carry_out(Run& run, const EndPostgres& request);

// False: no such pool.
struct ClosePostgres {
  using Answer = bool;
  static constexpr EffectRow row{.name = "postgres.close", .capability = vm::Capability::Network};

  uint64_t pool = 0;

  std::string shown() const { return fmt::format("pool {}", pool); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(pool);
  }
};
vm::Outcome<bool> carry_out(Run& run, const ClosePostgres& request);

// Forgets the prepared statements of idle connections.
struct ClearPostgres {
  using Answer = bool;
  static constexpr EffectRow row{.name = "postgres.clear", .capability = vm::Capability::Network};

  uint64_t pool = 0;

  std::string shown() const { return fmt::format("pool {}", pool); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(pool);
  }
};
vm::Outcome<bool> carry_out(Run& run, const ClearPostgres& request);

}  // namespace harn::effects
