#include "effects/websocket.h"

#include "base/shared_table.h"
#include "base/url.h"
#include "effects/waiters.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::effects {

using namespace vm;

namespace {

// How long a close waits for the other side; it is a little longer than the other side is given.
constexpr int64_t kCloseMs = 7'000;

struct OpenSocket {
  std::shared_ptr<Waiters> waiters = std::make_shared<Waiters>();
  std::shared_ptr<net::WebSocket> net;
};

struct OpenServer {
  std::shared_ptr<Waiters> waiters = std::make_shared<Waiters>();
  std::shared_ptr<net::WebSocketServer> net;
  std::atomic<bool> is_stopped = false;
};

// Those of a VM. They are closed with it.
using Sockets = SharedTable<uint64_t, std::shared_ptr<OpenSocket>>;
using Servers = SharedTable<uint64_t, std::shared_ptr<OpenServer>>;

Vm& vm_here() { return Scheduler::current().scheduler->vm(); }
Sockets& sockets() { return vm_here().local<Sockets>(); }
Servers& servers() { return vm_here().local<Servers>(); }

Nanoseconds due_in(Run& run, int64_t ms) {
  return ms > INT64_MAX / kMillisecond / 2 ? kNever : run.clock().now() + ms * kMillisecond;
}

}  // namespace

std::string OpenWebSocket::shown() const { return masked_url(url); }

std::vector<EgressTarget> OpenWebSocket::targets() const {
  std::vector<EgressTarget> all = {target_of(url)};
  if (!proxy.empty()) all.push_back(target_of(proxy.find("://") == proxy.npos ? "http://" + proxy : proxy));
  return all;
}

std::unexpected<Thrown> egress_blocked(const OpenWebSocket& request, std::string_view reason) {
  return egress_blocked(request.url, "websocket", reason);
}

Outcome<OpenWebSocket::Answer> carry_out(Run& run, const OpenWebSocket& request) {
  net::WebSocketRequest checked = request;
  checked.check_address = address_check(run);
  auto socket = std::make_shared<OpenSocket>();
  socket->net = net::WebSocket::connect(std::move(checked), [waiters = socket->waiters] { waiters->wake_all(); });
  auto head = HARN_TRY(
      socket->waiters->wait_until(kNever, "a WebSocket", request.shown(), [&] { return socket->net->head(); }));
  if (!head) return stopped_error();
  OpenWebSocket::Answer answer;
  static_cast<net::WebSocketHead&>(answer) = *std::move(head);
  if (answer.failure != HttpFailure::None) return answer;
  answer.socket = sockets().next_number();
  sockets().put(answer.socket, std::move(socket));
  return answer;
}

Outcome<ReceiveWebSocket::Answer> carry_out(Run& run, const ReceiveWebSocket& request) {
  using State = net::WebSocket::State;
  auto socket = sockets().find(request.socket).value_or(nullptr);
  if (!socket) return ReceiveWebSocket::Answer{.is_end = true};
  auto received =
      HARN_TRY(socket->waiters->wait_until(due_in(run, request.timeout_ms), "a WebSocket", request.shown(), [&] {
        auto next = socket->net->receive();
        return next.state == State::Later ? std::nullopt : std::optional(std::move(next));
      }));
  if (!received) return ReceiveWebSocket::Answer{.is_late = true};
  return ReceiveWebSocket::Answer{.is_end = received->state == State::End, .message = std::move(received->message)};
}

Outcome<SendWebSocket::Answer> carry_out(Run&, const SendWebSocket& request) {
  auto socket = sockets().find(request.socket).value_or(nullptr);
  if (!socket) return SendWebSocket::Answer{};
  return SendWebSocket::Answer{socket->net->send(request.message)};
}

Outcome<bool> carry_out(Run& run, const CloseWebSocket& request) {
  auto socket = sockets().take(request.socket).value_or(nullptr);
  if (!socket) return false;
  socket->net->close(static_cast<int>(request.code), request.reason);
  HARN_CHECK(socket->waiters->wait_until(due_in(run, kCloseMs), "a WebSocket", request.shown(),
                                         [&] { return socket->net->is_over() ? std::optional(true) : std::nullopt; }));
  return true;
}

// ---- servers ----

Outcome<ListenWebSocket::Answer> carry_out(Run&, const ListenWebSocket& request) {
  auto server = std::make_shared<OpenServer>();
  auto listening = net::WebSocketServer::listen(request, [waiters = server->waiters] { waiters->wake_all(); });
  if (!listening) return ListenWebSocket::Answer{.failure = listening.error()};
  server->net = *std::move(listening);
  ListenWebSocket::Answer answer{
      .server = servers().next_number(), .address = server->net->address(), .port = server->net->port()};
  servers().put(answer.server, std::move(server));
  return answer;
}

Outcome<bool> carry_out(Run&, const RouteWebSocket& request) {
  auto server = servers().find(request.server).value_or(nullptr);
  if (server) server->net->add_route(request);
  return server != nullptr;
}

Outcome<AcceptWebSocket::Answer> carry_out(Run& run, const AcceptWebSocket& request) {
  auto server = servers().find(request.server).value_or(nullptr);
  if (!server) return AcceptWebSocket::Answer{.is_over = true};
  auto accepted = HARN_TRY(server->waiters->wait_until(due_in(run, request.timeout_ms), "a WebSocket server",
                                                       request.shown(), [&]() -> std::optional<net::AcceptedWebSocket> {
                                                         if (server->is_stopped) return net::AcceptedWebSocket{};
                                                         return server->net->accept();
                                                       }));
  if (!accepted) return AcceptWebSocket::Answer{.is_late = true};
  if (!accepted->socket) return AcceptWebSocket::Answer{.is_over = true};
  auto socket = std::make_shared<OpenSocket>();
  socket->net = std::move(accepted->socket);
  socket->net->on_change([waiters = socket->waiters] { waiters->wake_all(); });
  AcceptWebSocket::Answer answer{.socket = sockets().next_number(),
                                 .path = std::move(accepted->path),
                                 .query = std::move(accepted->query),
                                 .peer = std::move(accepted->peer),
                                 .protocol = std::move(accepted->protocol),
                                 .headers = std::move(accepted->headers)};
  sockets().put(answer.socket, std::move(socket));
  return answer;
}

Outcome<bool> carry_out(Run&, const StopWebSocketServer& request) {
  auto server = servers().take(request.server).value_or(nullptr);
  if (!server) return false;
  server->is_stopped = true;
  server->waiters->wake_all();
  return true;
}

}  // namespace harn::effects
