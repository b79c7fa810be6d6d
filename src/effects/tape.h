#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/secrets.h"
#include "vm/clock.h"
#include "vm/course.h"

// What a run asked of the world and what it was told, so that another run can be told the same (replay.h).
//
// What is kept has no secrets in it: a program that is replayed sees `<redacted:...>` where the recorded one saw a
// secret, and asks its questions with that.
namespace harn::effects {

// One question. Which task asked it and how many it had asked before are the same in every run of a program,
// whatever the workers do: an answer is found by these. The rest says whether it is still the same question.
struct Question {
  uint64_t task = 0;
  uint64_t number = 0;
  std::string name;  // "file.read"
  uint32_t version = 1;
  std::string shown;    // for people
  std::string request;  // its fields (fields.h)

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(task), visit(number), visit(name), visit(version), visit(shown), visit(request);
  }
};

enum class Told : uint8_t {
  Answer,
  Error,
  Nothing,  // the task was stopped before
  Timer,    // no answer: a time was up, see vm::Course::note_timer
};

struct TapeAnswer {
  Told told = Told::Answer;
  std::string bytes;       // the answer's fields, or the error's
  vm::Nanoseconds at = 0;  // when it was told, counted from the start of the recording
  uint64_t moment = 0;     // the same as vm::Course counts; later than the question: the task has waited for it

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(told), visit(bytes), visit(at), visit(moment);
  }
};

struct TapeEntry {
  Question question;
  TapeAnswer answer;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(question), visit(answer);
  }
};

// The secrets of a run. Used by all tasks at once.
class SharedSecrets {
 public:
  void add(std::string_view name, std::string_view value) {
    std::lock_guard guard(lock_);
    secrets_.add(name, value);
  }
  std::string hidden(std::string_view text) {
    std::lock_guard guard(lock_);
    return secrets_.hidden(text);
  }

 private:
  Mutex lock_;
  Secrets secrets_;
};

// Keeps what a run is told, in the order in which it is told. Used by all tasks at once.
class Recorder : public vm::Course {
 public:
  // `keep` is called by one thread at a time.
  explicit Recorder(std::function<void(const TapeEntry&)> keep) : Course(Kind::Noted), keep_(std::move(keep)) {}
  void record(Question question, TapeAnswer answer) {
    answer.moment = moment();
    TapeEntry entry{std::move(question), std::move(answer)};
    std::lock_guard guard(lock_);
    keep_(entry);
  }
  void note_timer(uint64_t task, uint32_t which, vm::Nanoseconds at) override {
    record({.task = task, .number = which, .name = "timer"}, {.told = Told::Timer, .at = at - start});
  }
  void bring_about(vm::Scheduler&) override {}
  vm::Nanoseconds start = 0;  // on the program's clock

 private:
  Mutex lock_;
  std::function<void(const TapeEntry&)> keep_;
};

}  // namespace harn::effects
