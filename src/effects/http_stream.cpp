#include "effects/http_stream.h"

#include "base/shared_table.h"
#include "effects/waiters.h"
#include "net/http_stream.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::effects {

using namespace vm;

namespace {

// One open stream.
struct OpenStream {
  explicit OpenStream(const net::HttpRequest& request)
      : net(request, net::HttpStream::RequestBody::Whole, [waiters = waiters] { waiters->wake_all(); }) {}

  std::shared_ptr<Waiters> waiters = std::make_shared<Waiters>();
  net::HttpStream net;
};

// The streams of a VM.
using Streams = SharedTable<uint64_t, std::shared_ptr<OpenStream>>;
Streams& streams() { return Scheduler::current().scheduler->vm().local<Streams>(); }

}  // namespace

Outcome<OpenHttp::Answer> carry_out(Run& run, const OpenHttp& request) {
  auto stream = std::make_shared<OpenStream>(checked_request(run, request));
  auto head = HARN_TRY(
      stream->waiters->wait_until(kNever, "an HTTP request", request.shown(), [&] { return stream->net.head(); }));
  if (!head) return stopped_error();
  OpenHttp::Answer answer;
  static_cast<net::HttpResponse&>(answer) = *std::move(head);
  if (answer.failure != HttpFailure::None) return answer;
  answer.stream = streams().next_number();
  streams().put(answer.stream, std::move(stream));
  return answer;
}

Outcome<ReadHttp::Answer> carry_out(Run& run, const ReadHttp& request) {
  using State = net::HttpStream::State;
  auto stream = streams().find(request.stream).value_or(nullptr);
  if (!stream) return ReadHttp::Answer{.is_known = false};
  Nanoseconds due = request.timeout_ms < 0 ? kNever : run.clock().now() + request.timeout_ms * kMillisecond;
  auto piece = HARN_TRY(stream->waiters->wait_until(due, "an HTTP stream", request.shown(), [&] {
    auto read = stream->net.read(request.most);
    return read.state == State::Later ? std::nullopt : std::optional(std::move(read));
  }));
  if (!piece) return ReadHttp::Answer{.is_late = true};
  return ReadHttp::Answer{.is_end = piece->state != State::Some,
                          .bytes = std::move(piece->bytes),
                          .failure = piece->failure,
                          .message = std::move(piece->message)};
}

Outcome<bool> carry_out(Run&, const CloseHttp& request) {
  auto stream = streams().take(request.stream).value_or(nullptr);
  if (stream) stream->waiters->wake_all();
  return stream != nullptr;
}

}  // namespace harn::effects
