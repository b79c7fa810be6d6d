// WebSockets that a test puts in the place of servers.
#include <deque>
#include <map>
#include <mutex>

#include "base/mutex.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/transport_mocks.h"
#include "builtins/websocket.h"
#include "builtins/options.h"
#include "vm/dict.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;
using effects::CloseWebSocket;
using effects::OpenWebSocket;
using effects::ReceiveWebSocket;
using effects::SendWebSocket;
using effects::WebSocketKind;
using effects::WebSocketMessage;
using effects::WebSocketSent;

namespace {

struct MockSocket {
  std::deque<WebSocketMessage> messages;  // to be received
  bool echoes = false;
  bool is_over = false;
};

// What a program's tests have set up. Shared by its tasks.
class WebSocketMocks {
 public:
  // In the place of one with the same pattern.
  void add(std::string pattern, MockSocket socket) {
    std::lock_guard guard(lock_);
    for (auto& [known, answer] : rules_) {
      if (known != pattern) continue;
      answer = std::move(socket);
      return;
    }
    rules_.emplace_back(std::move(pattern), std::move(socket));
  }

  // Nothing: no pattern fits.
  std::optional<uint64_t> open(const std::string& url) {
    std::lock_guard guard(lock_);
    for (auto& [pattern, socket] : rules_) {
      if (!text::matches_stars(pattern, url)) continue;
      open_[++last_] = socket;
      return last_;
    }
    return std::nullopt;
  }

  // Nothing comes by itself: what is not there by now is late.
  std::optional<ReceiveWebSocket::Answer> receive(uint64_t number) {
    return on<ReceiveWebSocket::Answer>(number, [](MockSocket& socket) -> ReceiveWebSocket::Answer {
      if (socket.messages.empty()) return {.is_end = socket.is_over, .is_late = !socket.is_over};
      ReceiveWebSocket::Answer answer{.message = std::move(socket.messages.front())};
      socket.messages.pop_front();
      if (answer.message.kind == WebSocketKind::Close) socket.is_over = true;
      return answer;
    });
  }
  std::optional<SendWebSocket::Answer> send(uint64_t number, const WebSocketMessage& message) {
    return on<SendWebSocket::Answer>(number, [&](MockSocket& socket) -> SendWebSocket::Answer {
      if (socket.is_over) return {WebSocketSent::Over};
      if (message.kind == WebSocketKind::Close) {
        socket.is_over = true;
        socket.messages.push_back(message);
        socket.messages.back().is_clean = true;
      } else if (message.kind == WebSocketKind::Ping) {
        socket.messages.push_back({.kind = WebSocketKind::Pong, .data = message.data});
      } else if (socket.echoes && message.kind != WebSocketKind::Pong) {
        socket.messages.push_back(message);
      }
      return {WebSocketSent::Taken};
    });
  }
  bool close(uint64_t number) {
    std::lock_guard guard(lock_);
    return open_.erase(number) > 0;
  }

  bool is_empty() {
    std::lock_guard guard(lock_);
    return rules_.empty() && open_.empty();
  }
  void clear() {
    std::lock_guard guard(lock_);
    rules_.clear();
    open_.clear();
  }

 private:
  // Nothing: it is no socket of ours.
  template <class Answer, class Do>
  std::optional<Answer> on(uint64_t number, Do act) {
    std::lock_guard guard(lock_);
    auto found = open_.find(number);
    return found == open_.end() ? std::nullopt : std::optional<Answer>(act(found->second));
  }

  Mutex lock_;
  std::vector<std::pair<std::string, MockSocket>> rules_;
  std::map<uint64_t, MockSocket> open_;
  uint64_t last_ = uint64_t{1} << 62;  // so that no real one has the same number
};

void set_mocks(effects::Run& run, WebSocketMocks& mocks) {
  effects::set_mock<OpenWebSocket>(run,
                                   [&](const OpenWebSocket& request) -> std::optional<Outcome<OpenWebSocket::Answer>> {
                                     auto socket = mocks.open(request.url);
                                     if (!socket) return std::nullopt;
                                     OpenWebSocket::Answer answer;
                                     answer.socket = *socket;
                                     return answer;
                                   });
  effects::set_mock<ReceiveWebSocket>(
      run, [&](const ReceiveWebSocket& request) -> std::optional<Outcome<ReceiveWebSocket::Answer>> {
        return mocks.receive(request.socket);
      });
  effects::set_mock<SendWebSocket>(run,
                                   [&](const SendWebSocket& request) -> std::optional<Outcome<SendWebSocket::Answer>> {
                                     return mocks.send(request.socket, request.message);
                                   });
  effects::set_mock<CloseWebSocket>(run, [&](const CloseWebSocket& request) -> std::optional<Outcome<bool>> {
    if (mocks.close(request.socket)) return true;
    return std::nullopt;
  });
}

// A text, bytes, or {type, data, code, reason}; other values are sent as JSON.
Outcome<WebSocketMessage> mocked_message(const Call& call, const Value& value) {
  const Value* type = value.is_dict() ? value.as_dict()->find("type") : nullptr;
  if (!type) return read_message(call, value, Value());
  const Value* data = value.as_dict()->find("data");
  auto message = HARN_TRY(read_message(call, data ? *data : Value(), value));
  message.is_clean = true;
  return message;
}

Outcome<Value> websocket_mock(Call& call) {
  const Value& given = call.arg(1);
  constexpr std::string_view kKeys[] = {"messages", "echo"};
  if (given.is_dict()) HARN_CHECK(check_names("websocket_mock", "key", given.as_dict(), kKeys));
  const Value* listed = given.is_dict() ? given.as_dict()->find("messages") : &given;
  MockSocket socket;
  if (const Value* echo = given.is_dict() ? given.as_dict()->find("echo") : nullptr)
    socket.echoes = echo->is_bool() && echo->as_bool();
  if (listed && !listed->is_nil()) {
    if (!listed->is(Kind::List))
      return type_error("websocket_mock: expected a list of messages, or {{messages, echo}}");
    for (const Value& message : listed->as_list()->values())
      socket.messages.push_back(HARN_TRY(mocked_message(call, message)));
  }
  WebSocketMocks& mocks = call.vm().local<WebSocketMocks>();
  mocks.add(display(call.arg(0)), std::move(socket));
  mock_transports(call.vm());
  set_mocks(effects::Run::current(call.vm()), mocks);
  return Value();
}

void mock_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && !vm.local<WebSocketMocks>().is_empty()) archive.refuse("WebSockets are mocked");
}

constinit const Builtin kRows[] = {
    {.name = "websocket_mock",
     .signature = "(pattern: string, messages: list | dict) -> nil",
     .doc = "Answers connections whose URL fits the pattern with these messages: texts, bytes, {type, data}; "
            "{messages, echo: "
            "true} also sends back what is sent.",
     .example = R"(websocket_mock("ws://x/*", ["a"]) == nil)",
     .call = websocket_mock},
};

}  // namespace

void clear_websocket_mocks(Vm& vm) {
  vm.local<WebSocketMocks>().clear();
  effects::Run& run = effects::Run::current(vm);
  effects::clear_mock<OpenWebSocket>(run);
  effects::clear_mock<ReceiveWebSocket>(run);
  effects::clear_mock<SendWebSocket>(run);
  effects::clear_mock<CloseWebSocket>(run);
}

const park::PartRow kWebSocketMocksPart = {"websocket mocks", mock_fields};

std::span<const Builtin> websocket_mock_rows() { return kRows; }

}  // namespace harn::builtins
