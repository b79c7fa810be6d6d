#include "effects/perform.h"

#include "vm/scheduler.h"

namespace harn::effects {

Question next_question(const EffectRow& row, std::string_view request) {
  vm::Task* task = vm::Scheduler::current_or_null();
  Question question{.name = row.name, .version = row.version, .request = request};
  if (task) {
    question.task = task->id;
    question.number = task->own_effects().asked++;
  }
  return question;
}

vm::Outcome<TapeAnswer> play(Tape& tape, const Question& question) {
  auto answer = tape.play(question);
  if (answer) return *std::move(answer);
  return vm::throw_text(ErrorKind::Runtime, "replay: the recording has another effect where the program asks for {}",
                        question.name);
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

TapeAnswer error_answer(const vm::Thrown& error) {
  std::string code = error->facts ? error->facts->code : "";
  return {true, to_bytes(RecordedError{error->error_class, error->error_kind, code, vm::describe(*error)})};
}

std::unexpected<vm::Thrown> answered_error(const TapeAnswer& answer) {
  RecordedError recorded;
  if (!from_bytes(answer.bytes, recorded)) return vm::runtime_error("replay: a recorded error cannot be read");
  auto error = vm::make_error_text(recorded.error_class, recorded.kind, recorded.text);
  return recorded.code.empty() ? error : vm::with_facts(std::move(error), recorded.code);
}

}  // namespace harn::effects
