// How a connection begins: settings, addresses, and the handshake.
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <charconv>
#include <chrono>

#include "base/fmt.h"
#include "base/text.h"
#include "sql/postgres_handle.h"

namespace harn::sql {

using Kind = PgError::Kind;

// ---- stopping ----

PgStop::PgStop() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
PgStop::~PgStop() {
  if (event_ >= 0) close(event_);
}

void PgStop::request() {
  requested_ = true;
  uint64_t one = 1;
  [[maybe_unused]] auto written = write(event_, &one, sizeof one);
}

bool PgStop::wait(int fd, short events, int timeout_ms) const {
  pollfd both[] = {{fd, events, 0}, {event_, POLLIN, 0}};
  int ready = poll(both, 2, timeout_ms);
  return !requested_ && (ready > 0 || (ready < 0 && errno == EINTR));
}

// ---- settings ----

static PgError error(Kind kind, std::string message) { return {.kind = kind, .message = std::move(message)}; }

// "a,b,c"; there is at least one.
static std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (;;) {
    size_t comma = list.find(',', start);
    parts.push_back(list.substr(start, comma - start));
    if (comma == list.npos) return parts;
    start = comma + 1;
  }
}

static const std::string& part(const std::vector<std::string>& parts, size_t i) {
  return i < parts.size() ? parts[i] : parts.back();
}

static bool set_hosts(PgSettings& settings, const std::string& names, const std::string& addresses,
                      const std::string& ports) {
  auto all_names = parts_of(names), all_addresses = parts_of(addresses), all_ports = parts_of(ports);
  for (size_t i = 0; i < std::max(all_names.size(), all_addresses.size()); ++i) {
    PgSettings::Host host;
    host.name = i < all_names.size() ? all_names[i] : "";
    host.address = i < all_addresses.size() ? all_addresses[i] : "";
    if (host.name.empty() && host.address.empty()) host.name = "/var/run/postgresql";
    const std::string& port = part(all_ports, i);
    auto read = std::from_chars(port.data(), port.data() + port.size(), host.port);
    if (!port.empty() &&
        (read.ec != std::errc() || read.ptr != port.data() + port.size() || host.port < 1 || host.port > 65535))
      return false;
    settings.hosts.push_back(std::move(host));
  }
  return true;
}

std::expected<PgSettings, PgError> PgSettings::parse(const std::string& source) {
  const LibPq& pq = LibPq::get();
  if (!pq.why.empty())
    return std::unexpected(
        error(Kind::Unavailable, fmt::format("libpq is not there, install the package libpq5 ({})", pq.why)));
  char* why = nullptr;
  PQconninfoOption* all = pq.PQconninfoParse(source.c_str(), &why);
  pq.PQfreemem(why);  // it quotes parts of the source, which may be a password
  if (!all) return std::unexpected(error(Kind::Settings, "the source is no connection URL of PostgreSQL"));
  PgSettings settings;
  std::string names, addresses, ports;
  for (PQconninfoOption* option = all; option->keyword; ++option) {
    if (!option->val) continue;
    std::string_view keyword = option->keyword;
    if (keyword == "host") names = option->val;
    else if (keyword == "hostaddr") addresses = option->val;
    else if (keyword == "port") ports = option->val;
    else if (keyword == "password") settings.password = option->val;
    else settings.options.emplace_back(keyword, option->val);
  }
  pq.PQconninfoFree(all);
  if (!set_hosts(settings, names, addresses, ports))
    return std::unexpected(error(Kind::Settings, "the port makes no sense"));
  return settings;
}

// ---- addresses ----

// The hosts with one address each: the rules are about those, and libpq is to use no others.
static std::expected<std::vector<PgSettings::Host>, PgError> looked_up(const PgSettings& settings) {
  std::vector<PgSettings::Host> found;
  std::string unknown;
  for (const PgSettings::Host& host : settings.hosts) {
    if (host.address.empty() && host.name.starts_with('/')) {
      found.push_back(host);
      continue;
    }
    addrinfo hints{}, *list = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    const std::string& name = host.address.empty() ? host.name : host.address;
    if (getaddrinfo(name.c_str(), nullptr, &hints, &list) != 0) {
      unknown = name;
      continue;
    }
    for (addrinfo* entry = list; entry; entry = entry->ai_next) {
      char text[NI_MAXHOST];
      if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
        found.push_back({host.name, text, host.port});
    }
    freeaddrinfo(list);
  }
  if (found.empty())
    return std::unexpected(error(Kind::Connect, fmt::format("the host `{}` cannot be found", unknown)));
  for (const PgSettings::Host& host : found) {
    std::string refusal =
        settings.check_address && !host.address.empty() ? settings.check_address(host.address, host.port) : "";
    if (!refusal.empty()) return std::unexpected(error(Kind::Blocked, refusal));
  }
  return found;
}

