#include "net/http.h"

#include <malloc.h>
#include <netdb.h>
#include <strings.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/fmt.h"
#include "base/text.h"
#include "base/url.h"
#include "net/curl_loop.h"
#include "net/http_exchange.h"

namespace harn::net {

namespace {

// Handles that have done a request and can do the next: making one costs as much as the rest of a small request.
class Handles {
 public:
  explicit Handles(const CurlLibrary& curl) : curl_(curl) {}
  ~Handles() {
    for (CURL* easy : free_) curl_.easy_cleanup(easy);
  }
  Handles(const Handles&) = delete;

  CURL* take() {
    if (free_.empty()) return curl_.easy_init();
    CURL* easy = free_.back();
    free_.pop_back();
    return easy;
  }
  void give_back(CURL* easy) {
    if (free_.size() >= kKept) return curl_.easy_cleanup(easy);
    curl_.easy_reset(easy);
    free_.push_back(easy);
  }

 private:
  static constexpr size_t kKept = 256;
  const CurlLibrary& curl_;
  std::vector<CURL*> free_;
};

// How long connections without requests are kept.
constexpr std::chrono::milliseconds kIdleTime{15'000};

// One request under way. Only on the I/O thread.
struct Transfer {
  Transfer(const CurlLibrary& curl, Handles& handles, uint64_t number, HttpRequest request,
           std::shared_ptr<HttpBodies> bodies, std::function<void(HttpResponse)> done)
      : curl(curl),
        handles(handles),
        number(number),
        request(std::move(request)),
        bodies(std::move(bodies)),
        done(std::move(done)) {}
  Transfer(const Transfer&) = delete;
  ~Transfer() {
    if (easy) handles.give_back(easy);
    curl.slist_free_all(headers);
  }

  bool prepare();
  void set_limits();
  bool set_headers();
  bool add_header(const std::string& line);
  void set_body();
  void set_tls();
  bool may_connect(const std::string& address, int port);
  void take_header(std::string_view line);
  void end_of_head();
  std::string redirect_target() const;
  size_t take_body(std::string_view piece);
  size_t give_body(std::span<char> room);
  void settle(CURLcode code);
  template <class T>
  void set(CURLoption option, T value) {
    curl.easy_setopt(easy, option, value);
  }

  const CurlLibrary& curl;
  Handles& handles;
  uint64_t number;
  HttpRequest request;
  std::shared_ptr<HttpBodies> bodies;
  std::function<void(HttpResponse)> done;
  CURL* easy = nullptr;
  CurlLoop* loop = nullptr;
  curl_slist* headers = nullptr;
  char error[CURL_ERROR_SIZE] = "";
  bool is_too_large = false;
  std::string blocked;                  // why an address may not be used
  std::optional<LoopTimer> head_timer;  // ends it when there is no head by then
  HttpResponse response;
};

size_t on_body(char* data, size_t size, size_t count, void* user) {
  return static_cast<Transfer*>(user)->take_body({data, size * count});
}

size_t on_request_body(char* data, size_t size, size_t count, void* user) {
  return static_cast<Transfer*>(user)->give_body({data, size * count});
}

// A connection is wanted.
curl_socket_t on_open(void* user, curlsocktype, curl_sockaddr* address) {
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  getnameinfo(&address->addr, address->addrlen, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  if (!static_cast<Transfer*>(user)->may_connect(host, atoi(port))) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// A connection is there, perhaps an old one: the request is about to be sent.
int on_connected(void* user, char* address, char*, int port, int) {
  return static_cast<Transfer*>(user)->may_connect(address, port) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

size_t on_header(char* data, size_t size, size_t count, void* user) {
  try {
    static_cast<Transfer*>(user)->take_header({data, size * count});
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return size * count;
}

// ---- asking ----

bool Transfer::prepare() {
  easy = handles.take();
  if (!easy || !set_headers()) return false;
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, error);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set_body();
  if (request.decompress) set(CURLOPT_ACCEPT_ENCODING, "");
  set_tls();
  if (!request.proxy.empty()) set(CURLOPT_PROXY, request.proxy.c_str());
  if (!request.proxy_user.empty()) set(CURLOPT_PROXYUSERPWD, request.proxy_user.c_str());
  if (request.check_address) {
    set(CURLOPT_OPENSOCKETFUNCTION, on_open);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_PREREQFUNCTION, on_connected);
    set(CURLOPT_PREREQDATA, this);
  }
  set_limits();
  return true;
}

void Transfer::set_tls() {
  // As OpenSSL's own programs do; libcurl leaves it to its caller.
  if (const char* file = getenv("SSL_CERT_FILE")) set(CURLOPT_CAINFO, file);
  const HttpTls& tls = request.tls;
  if (!tls.ca_file.empty()) set(CURLOPT_CAINFO, tls.ca_file.c_str());
  if (!tls.cert_file.empty()) set(CURLOPT_SSLCERT, tls.cert_file.c_str());
  if (!tls.key_file.empty()) set(CURLOPT_SSLKEY, tls.key_file.c_str());
  if (tls.verify) return;
  set(CURLOPT_SSL_VERIFYPEER, 0L);
  set(CURLOPT_SSL_VERIFYHOST, 0L);
}

bool Transfer::may_connect(const std::string& address, int port) {
  blocked = request.check_address(address, port);
  return blocked.empty();
}

// Such a request says so when its body is empty.
static bool usually_has_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

void Transfer::set_body() {
  if (bodies->gives_body()) {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_READFUNCTION, on_request_body);
    set(CURLOPT_READDATA, this);
  } else if (!request.body.empty() || usually_has_body(request.method)) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
  } else if (request.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
    return;
  } else if (request.method == "GET") {
    return;
  }
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void Transfer::set_limits() {
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  // A request that is cancelled while its host is looked up must not hold up the I/O thread.
  set(CURLOPT_QUICK_EXIT, 1L);
  if (request.timeout_ms > 0 && !bodies->takes_its_time())
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout_ms));
  if (request.connect_timeout_ms > 0) set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout_ms));
  if (request.read_timeout_ms > 0) {
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>((request.read_timeout_ms + 999) / 1000));
  }
}

