#include "llm/call_model.h"

#include <map>

#include "base/result.h"
#include "base/shared_table.h"
#include "llm/call_transcript.h"
#include "llm/cassette.h"
#include "llm/exchange.h"
#include "llm/fields.h"
#include "llm/mock_model.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::llm {

using namespace vm;
using effects::Run;

std::string ModelRequest::shown() const {
  return fmt::format("{}:{}, {} messages", text_field(request, "provider"), text_field(request, "model"),
                     items_field(request, "messages").size());
}

// ---- streams ----

namespace {

// An answer that is on its way: from a provider, or one that is known already.
struct ModelStream {
  std::unique_ptr<Exchange> exchange;  // null: the answer is known
  ModelAnswer known;
  std::vector<std::string> pieces;  // of the known one
  Value request;                    // for whoever writes the answer down
  CallTranscript transcript;
};

using Streams = SharedTable<uint64_t, std::shared_ptr<ModelStream>>;
Vm& running_vm() { return Scheduler::current().scheduler->vm(); }
Streams& streams() { return running_vm().local<Streams>(); }

Value text_delta(std::string_view text) { return text_block(text); }

ReadModel::Answer known_answer(ModelStream& stream) {
  ReadModel::Answer read{.deltas = new_list(), .is_end = true, .end = std::move(stream.known)};
  for (const std::string& piece : stream.pieces) push(read.deltas, text_delta(piece));
  return read;
}

}  // namespace

size_t open_streams(Vm& vm) { return vm.local<Streams>().count(); }

// ---- calls ----

namespace {

// Of those who stand in for a model; nothing: ask it.
Outcome<std::optional<StandInReply>> known_reply(Run& run, const Value& request) {
  if (auto reply = HARN_TRY(MockModel::of(running_vm()).reply(request))) {
    Cassette::of(running_vm()).keep(run, request, {reply->answer, reply->failure}, true);
    return reply;
  }
  auto recorded = HARN_TRY(Cassette::of(running_vm()).answer(run, request));
  if (!recorded) return std::nullopt;
  StandInReply reply{.answer = recorded->answer, .failure = recorded->failure};
  if (std::string_view text = text_field(reply.answer, "text"); !text.empty()) reply.pieces = {std::string(text)};
  return reply;
}

void write_down(Run& run, const Value& request, const ModelAnswer& answer) {
  Cassette::of(running_vm()).keep(run, request, answer, false);
}

}  // namespace

// By whoever stands in for the model, or by the model.
static Outcome<ModelAnswer> answered(Run& run, const CallModel& request) {
  if (auto reply = HARN_TRY(known_reply(run, request.request)))
    return ModelAnswer{std::move(reply->answer), std::move(reply->failure)};
  Exchange exchange(run, request);
  if (Value failure = HARN_TRY(exchange.begin()); !failure.is_nil()) {
    write_down(run, request.request, {.failure = failure});
    return ModelAnswer{.failure = failure};
  }
  ModelAnswer end;
  std::vector<Value> deltas;  // nobody asks for them
  while (!HARN_TRY(exchange.read(deltas, end))) deltas.clear();
  write_down(run, request.request, end);
  return end;
}

void note_replayed(Run&, const ModelRequest& request) { (void)MockModel::of(running_vm()).reply(request.request); }

Outcome<ModelAnswer> carry_out(Run& run, const CallModel& request) {
  CallTranscript transcript = HARN_TRY(CallTranscript::begin(run, request.request));
  ModelAnswer answer = HARN_TRY(answered(run, request));
  HARN_CHECK(transcript.end(run, answer));
  return answer;
}

static Outcome<OpenModel::Answer> not_opened(Run& run, const ModelStream& stream, Value failure) {
  HARN_CHECK(stream.transcript.end(run, {.failure = failure}));
  return OpenModel::Answer{.failure = std::move(failure)};
}

Outcome<OpenModel::Answer> carry_out(Run& run, const OpenModel& request) {
  auto stream = std::make_shared<ModelStream>();
  stream->transcript = HARN_TRY(CallTranscript::begin(run, request.request));
  if (auto reply = HARN_TRY(known_reply(run, request.request))) {
    if (!reply->failure.is_nil()) return not_opened(run, *stream, std::move(reply->failure));
    stream->known.answer = std::move(reply->answer);
    stream->pieces = std::move(reply->pieces);
  } else {
    stream->exchange = std::make_unique<Exchange>(run, request);
    // Another task may read the stream.
    if (Cassette::of(running_vm()).is_recording()) stream->request = HARN_TRY(transfer(request.request));
    if (Value failure = HARN_TRY(stream->exchange->begin()); !failure.is_nil()) {
      write_down(run, request.request, {.failure = failure});
      return not_opened(run, *stream, failure);
    }
  }
  OpenModel::Answer answer{.stream = streams().next_number()};
  streams().put(answer.stream, std::move(stream));
  return answer;
}

Outcome<ReadModel::Answer> carry_out(Run& run, const ReadModel& request) {
  // Taken out, so that nobody else reads it at the same time.
  auto stream = streams().take(request.stream).value_or(nullptr);
  if (!stream)
    return throw_text(ErrorKind::NotFound, "model stream {}: it has ended, or another task is reading it",
                      request.stream);
  if (!stream->exchange) {
    HARN_CHECK(stream->transcript.end(run, stream->known));
    return known_answer(*stream);
  }
  ReadModel::Answer answer{.deltas = new_list()};
  std::vector<Value> deltas;
  while (!answer.is_end && deltas.empty()) answer.is_end = HARN_TRY(stream->exchange->read(deltas, answer.end));
  for (Value& delta : deltas) push(answer.deltas, std::move(delta));
  if (answer.is_end && !stream->request.is_nil()) write_down(run, stream->request, answer.end);
  if (answer.is_end) HARN_CHECK(stream->transcript.end(run, answer.end));
  if (!answer.is_end) streams().put(request.stream, std::move(stream));
  return answer;
}

Outcome<bool> carry_out(Run&, const CloseModel& request) {
  return streams().take(request.stream).value_or(nullptr) != nullptr;
}

}  // namespace harn::llm
