#pragma once

#include <functional>

#include "base/result.h"
#include "effects/fields.h"
#include "effects/run.h"
#include "vm/pace.h"

// The one door to the world.
//
//   struct ReadClock {
//     using Answer = int64_t;
//     static constexpr EffectRow row{.name = "clock.read", .capability = Capability::ClockRead};
//     ClockFace face;
//     std::string shown() const { return ""; }           // for messages: without secrets
//     template <class Visitor> void fields(Visitor& visit) { visit(face); }
//   };
//   vm::Outcome<int64_t> carry_out(Run& run, const ReadClock& request);   // does it
//
//   int64_t now = HARN_TRY(perform(run, ReadClock{ClockFace::Wall}));
//
// `perform` asks the policy, then whoever answers instead of the world (a mock, a tape), then the world, and
// records the answer. A builtin calls it and knows nothing of that.
namespace harn::effects {

// A mock answers, or passes the request on (nothing).
template <class Request>
using Mock = std::function<std::optional<vm::Outcome<typename Request::Answer>>(const Request& request)>;

template <class Request>
void set_mock(Run& run, Mock<Request> mock) {
  run.set_mock(Request::row, std::any(std::move(mock)));
}
template <class Request>
void clear_mock(Run& run) {
  run.clear_mock(Request::row);
}

// ---- tapes ----

// The running task's next question of the tape; its parts must outlive it.
Question next_question(const EffectRow& row, std::string_view request);
vm::Outcome<TapeAnswer> play(Tape& tape, const Question& question);
TapeAnswer error_answer(const vm::Thrown& error);
std::unexpected<vm::Thrown> answered_error(const TapeAnswer& answer);

template <class Answer>
vm::Outcome<Answer> read_answer(const TapeAnswer& recorded, const Question& question) {
  if (recorded.is_error) return answered_error(recorded);
  Answer answer{};
  if (from_bytes(recorded.bytes, answer)) return answer;
  return vm::throw_text(ErrorKind::Runtime, "replay: the recorded answer to {} cannot be read", question.name);
}

template <class Request, class Do>
vm::Outcome<typename Request::Answer> with_tape(Tape& tape, const Request& request, Do carry_out) {
  std::string bytes = to_bytes(request);
  Question question = next_question(Request::row, bytes);
  if (tape.is_playing()) return read_answer<typename Request::Answer>(HARN_TRY(play(tape, question)), question);
  auto answer = carry_out();
  tape.record(question, answer ? TapeAnswer{false, to_bytes(*answer)} : error_answer(answer.error()));
  return answer;
}

// ---- performing ----

template <class Request, class Do>
vm::Outcome<typename Request::Answer> perform_with(Run& run, const Request& request, Do carry_out) {
  vm::let_others_in();  // it may take a while
  if (run.is_direct(Request::row.capability)) [[likely]]
    return carry_out();
  if (!run.allows(Request::row.capability)) return denied(Request::row, request.shown());
  if (std::any mock = run.mock(Request::row); mock.has_value()) {
    if (auto answer = std::any_cast<Mock<Request>&>(mock)(request)) return *std::move(answer);
  }
  if (auto tape = run.tape()) return with_tape(*tape, request, carry_out);
  return carry_out();
}

template <class Request>
vm::Outcome<typename Request::Answer> perform(Run& run, const Request& request) {
  return perform_with(run, request, [&] { return carry_out(run, request); });
}

// For answers that say nothing.
struct Done {
  template <class Visitor>
  void fields(Visitor&) {}
};

}  // namespace harn::effects