bool Transfer::add_header(const std::string& line) {
  curl_slist* longer = curl.slist_append(headers, line.c_str());
  if (longer) headers = longer;
  return longer != nullptr;
}

bool Transfer::set_headers() {
  bool names_agent = false;
  bool names_type = false;
  for (const HttpHeader& header : request.headers) {
    if (strcasecmp(header.name.c_str(), "user-agent") == 0) names_agent = true;
    if (strcasecmp(header.name.c_str(), "content-type") == 0) names_type = true;
    // "Name;" is how curl is told to send a header without a value.
    std::string line = header.value.empty() ? header.name + ";" : header.name + ": " + header.value;
    if (!add_header(line)) return false;
  }
  if (!names_agent) set(CURLOPT_USERAGENT, "harn/0.1");
  // A body is not a form because curl thinks so.
  if (!names_type && !add_header("Content-Type:")) return false;
  // Not to wait a second for leave to send.
  return add_header("Expect:");
}

// ---- the answer ----

void Transfer::take_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {  // after "100 Continue" there is another head
    response.headers.clear();
    return;
  }
  if (text::trim(line).empty()) return end_of_head();
  size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string value(text::trim(line.substr(colon + 1)));
  for (HttpHeader& known : response.headers) {
    // What a cookie says has commas in it: several cookies stay apart.
    if (known.name != name || name == "set-cookie") continue;
    known.value += ", " + value;
    return;
  }
  response.headers.push_back({std::move(name), std::move(value)});
}

// The lines of an interim answer (103) and what follows a body (trailers) end like a head, too.
void Transfer::end_of_head() {
  long status = 0;
  curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 || response.status != 0) return;
  response.status = static_cast<int>(status);
  response.redirect_to = redirect_target();
  head_timer.reset();
  bodies->begin(response);
}

