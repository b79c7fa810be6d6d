#include "effects/replay.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "data/json.h"
#include "effects/fields.h"
#include "effects/run.h"
#include "vm/fiber.h"
#include "vm/print.h"
#include "vm/scheduler.h"
#include "vm/trace.h"

namespace harn::effects {

static std::string describe(const Question& question) {
  std::string shown = question.shown.empty() ? "" : fmt::format(" ({})", question.shown);
  return fmt::format("{}{} in {}", question.name, shown, vm::task_id_text(question.task));
}

// A field as people read it: texts are kept as bytes.
static void append_field(std::string& out, const vm::Value& field) {
  if (field.is(vm::Kind::Bytes)) {
    data::append_json(out, vm::text_value(text::to_valid_utf8(field.as_bytes()->view())));
  } else if (field.is(vm::Kind::List)) {
    std::string_view separator = "[";
    for (const vm::Value& part : field.as_list()->values()) {
      out += std::exchange(separator, ", ");
      append_field(out, part);
    }
    out += separator == "[" ? "[]" : "]";
  } else {
    out += vm::display(field);
  }
}

// What people are not shown otherwise: the fields of a request, without its secrets.
static std::string fields_text(const Question& question) {
  std::string text;
  append_field(text, decoded(question.request));
  return text;
}

// A piece of it, from shortly before the place where it differs from the other.
static std::string details(const std::string& text, size_t differs_at) {
  constexpr size_t kBefore = 80, kMost = 200;
  size_t from = differs_at > kBefore ? differs_at - kBefore : 0;
  std::string piece = text::to_valid_utf8(text.substr(from, kMost));
  return fmt::format(": {}{}{}", from > 0 ? "..." : "", piece, from + kMost < text.size() ? "..." : "");
}

static size_t first_difference(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

Player::Player(std::vector<TapeEntry> entries, Extent extent)
    : Course(Kind::Repeated), entries_(std::move(entries)), extent_(extent), is_told_(entries_.size()) {
  for (size_t i = 0; i < entries_.size(); ++i) {
    has_moments_ = has_moments_ || entries_[i].answer.moment != 0;
    if (entries_[i].answer.told == Told::Timer) continue;
    const Question& question = entries_[i].question;
    by_asker_.emplace(std::pair(question.task, question.number), i);
  }
}

vm::Outcome<const TapeEntry*> Player::next_answer(Run& run, const Question& question) {
  size_t order = HARN_TRY(find(question));
  if (order == entries_.size() && extent_ == Extent::Beginning) return cut_off(question);
  if (order == entries_.size()) {
    if (vm::Scheduler::current().fiber) vm::fiber_sleep("replay", vm::kNever);
    return vm::stopped_error();
  }
  const TapeEntry& entry = entries_[order];
  if (has_moments_) {
    wait_for_moment(order);
    if (divergence()) return divergence_error();
    set_time(run.clock(), entry.answer);
    tell(order);
    return &entry;
  }
  if (entry.answer.told == Told::Nothing) {
    // Until whatever stopped the task then does so again.
    tell(order);
    vm::fiber_sleep("replay", vm::kNever);
    return &entry;
  }
  vm::Clock& clock = run.clock();
  vm::Nanoseconds due = start + entry.answer.at;
  bool is_on_fiber = vm::Scheduler::current().fiber != nullptr;
  if (is_on_fiber && !clock.is_mocked() && due > clock.now()) vm::fiber_sleep("replay", due);
  wait_for_turn(order);
  set_time(clock, entry.answer);
  tell(order);
  return &entry;
}

void Player::set_time(vm::Clock& clock, const TapeAnswer& answer) const {
  if (clock.is_mocked()) return;
  clock.follow_to(start + answer.at);
  if (vm::Task* task = vm::Scheduler::current_or_null()) task->scheduler->note_time();
}

// ---- moments ----

bool Player::has_come(size_t order) {
  std::lock_guard guard(lock_);
  return divergence_ || entries_[order].answer.moment <= moment();
}

// The running task waits as the recorded one did, or is stopped where that was.
void Player::wait_for_moment(size_t order) {
  vm::Task* running = vm::Scheduler::current_or_null();
  if (!running) return;
  vm::Task& task = *running;
  bring_about(*task.scheduler);
  constexpr int kMostStops = 2;  // whoever is stopped ends what it does, and may wait for that
  for (int stops = 0; task.fiber && !has_come(order) && stops < kMostStops;) {
    {
      std::lock_guard guard(lock_);
      waiting_[order] = {&task, task.begin_wait("replay")};
    }
    if (vm::park_here() == vm::Wake::Cancelled) ++stops;
    std::lock_guard guard(lock_);
    waiting_.erase(order);
  }
  bool is_to_stop = entries_[order].answer.told == Told::Nothing && !(task.fiber && task.fiber->stop);
  if (!is_to_stop || divergence()) return;
  tell(order);
  vm::take_stop();  // in the middle of its work, as a rule
  if (task.fiber) vm::fiber_sleep("replay", vm::kNever);
}

// Under the lock.
void Player::skip_timers() {
  while (told_ < entries_.size() && (is_told_[told_] || entries_[told_].answer.told == Told::Timer)) ++told_;
}

void Player::bring_about(vm::Scheduler& scheduler) {
  if (!has_moments_) return;
  for (;;) {
    std::unique_lock guard(lock_);
    if (divergence_ || told_ == entries_.size() || entries_[told_].answer.moment > moment()) return;
    const TapeEntry& entry = entries_[told_];
    if (entry.answer.told == Told::Timer) {
      is_told_[told_] = true;
      while (told_ < entries_.size() && is_told_[told_]) ++told_;
      guard.unlock();
      set_time(scheduler.clock(), entry.answer);
      scheduler.note_time();
      scheduler.fire_timer_of(entry.question.task, static_cast<uint32_t>(entry.question.number));
      continue;
    }
    auto next = waiting_.find(told_);
    if (next == waiting_.end()) return;  // it will ask
    auto [task, ticket] = next->second;
    waiting_.erase(next);
    guard.unlock();
    return scheduler.go_first(*task, ticket);
  }
}

vm::Outcome<size_t> Player::find(const Question& question) {
  std::unique_lock guard(lock_);
  if (divergence_) return divergence_error();
  auto found = by_asker_.find({question.task, question.number});
  if (found == by_asker_.end()) {
    skip_timers();
    // The recorded program had ended by then: how far its other tasks get with their clean-up until the process ends is a matter of time.
    vm::Task* task = vm::Scheduler::current_or_null();
    bool has_ended = told_ == entries_.size() && task && !task->is_root() && task->scheduler->root().finished;
    if (extent_ == Extent::Beginning || has_ended) return entries_.size();
    std::string expected = told_ < entries_.size() ? describe(entries_[told_].question) : "the end of the program";
    guard.unlock();
    return diverged(std::move(expected), describe(question));
  }
  const Question& recorded = entries_[found->second].question;
  bool is_same =
      recorded.name == question.name && recorded.version == question.version && recorded.request == question.request;
  if (is_same) return found->second;
  guard.unlock();
  std::string expected = describe(recorded), found_text = describe(question);
  if (expected == found_text) {
    std::string recorded_fields = fields_text(recorded), asked_fields = fields_text(question);
    size_t differs_at = first_difference(recorded_fields, asked_fields);
    expected += details(recorded_fields, differs_at);
    found_text += details(asked_fields, differs_at);
  }
  return diverged(std::move(expected), std::move(found_text));
}

vm::Nanoseconds Player::time_of_next(std::string_view name) {
  vm::Task& task = vm::Scheduler::current();
  auto found = by_asker_.find({task.id, task.own_effects().asked});
  if (found == by_asker_.end() || entries_[found->second].question.name != name) return vm::kNever;
  return start + entries_[found->second].answer.at;
}

// Another task may have to be told something first.
void Player::wait_for_turn(size_t order) {
  vm::Task& task = vm::Scheduler::current();
  for (;;) {
    uint64_t ticket;
    {
      std::lock_guard guard(lock_);
      if (told_ >= order || divergence_ || !vm::can_park()) return;
      ticket = task.begin_wait("replay");
      waiting_[order] = {&task, ticket};
    }
    vm::park_here();
    std::lock_guard guard(lock_);
    waiting_.erase(order);
    // Who is being stopped cannot wait, and would keep the others from going on.
    if (task.requests.load() != 0 || (task.fiber && task.fiber->stop)) return;
  }
}

void Player::tell(size_t order) {
  std::lock_guard guard(lock_);
  is_told_[order] = true;
  while (told_ < entries_.size() && is_told_[told_]) ++told_;
  if (has_moments_) return;  // bring_about wakes them
  auto next = waiting_.find(told_);
  if (next == waiting_.end()) return;
  auto [task, ticket] = next->second;
  waiting_.erase(next);
  task->scheduler->wake(*task, ticket, vm::Wake::Value);
}

// Under the lock. Whoever waits for its turn finds out.
void Player::end(Divergence why) {
  if (divergence_) return;
  divergence_ = std::move(why);
  for (auto& [order, waiting] : waiting_) {
    waiting.task->scheduler->wake(*waiting.task, waiting.ticket, vm::Wake::Value);
  }
  waiting_.clear();
}

static std::string place_here() {
  vm::Task* task = vm::Scheduler::current_or_null();
  return task ? vm::stack_text(*task) : "";
}

std::unexpected<vm::Thrown> Player::divergence_error() {
  if (divergence_->is_cut_off)
    return vm::with_facts(vm::throw_text(ErrorKind::Runtime, "replay: the recording ends here"), "replay.cut_off");
  return vm::with_facts(vm::throw_text(ErrorKind::Runtime, "replay: expected {}, but the program asks for {}",
                                       divergence_->expected, divergence_->found),
                        "replay.diverged");
}

std::unexpected<vm::Thrown> Player::diverged(std::string expected, std::string found) {
  std::string place = place_here();
  std::lock_guard guard(lock_);
  end({.expected = std::move(expected), .found = std::move(found), .place = std::move(place)});
  return divergence_error();
}

// The run was killed before it was told this. Others may have been told more, and are told that first.
vm::Outcome<const TapeEntry*> Player::cut_off(const Question& question) {
  std::string place = place_here();
  {
    std::lock_guard guard(lock_);
    if (has_run_out() || !vm::Scheduler::current().fiber) {
      end({.is_cut_off = true, .expected = {}, .found = describe(question), .place = std::move(place)});
      return divergence_error();
    }
  }
  vm::fiber_sleep("replay", vm::kNever);
  return vm::stopped_error();
}

bool Player::note_standstill(std::string place) {
  std::lock_guard guard(lock_);
  if (!has_run_out()) return false;
  end({.is_cut_off = true, .expected = {}, .found = {}, .place = std::move(place)});
  return true;
}

void Player::finish() {
  {
    std::lock_guard guard(lock_);
    skip_timers();  // tasks that had not ended by then
    if (divergence_ || told_ == entries_.size()) return;
  }
  (void)diverged(describe(entries_[told_].question), "the end of the program");
}

std::optional<Divergence> Player::divergence() {
  std::lock_guard guard(lock_);
  return divergence_;
}

}  // namespace harn::effects
