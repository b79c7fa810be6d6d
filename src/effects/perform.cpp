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
  return vm::throw_text("replay: the recording has another effect where the program asks for {}", question.name);
}

// The class, then the text that a `catch` would see.
TapeAnswer error_answer(const vm::Thrown& error) {
  std::string bytes(1, static_cast<char>(error->error_class));
  return {true, bytes + vm::describe(*error)};
}

std::unexpected<vm::Thrown> answered_error(const TapeAnswer& answer) {
  auto error_class = static_cast<vm::ErrorClass>(answer.bytes.at(0));
  return vm::make_error_text(error_class, std::string_view(answer.bytes).substr(1));
}

}  // namespace harn::effects
