#include "effects/perform.h"

#include "base/fmt.h"
#include "data/encoding.h"
#include "vm/dict.h"
#include "vm/effect_end.h"
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
  vm::Value value;  // a text, or the dict that was thrown
  std::string code;
  vm::Value details;  // a dict, or nil
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(error_class), visit(kind), visit(value), visit(code), visit(details);
  }
};

// What hosts throw may be anything.
bool is_data(const vm::Value& value) {
  vm::Undisturbed undisturbed;
  data::BuiltInTypes types;
  std::string bytes;
  return data::encode(bytes, value, types).has_value();
}

vm::ErrorDetails details_of(const RecordedError& recorded) {
  vm::ErrorDetails details;
  if (!recorded.details.is_dict()) return details;
  for (auto [name, value] : recorded.details.as_dict()->entries()) details.emplace_back(name->view(), *value);
  return details;
}

}  // namespace

static vm::Nanoseconds time_of(Run& run, const Recorder& recorder) { return run.clock().now() - recorder.start; }

void keep_answer(Run& run, Recorder& recorder, Question question, std::string bytes) {
  recorder.record(std::move(question), {Told::Answer, std::move(bytes), time_of(run, recorder)});
  vm::end_effect();
}

void keep_error(Run& run, Recorder& recorder, Question question, const vm::Thrown& error) {
  vm::Task* task = vm::Scheduler::current_or_null();
  bool was_stopped = task && task->fiber && task->fiber->stop;
  RecordedError recorded{.error_class = error->error_class, .kind = error->error_kind};
  bool is_dict = error->value.is_dict() && is_data(error->value);
  recorded.value = is_dict ? error->value : vm::text_value(vm::describe(*error));
  if (error->facts) recorded.code = error->facts->code;
  if (error->facts && is_data(error->facts->details)) recorded.details = error->facts->details;
  std::string bytes = to_bytes(std::move(recorded), &run.world().secrets);
  Told told = was_stopped ? Told::Nothing : Told::Error;
  recorder.record(std::move(question), {told, std::move(bytes), time_of(run, recorder)});
  vm::end_effect();
}

void keep_nothing(Run& run, Recorder& recorder, Question question) {
  recorder.record(std::move(question), {Told::Nothing, "", time_of(run, recorder)});
}

std::unexpected<vm::Thrown> answered_error(const TapeAnswer& answer) {
  RecordedError recorded;
  if (!from_bytes(answer.bytes, recorded)) return vm::runtime_error("replay: a recorded error cannot be read");
  vm::Thrown error = vm::new_error(recorded.error_class, recorded.value);
  error->error_kind = recorded.kind;
  if (recorded.code.empty() && recorded.details.is_nil()) return std::unexpected(std::move(error));
  return vm::with_facts(std::unexpected(std::move(error)), recorded.code, details_of(recorded));
}

std::optional<std::string> egress_refusal(Run& run, const std::vector<EgressTarget>& targets) {
  auto rules = run.egress();
  if (!rules) return std::nullopt;
  for (const EgressTarget& target : targets) {
    auto reason = rules->refusal_of(target);
    if (!reason) continue;
    // What is told names the first, whom the request is for.
    bool is_on_the_way = &target != &targets.front();
    return is_on_the_way ? fmt::format("{}:{} on the way there: {}", target.host, target.port, *reason) : *reason;
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
