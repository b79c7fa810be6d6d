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
    : entries_(std::move(entries)), extent_(extent), is_told_(entries_.size()) {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Question& question = entries_[i].question;
    by_asker_.emplace(std::pair(question.task, question.number), i);
  }
}

vm::Outcome<const TapeEntry*> Player::next_answer(Run& run, const Question& question) {
  size_t order = HARN_TRY(find(question));
  if (order == entries_.size()) return cut_off(question);
  const TapeEntry& entry = entries_[order];
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
  if (!clock.is_mocked()) {
    clock.follow_to(due);
    vm::Scheduler::current().scheduler->note_time();
  }
  tell(order);
  return &entry;
}

vm::Outcome<size_t> Player::find(const Question& question) {
  std::unique_lock guard(lock_);
  if (divergence_) return divergence_error();
  auto found = by_asker_.find({question.task, question.number});
  if (found == by_asker_.end()) {
    if (extent_ == Extent::Beginning) return entries_.size();
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
    if (divergence_ || told_ == entries_.size()) return;
  }
  (void)diverged(describe(entries_[told_].question), "the end of the program");
}

std::optional<Divergence> Player::divergence() {
  std::lock_guard guard(lock_);
  return divergence_;
}

}  // namespace harn::effects