// ---- connecting ----

std::string plain_message(const char* text) {
  std::string_view message = text ? text : "";
  message = text::trim(message.substr(0, message.find('\n', message.starts_with('\n') ? 1 : 0)));
  for (std::string_view start : {"ERROR: ", "FATAL: "}) {
    if (message.starts_with(start)) message = text::trim(message.substr(start.size()));
  }
  return std::string(message);
}

namespace {

// Keywords and values as libpq wants them.
class Parameters {
 public:
  void add(std::string_view keyword, std::string_view value) { all_.emplace_back(keyword, value); }
  std::vector<const char*> keywords() const {
    std::vector<const char*> list;
    for (const auto& one : all_) list.push_back(one.first.c_str());
    list.push_back(nullptr);
    return list;
  }
  std::vector<const char*> values() const {
    std::vector<const char*> list;
    for (const auto& one : all_) list.push_back(one.second.c_str());
    list.push_back(nullptr);
    return list;
  }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

Parameters parameters_of(const PgSettings& settings, const std::vector<PgSettings::Host>& hosts) {
  Parameters parameters;
  for (const auto& [keyword, value] : settings.options) parameters.add(keyword, value);
  std::string names, addresses, ports;
  for (const PgSettings::Host& host : hosts) {
    const char* comma = ports.empty() ? "" : ",";
    names += comma + host.name, addresses += comma + host.address, ports += comma + std::to_string(host.port);
  }
  parameters.add("host", names);
  parameters.add("hostaddr", addresses);
  parameters.add("port", ports);
  // Set, so that neither variables nor files of the user are asked for one.
  parameters.add("password", settings.password);
  parameters.add("passfile", "/dev/null");
  parameters.add("client_encoding", "UTF8");
  parameters.add("fallback_application_name", "harn");
  return parameters;
}

// Belt and braces: libpq does not quote it. A shorter one would be found in words that have nothing to do with it.
std::string without_password(const std::string& message, const std::string& password) {
  constexpr size_t kShortest = 4;
  return password.size() < kShortest ? message : text::replace_all(message, password, "***");
}

PgError connect_error(const LibPq& pq, PGconn* connection, const PgSettings& settings) {
  if (pq.PQconnectionNeedsPassword(connection)) return error(Kind::Connect, "the server wants a password");
  std::string message = plain_message(pq.PQerrorMessage(connection));
  return error(Kind::Connect, message.empty() ? "cannot connect" : without_password(message, settings.password));
}

}  // namespace

std::expected<std::unique_ptr<PgConnection>, PgError> PgConnection::connect(const PgSettings& settings,
                                                                            const PgStop& stop) {
  using Clock = std::chrono::steady_clock;
  auto hosts = looked_up(settings);
  if (!hosts) return std::unexpected(hosts.error());
  const LibPq& pq = LibPq::get();
  Parameters parameters = parameters_of(settings, *hosts);
  PGconn* started = pq.PQconnectStartParams(parameters.keywords().data(), parameters.values().data(), 0);
  if (!started) return std::unexpected(error(Kind::Connect, "not enough memory for a connection"));
  std::unique_ptr<Handle> handle(new Handle{pq, started});
  pq.PQsetNoticeProcessor(
      started, [](void*, const char*) {}, nullptr);
  auto due = Clock::now() + std::chrono::milliseconds(settings.connect_timeout_ms);
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  if (pq.PQstatus(started) == CONNECTION_BAD) next = PGRES_POLLING_FAILED;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
    if (stop.is_requested()) return std::unexpected(error(Kind::Stopped, "stopped"));
    if (left <= 0)
      return std::unexpected(
          error(Kind::Timeout, fmt::format("not connected within {} ms", settings.connect_timeout_ms)));
    short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (stop.wait(pq.PQsocket(started), events, static_cast<int>(left))) next = pq.PQconnectPoll(started);
  }
  if (next == PGRES_POLLING_FAILED) return std::unexpected(connect_error(pq, started, settings));
  pq.PQsetnonblocking(started, 1);
  std::unique_ptr<PgConnection> connection(new PgConnection(std::move(handle), settings.statement_cache));
  // What the text of results depends on.
  auto set = connection->command(
      fmt::format("select set_config('datestyle', 'ISO', false), set_config('bytea_output', 'hex', false), "
                  "set_config('extra_float_digits', '1', false){}",
                  settings.statement_timeout_ms > 0
                      ? fmt::format(", set_config('statement_timeout', '{}', false)", settings.statement_timeout_ms)
                      : ""),
      stop);
  if (!set) return std::unexpected(set.error());
  return connection;
}

}  // namespace harn::sql
