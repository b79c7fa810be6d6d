#include "effects/perform.h"

#include "vm/fiber.h"
#include "vm/scheduler.h"

namespace harn::effects {

Question next_question(const EffectRow& row, std::string shown, std::string request) {
  vm::Task* task = vm::Scheduler::current_or_null();
  Question question{
      .name = std::string(row.name), .version = row.version, .shown = std::move(shown), .request = std::move(request)};
  if (task) {
    question.task = task->id;
    question.number = task->own_effects().asked++;
  }
  return question;
}

namespace {

struct RecordedError {
  vm::ErrorClass error_class{};
  ErrorKind kind{};
  std::string code;
  std::string text;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(error_class), visit(kind), visit(code), visit(text);
  }
};

}  // namespace

static vm::Nanoseconds time_of(Run& run, const Recorder& recorder) { return run.clock().now() - recorder.start; }

void keep_answer(Run& run, Recorder& recorder, Question question, std::string bytes) {
  recorder.record(std::move(question), {Told::Answer, std::move(bytes), time_of(run, recorder)});
}

void keep_error(Run& run, Recorder& recorder, Question question, const vm::Thrown& error) {
  vm::Task* task = vm::Scheduler::current_or_null();
  bool was_stopped = task && task->fiber && task->fiber->stop;
  std::string code = error->facts ? error->facts->code : "";
  SharedSecrets& secrets = run.world().secrets;
  std::string bytes =
      to_bytes(RecordedError{error->error_class, error->error_kind, code, vm::describe(*error)}, &secrets);
  Told told = was_stopped ? Told::Nothing : Told::Error;
  recorder.record(std::move(question), {told, std::move(bytes), time_of(run, recorder)});
}

std::unexpected<vm::Thrown> answered_error(const TapeAnswer& answer) {
  RecordedError recorded;
  if (!from_bytes(answer.bytes, recorded)) return vm::runtime_error("replay: a recorded error cannot be read");
  auto error = vm::make_error_text(recorded.error_class, recorded.kind, recorded.text);
  return recorded.code.empty() ? error : vm::with_facts(std::move(error), recorded.code);
}

std::optional<std::string> egress_refusal(Run& run, const std::vector<EgressTarget>& targets) {
  auto rules = run.egress();
  if (!rules) return std::nullopt;
  for (const EgressTarget& target : targets) {
    if (auto reason = rules->refusal_of(target)) return reason;
  }
  return std::nullopt;
}

SpanId EffectSpan::begin(const EffectRow& row, std::string shown) {
  vm::Task* task = vm::Scheduler::current_or_null();
  return trace_->begin({.parent = run_.trace_parent(),
                        .task = task ? task->id : 0,
                        .name = std::string(row.name),
                        .shown = run_.world().secrets.hidden(shown),
                        .identity = run_.identity()},
                       vm::steady_now());
}

void EffectSpan::end(SpanEnd how, const vm::Thrown* error) {
  if (!trace_) return;
  if (error && how == SpanEnd::Replayed) how = SpanEnd::Failed;
  std::string text = error ? run_.world().secrets.hidden(vm::describe(**error)) : "";
  trace_->end(id_, vm::steady_now(), how, std::move(text));
}

}  // namespace harn::effects
