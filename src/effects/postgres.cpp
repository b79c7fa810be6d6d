#include "effects/postgres.h"

#include <condition_variable>

#include "base/shared_table.h"
#include "base/text.h"
#include "base/url.h"
#include "effects/waiters.h"
#include "sql/postgres_pool.h"
#include "vm/job_pool.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::effects {

using namespace vm;
using sql::PgConnection;
using sql::PgPool;
using sql::PgStop;

namespace {

struct OpenPool {
  OpenPool(sql::PgSettings settings, const PgPoolOptions& options)
      : acquire_timeout_ms(options.acquire_timeout_ms),
        net(std::move(settings), static_cast<size_t>(options.max_connections),
            [waiters = waiters] { waiters->wake_all(); }) {}

  int64_t acquire_timeout_ms;
  std::shared_ptr<Waiters> waiters = std::make_shared<Waiters>();
  PgPool net;
};

// One statement at a time: who finds it busy waits with the pool's others.
struct OpenTransaction {
  std::shared_ptr<OpenPool> pool;
  std::mutex lock;
  std::condition_variable idle;
  PgPool::Place place;
  bool is_busy = false;
  bool is_over = false;
};

using Pools = SharedTable<uint64_t, std::shared_ptr<OpenPool>>;
using Transactions = SharedTable<uint64_t, std::shared_ptr<OpenTransaction>>;

Vm& vm_here() { return Scheduler::current().scheduler->vm(); }
Pools& pools() { return vm_here().local<Pools>(); }
Transactions& transactions() { return vm_here().local<Transactions>(); }

PgAnswer failed(PgError error) { return {.has_failed = true, .error = std::move(error)}; }
PgAnswer failed(PgError::Kind kind, std::string message) {
  return failed({.kind = kind, .message = std::move(message)});
}

PgAnswer answer_of(std::expected<PgResult, PgError> result) {
  if (!result) return failed(std::move(result.error()));
  return {.result = *std::move(result)};
}

// `work(connection, stop)` on another thread, with the connection of the place, which is made if there is none.
using Work = std::function<PgAnswer(PgConnection&, const PgStop&)>;

Outcome<PgAnswer> on_thread(OpenPool& pool, PgPool::Place& place, const Work& work) {
  struct Shared {
    PgStop stop;
    PgAnswer answer;
  };
  Shared shared;
  auto run = [&] {
    if (!place.connection) {
      auto made = PgConnection::connect(pool.net.settings(), shared.stop);
      if (!made) return void(shared.answer = failed(std::move(made.error())));
      place.connection = *std::move(made);
    }
    shared.answer = work(*place.connection, shared.stop);
  };
  if (run_blocking("a statement of PostgreSQL", run, [&] { shared.stop.request(); }) == Wake::Cancelled)
    return stopped_error();
  return std::move(shared.answer);
}

// The same for a connection that was idle: if the server has ended it meanwhile, there is a new one.
Outcome<PgAnswer> with_connection(OpenPool& pool, PgPool::Place& place, const Work& work) {
  if (place.connection && !place.connection->is_alive()) place.connection.reset();
  return on_thread(pool, place, work);
}

// A place in the pool, once there is one.
Outcome<std::optional<PgPool::Place>> take_place(Run& run, OpenPool& pool) {
  Nanoseconds due = run.clock().now() + pool.acquire_timeout_ms * kMillisecond;
  return pool.waiters->wait_until(due, "a connection to PostgreSQL", "", [&] { return pool.net.take(); });
}

PgAnswer no_place(const OpenPool& pool) {
  return failed(PgError::Kind::Timeout,
                fmt::format("all connections of the pool are in use, for {} ms by now", pool.acquire_timeout_ms));
}

Outcome<PgAnswer> in_pool(Run& run, OpenPool& pool, const Work& work) {
  auto place = HARN_TRY(take_place(run, pool));
  if (!place) return no_place(pool);
  auto answer = with_connection(pool, *place, work);
  pool.net.give_back(*std::move(place));
  return answer;
}

Outcome<PgAnswer> in_transaction(Run& run, OpenTransaction& transaction, const Work& work) {
  auto& pool = *transaction.pool;
  Nanoseconds due = run.clock().now() + pool.acquire_timeout_ms * kMillisecond;
  auto is_ours =
      HARN_TRY(pool.waiters->wait_until(due, "a transaction of PostgreSQL", "", [&]() -> std::optional<bool> {
        std::lock_guard guard(transaction.lock);
        if (transaction.is_over) return false;
        if (transaction.is_busy) return std::nullopt;
        return transaction.is_busy = true;
      }));
  if (!is_ours) return no_place(pool);
  if (!*is_ours) return failed(PgError::Kind::Settings, "the transaction is over");
  auto answer = on_thread(pool, transaction.place, work);
  {
    std::lock_guard guard(transaction.lock);
    transaction.is_busy = false;
    transaction.idle.notify_all();
  }
  pool.waiters->wake_all();
  return answer;
}

}  // namespace