std::string Transfer::redirect_target() const {
  auto is_location = [](const HttpHeader& header) { return header.name == "location"; };
  auto location = std::find_if(response.headers.begin(), response.headers.end(), is_location);
  if (response.status / 100 != 3 || location == response.headers.end()) return "";
  CURLU* url = curl.url();
  char* target = nullptr;
  constexpr unsigned kAsItIs = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE;
  bool is_good = url && curl.url_set(url, CURLUPART_URL, request.url.c_str(), 0) == CURLUE_OK &&
                 curl.url_set(url, CURLUPART_URL, location->value.c_str(), kAsItIs) == CURLUE_OK &&
                 curl.url_get(url, CURLUPART_URL, &target, 0) == CURLUE_OK;
  std::string found = is_good ? target : location->value;
  curl.free(target);
  curl.url_cleanup(url);
  return found;
}

size_t Transfer::take_body(std::string_view piece) {
  switch (bodies->take(piece)) {
    case HttpBodies::Taken::All: return piece.size();
    case HttpBodies::Taken::Later: return CURL_WRITEFUNC_PAUSE;
    case HttpBodies::Taken::Never: break;
  }
  is_too_large = true;
  return 0;  // ends the transfer
}

size_t Transfer::give_body(std::span<char> room) {
  HttpBodies::Given given = bodies->give(room);
  return given.size == 0 && !given.is_end ? CURL_READFUNC_PAUSE : given.size;
}

HttpFailure failure_of(CURLcode code) {
  switch (code) {
    case CURLE_OK: return HttpFailure::None;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return HttpFailure::Address;
    case CURLE_COULDNT_CONNECT: return HttpFailure::Connect;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE: return HttpFailure::Tls;
    case CURLE_OPERATION_TIMEDOUT: return HttpFailure::Timeout;
    default: return HttpFailure::Cut;
  }
}

void Transfer::settle(CURLcode code) {
  response.failure = is_too_large ? HttpFailure::TooLarge : failure_of(code);
  // Of several addresses another may have been fine.
  if (code != CURLE_OK && !blocked.empty()) {
    response.failure = HttpFailure::Blocked;
    response.message = blocked;
    return;
  }
  if (is_too_large) response.message = fmt::format("the body is larger than {} bytes", request.max_body);
  else if (code != CURLE_OK) response.message = error[0] ? error : curl.easy_strerror(code);
}

// ---- all of them ----

class Client {
 public:
  static Client& get() {
    static auto* client = new Client;  // never destroyed, like the thread it lives on
    return *client;
  }

  void start(uint64_t number, HttpRequest request, std::shared_ptr<HttpBodies> bodies,
             std::function<void(HttpResponse)> done);
  // Ends a request from outside.
  void drop(uint64_t number, HttpFailure failure, std::string message);
  void resume(uint64_t number);

 private:
  void limit_head(Transfer& transfer);
  void new_loop();
  void drop_old_loops();
  void finish(uint64_t number, HttpResponse response);
  void ended(CURL* easy, CURLcode code);

  const CurlLibrary* curl_ = nullptr;
  std::unique_ptr<CurlLoop> loop_;
  std::vector<std::unique_ptr<CurlLoop>> old_loops_;  // with connections that are not to be used again
  LoopTimer drop_old_{[this] { drop_old_loops(); }};
  std::unique_ptr<Handles> handles_;
  std::unordered_map<uint64_t, std::unique_ptr<Transfer>> transfers_;
  // With no request for a while, the connections go.
  LoopTimer idle_{[this] {
    if (!transfers_.empty()) return;
    loop_.reset();
    handles_.reset();
    malloc_trim(0);  // what many requests at once have left in this thread's part of the heap
  }};
};

void Client::start(uint64_t number, HttpRequest request, std::shared_ptr<HttpBodies> bodies,
                   std::function<void(HttpResponse)> done) {
  HttpResponse failed;
  failed.failure = HttpFailure::Unavailable;
  if (!curl_) curl_ = CurlLibrary::load(failed.message);
  if (!curl_) return done(std::move(failed));
  if (!loop_ || loop_->is_oversized()) new_loop();
  auto transfer =
      std::make_unique<Transfer>(*curl_, *handles_, number, std::move(request), std::move(bodies), std::move(done));
  transfer->loop = loop_.get();
  if (!transfer->prepare() || !loop_->add(transfer->easy)) {
    failed.message = "libcurl has no memory for another request";
    return transfer->done(std::move(failed));
  }
  if (transfer->bodies->takes_its_time() && transfer->request.timeout_ms > 0) limit_head(*transfer);
  transfers_[number] = std::move(transfer);
}

