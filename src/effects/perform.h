#pragma once

#include <functional>

#include "base/fmt.h"
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
// `perform` asks the policy and the budget, then whoever answers instead of the world (a mock, a recording), then the
// world, and keeps the answer in a recording and a trace. A builtin calls it and knows nothing of that.
namespace harn::effects {

// For answers that say nothing.
struct Done {
  template <class Visitor>
  void fields(Visitor&) {}
};

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
// What a mock says, or the world: for what is part of another effect, whose policy and recording hold for it.
template <class Request>
vm::Outcome<typename Request::Answer> answer_of(Run& run, const Request& request) {
  if (std::any mock = run.mock(Request::row); mock.has_value()) {
    if (auto answer = std::any_cast<Mock<Request>&>(mock)(request)) return *std::move(answer);
  }
  return carry_out(run, request);
}

// ---- being recorded, replayed and traced ----

// The running task's next question.
Question next_question(const EffectRow& row, std::string shown, std::string request);
// Who tells whom: keeps the answer, or why there is none.
void keep_answer(Run& run, Recorder& recorder, Question question, std::string bytes);
void keep_error(Run& run, Recorder& recorder, Question question, const vm::Thrown& error);
// The task was told to stop in the middle of it.
void keep_nothing(Run& run, Recorder& recorder, Question question);
std::unexpected<vm::Thrown> answered_error(const TapeAnswer& answer);

// Before anything of a request is kept.
template <class Request>
void learn_secrets(SharedSecrets& secrets, const Request& request) {
  if constexpr (requires { request.secret_values(); }) {
    for (const std::string& value : request.secret_values()) secrets.add("credential", value);
  }
}

template <class Request, class Do>
vm::Outcome<typename Request::Answer> recorded(Run& run, Recorder& recorder, const Request& request, Do carry_out) {
  SharedSecrets& secrets = run.world().secrets;
  learn_secrets(secrets, request);
  Question question = next_question(Request::row, secrets.hidden(request.shown()), to_bytes(request, &secrets));
  auto carry_out_inside = [&] {
    vm::InsideEffect inside(recorder);
    return carry_out();
  };
  std::optional<vm::Outcome<typename Request::Answer>> kept;
  try {
    kept.emplace(carry_out_inside());
  } catch (const vm::Stopped&) {
    keep_nothing(run, recorder, std::move(question));
    throw;
  }
  vm::Outcome<typename Request::Answer>& answer = *kept;
  if (answer) keep_answer(run, recorder, std::move(question), to_bytes(*answer, &secrets));
  else keep_error(run, recorder, std::move(question), answer.error());
  return std::move(answer);
}

template <class Request, class Do>
vm::Outcome<typename Request::Answer> replayed(Run& run, Player& player, const Request& request, Do carry_out) {
  SharedSecrets& secrets = run.world().secrets;
  learn_secrets(secrets, request);
  Question question = next_question(Request::row, secrets.hidden(request.shown()), to_bytes(request, &secrets));
  vm::InsideEffect inside(player);
  const TapeEntry* entry = HARN_TRY(player.next_answer(run, question));
  // What is told to the program later hangs on it: a stand-in counts who has asked.
  if constexpr (requires { note_replayed(run, request); }) note_replayed(run, request);
  if (Request::row.is_own_output) return carry_out();
  if (entry->answer.told != Told::Answer) return answered_error(entry->answer);
  typename Request::Answer answer{};
  if (from_bytes(entry->answer.bytes, answer)) return answer;
  return vm::throw_text(ErrorKind::Runtime, "replay: the recorded answer to {} cannot be read", question.name);
}

// An effect in the trace, from here to `end`. Without a trace nothing happens.
class EffectSpan {
 public:
  EffectSpan(Run& run, Trace* trace, const EffectRow& row, const auto& request) : run_(run), trace_(trace) {
    if (trace) id_ = begin(row, request.shown());
  }
  void end(SpanEnd how, const vm::Thrown* error = nullptr);

 private:
  SpanId begin(const EffectRow& row, std::string shown);

  Run& run_;
  Trace* trace_;
  SpanId id_ = 0;
};

// ---- performing ----

// Asks whoever can say so; fails when it may not be done. See approval.h.
vm::Outcome<Done> ask_first(Run& run, const EffectRow& row, std::string shown, std::string told, std::string exact);

// What a person has to know to decide: messages and traces may say less.
template <class Request>
std::string told_to_person(const Request& request) {
  if constexpr (requires { request.told_to_person(); }) return request.told_to_person();
  else return fmt::format("{} {}", Request::row.name, request.shown());
}

// Why the rules about connections do not let it talk to one of these.
std::optional<std::string> egress_refusal(Run& run, const std::vector<EgressTarget>& targets);

// Somebody attends to the effect, or it is not allowed.
template <class Request, class Do>
vm::Outcome<typename Request::Answer> perform_attended(Run& run, const Request& request, Do carry_out) {
  constexpr const EffectRow& row = Request::row;
  Run::Attending attending = run.attending();
  EffectSpan span(run, attending.trace.get(), row, request);
  auto ended = [&](SpanEnd how, vm::Outcome<typename Request::Answer> answer) {
    span.end(how, answer ? nullptr : &answer.error());
    return answer;
  };
  if (!run.allows(row.capability)) return ended(SpanEnd::Denied, denied(row, request.shown()));
  if constexpr (requires { request.targets(); }) {
    if (auto reason = egress_refusal(run, request.targets()))
      return ended(SpanEnd::Denied, egress_blocked(request, *reason));
  }
  if (run.asks(row.capability)) {
    auto approved = ask_first(run, row, request.shown(), told_to_person(request), to_bytes(request));
    if (!approved) return ended(SpanEnd::Denied, std::unexpected(std::move(approved).error()));
  }
  if (Budget* budget = run.budget()) {
    if (auto limit = budget->take(row.capability))
      return ended(SpanEnd::OverBudget, over_budget(row, *limit, request.shown()));
  }
  if (std::any mock = run.mock(row); mock.has_value()) {
    if (auto answer = std::any_cast<Mock<Request>&>(mock)(request)) return ended(SpanEnd::Mocked, *std::move(answer));
  }
  if (attending.player) return ended(SpanEnd::Replayed, replayed(run, *attending.player, request, carry_out));
  auto answer = attending.recorder ? recorded(run, *attending.recorder, request, carry_out) : carry_out();
  SpanEnd how = answer ? SpanEnd::Done : SpanEnd::Failed;
  return ended(how, std::move(answer));
}

template <class Request, class Do>
vm::Outcome<typename Request::Answer> perform_with(Run& run, const Request& request, Do carry_out) {
  vm::let_others_in();  // it may take a while
  if (run.is_direct(Request::row.capability)) [[likely]]
    return carry_out();
  return perform_attended(run, request, carry_out);
}

template <class Request>
vm::Outcome<typename Request::Answer> perform(Run& run, const Request& request) {
  return perform_with(run, request, [&] { return carry_out(run, request); });
}

}  // namespace harn::effects