// ---- pools ----

std::vector<EgressTarget> OpenPostgres::targets() const {
  std::vector<EgressTarget> all;
  auto settings = sql::PgSettings::parse(source);
  if (!settings) return all;
  // An address beside the name is what the connection goes to: both have to be allowed.
  for (const auto& host : settings->hosts) {
    for (const std::string* name : {&host.name, &host.address}) {
      if (!name->empty()) all.push_back({text::ascii_lower(*name), host.port});
    }
  }
  return all;
}

std::unexpected<Thrown> egress_blocked(const OpenPostgres& request, std::string_view reason) {
  auto targets = request.targets();
  if (targets.empty()) return egress_blocked(request.masked, "postgres", reason);
  std::string host = targets[0].host;
  if (host.find(':') != host.npos) host = fmt::format("[{}]", host);  // an address of IPv6
  std::string url = fmt::format("postgres://{}:{}", host, targets[0].port);
  return egress_blocked(url, "postgres", reason);
}

Outcome<PgAnswer> carry_out(Run& run, const OpenPostgres& request) {
  auto settings = sql::PgSettings::parse(request.source);
  if (!settings) return failed(std::move(settings.error()));
  if (!settings->password.empty()) run.world().secrets.add("PGPASSWORD", settings->password);
  settings->connect_timeout_ms = request.options.connect_timeout_ms;
  settings->statement_timeout_ms = request.options.statement_timeout_ms;
  settings->statement_cache = request.options.statement_cache_capacity;
  settings->check_address = address_check(run);
  if (!request.options.application_name.empty())
    settings->options.emplace_back("application_name", request.options.application_name);
  auto pool = std::make_shared<OpenPool>(*std::move(settings), request.options);
  auto answer = HARN_TRY(in_pool(run, *pool, [](PgConnection&, const PgStop&) { return PgAnswer(); }));
  if (answer.has_failed) return answer;
  answer.number = pools().next_number();
  pools().put(answer.number, std::move(pool));
  return answer;
}

Outcome<bool> carry_out(Run&, const ClosePostgres& request) {
  auto pool = pools().take(request.pool).value_or(nullptr);
  if (pool) pool->net.close();
  return pool != nullptr;
}

Outcome<bool> carry_out(Run&, const ClearPostgres& request) {
  auto pool = pools().find(request.pool).value_or(nullptr);
  if (!pool) return false;
  for (PgPool::Place& place : pool->net.take_idle()) {
    auto cleared = with_connection(*pool, place, [](PgConnection& connection, const PgStop& stop) {
      connection.clear_statements(stop);
      return PgAnswer();
    });
    pool->net.give_back(std::move(place));
  }
  return true;
}

// ---- statements ----

// Its first word: the rest may hold what nobody should read.
std::string QueryPostgres::shown() const {
  std::string_view text = text::trim(sql);
  return std::string(text.substr(0, std::min<size_t>(text.find_first_of(" \n\t("), 20)));
}