void Client::limit_head(Transfer& transfer) {
  std::chrono::milliseconds time(transfer.request.timeout_ms);
  transfer.head_timer.emplace([this, time, number = transfer.number] {
    drop(number, HttpFailure::Timeout, fmt::format("no answer after {} milliseconds", time.count()));
  });
  transfer.head_timer->start(time);
}

void Client::new_loop() {
  if (!handles_) handles_ = std::make_unique<Handles>(*curl_);
  if (loop_) old_loops_.push_back(std::move(loop_));
  loop_ = std::make_unique<CurlLoop>(*curl_, [this](CURL* easy, CURLcode code) { ended(easy, code); });
  drop_old_loops();
}

void Client::drop_old_loops() {
  std::erase_if(old_loops_, [](const auto& loop) { return loop->is_empty(); });
}

void Client::ended(CURL* easy, CURLcode code) {
  char* pointer = nullptr;
  curl_->easy_getinfo(easy, CURLINFO_PRIVATE, &pointer);
  auto& transfer = *reinterpret_cast<Transfer*>(pointer);
  transfer.settle(code);
  finish(transfer.number, std::move(transfer.response));
}

void Client::drop(uint64_t number, HttpFailure failure, std::string message) {
  auto found = transfers_.find(number);
  if (found == transfers_.end()) return;
  found->second->loop->remove(found->second->easy);
  HttpResponse response;
  response.failure = failure;
  response.message = std::move(message);
  finish(number, std::move(response));
}

void Client::resume(uint64_t number) {
  auto found = transfers_.find(number);
  if (found != transfers_.end()) curl_->easy_pause(found->second->easy, CURLPAUSE_CONT);
}

void Client::finish(uint64_t number, HttpResponse response) {
  auto transfer = std::move(transfers_.extract(number).mapped());
  auto done = std::move(transfer->done);
  transfer.reset();
  // Not now: it may be the loop that calls us.
  if (!old_loops_.empty()) drop_old_.start(std::chrono::milliseconds(0));
  if (transfers_.empty()) idle_.start(kIdleTime);
  done(std::move(response));
}

// The body of an answer that is wanted whole.
class WholeBody : public HttpBodies {
 public:
  explicit WholeBody(size_t most) : most_(most) {}

  void begin(const HttpResponse&) override {}
  Taken take(std::string_view piece) override {
    if (piece.size() > most_ - body.size()) return Taken::Never;
    try {
      body += piece;
    } catch (const std::bad_alloc&) {
      body = {};
      return Taken::Never;
    }
    return Taken::All;
  }

  std::string body;

 private:
  size_t most_;
};

}  // namespace

RequestId start_exchange(HttpRequest request, std::shared_ptr<HttpBodies> bodies,
                         std::function<void(HttpResponse)> done) {
  static std::atomic<uint64_t> numbers{0};
  uint64_t number = ++numbers;
  post([number, request = std::move(request), bodies = std::move(bodies), done = std::move(done)]() mutable {
    Client::get().start(number, std::move(request), std::move(bodies), std::move(done));
  });
  return {number};
}

void resume_exchange(RequestId id) {
  post([id] { Client::get().resume(id.number); });
}

RequestId start_request(HttpRequest request, std::function<void(HttpResponse)> done) {
  auto body = std::make_shared<WholeBody>(static_cast<size_t>(request.max_body));
  return start_exchange(std::move(request), body, [body, done = std::move(done)](HttpResponse response) {
    response.body = std::move(body->body);
    done(std::move(response));
  });
}

void cancel_request(RequestId id) {
  post([id] { Client::get().drop(id.number, HttpFailure::Cancelled, "the request was cancelled"); });
}

}  // namespace harn::net