Outcome<PgAnswer> carry_out(Run& run, const QueryPostgres& request) {
  Work work = [&request](PgConnection& connection, const PgStop& stop) {
    return answer_of(connection.run(request.sql, request.params, stop, request.most_rows));
  };
  if (request.transaction != 0) {
    auto transaction = transactions().find(request.transaction).value_or(nullptr);
    if (!transaction) return failed(PgError::Kind::Settings, "the transaction is over");
    return in_transaction(run, *transaction, work);
  }
  auto pool = pools().find(request.pool).value_or(nullptr);
  if (!pool) return failed(PgError::Kind::Settings, "the pool is closed");
  return in_pool(run, *pool, work);
}

// ---- transactions ----

static PgAnswer begin(const BeginPostgres& request, PgConnection& connection, const PgStop& stop) {
  auto begun = connection.command("begin " + request.mode, stop);
  for (const auto& setting : request.settings) {
    if (!begun) break;
    begun =
        connection.run("select set_config($1, $2, true)", {{.value = setting.name}, {.value = setting.value}}, stop);
  }
  if (!begun && connection.is_in_transaction()) (void)connection.command("rollback", PgStop());
  return answer_of(std::move(begun));
}

Outcome<PgAnswer> carry_out(Run& run, const BeginPostgres& request) {
  auto pool = pools().find(request.pool).value_or(nullptr);
  if (!pool) return failed(PgError::Kind::Settings, "the pool is closed");
  auto place = HARN_TRY(take_place(run, *pool));
  if (!place) return no_place(*pool);
  auto answer = with_connection(
      *pool, *place, [&](PgConnection& connection, const PgStop& stop) { return begin(request, connection, stop); });
  if (!answer || answer->has_failed) {
    pool->net.give_back(*std::move(place));
    return answer;
  }
  auto transaction = std::make_shared<OpenTransaction>();
  transaction->pool = std::move(pool);
  transaction->place = *std::move(place);
  answer->number = transactions().next_number();
  transactions().put(answer->number, std::move(transaction));
  return answer;
}

namespace {

// Nobody may be left to wait for it: the connection goes back to its pool by itself.
class Rollback : public JobPool::Job {
 public:
  explicit Rollback(std::shared_ptr<OpenTransaction> transaction) : transaction_(std::move(transaction)) {}
  void run() noexcept override {
    std::unique_lock lock(transaction_->lock);
    transaction_->idle.wait(lock, [&] { return !transaction_->is_busy; });
    PgPool::Place& place = transaction_->place;
    if (place.connection && place.connection->is_in_transaction())
      (void)place.connection->command("rollback", PgStop());
    transaction_->pool->net.give_back(std::move(place));
    done.finish();
  }
  Completion done;

 private:
  std::shared_ptr<OpenTransaction> transaction_;
};

}  // namespace

static PgAnswer commit(PgConnection& connection, const PgStop& stop) {
  bool has_failed = connection.has_failed_transaction();  // the server would say nothing, and roll back
  auto ended = connection.command("commit", stop);
  if (ended && has_failed)
    return failed(
        {.kind = PgError::Kind::Server, .message = "a statement of the transaction has failed", .state = "25P02"});
  return answer_of(std::move(ended));
}

Outcome<PgAnswer> carry_out(Run& run, const EndPostgres& request) {
  auto transaction = transactions().take(request.transaction).value_or(nullptr);
  if (!transaction) return request.commits ? failed(PgError::Kind::Settings, "the transaction is over") : PgAnswer();
  Outcome<PgAnswer> answer = PgAnswer();
  if (request.commits) answer = in_transaction(run, *transaction, commit);
  {
    std::lock_guard guard(transaction->lock);
    transaction->is_over = true;
  }
  auto rollback = std::make_shared<Rollback>(std::move(transaction));  // of what is left
  JobPool::get().add(rollback);
  rollback->done.wait("a rollback of PostgreSQL");
  return answer;
}

}  // namespace harn::effects
