#include "effects/approval.h"

#include <deque>

#include "base/codecs.h"
#include "base/text.h"
#include "effects/stdio.h"
#include "vm/digest.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

namespace harn::effects {

using vm::Stream;

static std::string shown_question(const ApprovalQuestion& question) {
  return question.what.empty() ? question.action : fmt::format("{} ({})", question.action, question.what);
}

// ---- one at a time ----

namespace {

bool is_on_fiber() {
  vm::Task* task = vm::Scheduler::current_or_null();
  return task && task->fiber;
}

// Whose turn it is to ask. What does not run on a fiber cannot wait for its turn without holding up its worker, and perhaps
// the one whose turn it is: it asks in between.
class Turn {
 public:
  // Null: the task was told to stop.
  static std::unique_ptr<Turn> wait(World& world, const ApprovalQuestion& question) {
    if (!is_on_fiber()) return std::unique_ptr<Turn>(new Turn(nullptr));
    std::shared_ptr<vm::Completion> mine;
    {
      std::lock_guard guard(world.lock);
      if (world.asking) world.waiting_to_ask.push_back(mine = std::make_shared<vm::Completion>());
      world.asking = true;
    }
    std::unique_ptr<Turn> turn(new Turn(&world));
    if (!mine || mine->wait("approval", vm::text_value(question.action)) != vm::Wake::Cancelled) return turn;
    turn->leave(mine);
    return nullptr;
  }
  ~Turn() {
    if (world_) pass_on();
  }
  Turn(const Turn&) = delete;

 private:
  explicit Turn(World* world) : world_(world) {}

  void pass_on() {
    std::shared_ptr<vm::Completion> next;
    {
      std::lock_guard guard(world_->lock);
      world_->asking = !world_->waiting_to_ask.empty();
      if (world_->asking) {
        next = world_->waiting_to_ask.front();
        world_->waiting_to_ask.pop_front();
      }
    }
    if (next) next->finish();
  }
  // It may have been its turn already.
  void leave(const std::shared_ptr<vm::Completion>& mine) {
    std::lock_guard guard(world_->lock);
    if (std::erase(world_->waiting_to_ask, mine) > 0) world_ = nullptr;
  }

  World* world_;
};

// ---- the terminal ----

// What nobody would read to its end is not asked about.
constexpr size_t kMostShown = 16'000;

std::optional<Approval> understood(std::string_view line) {
  std::string word = text::ascii_lower(text::trim(line));
  if (word == "y" || word == "yes") return Approval::Once;
  if (word == "a" || word == "always") return Approval::Always;
  if (word == "n" || word == "no" || word.empty()) return Approval::Refused;
  return std::nullopt;
}

// The terminal, or what a test has put in its place if it may answer.
template <class Request>
vm::Outcome<typename Request::Answer> of_terminal(Run& run, const Request& request, const ApprovalQuestion& question) {
  return question.is_from_outside ? carry_out(run, request) : answer_of(run, request);
}

vm::Outcome<bool> has_terminal(Run& run, const ApprovalQuestion& question) {
  if (!HARN_TRY(of_terminal(run, AskInputTerminal{}, question))) return false;
  return HARN_TRY(of_terminal(run, AskTerminal{.stream = Stream::Err}, question)).is_terminal;
}

vm::Outcome<Approval> ask_terminal(Run& run, const ApprovalQuestion& question) {
  if (!HARN_TRY(has_terminal(run, question))) return Approval::Nobody;
  std::string asked = run.world().secrets.hidden(shown_question(question));
  if (asked.size() + question.why.size() > kMostShown) {
    run.host().write(Stream::Err, fmt::format("refused {}: it is too long to be shown\n", question.action));
    return Approval::Refused;
  }
  std::string who = question.who.empty() ? "" : text::visible(question.who) + ": ";
  std::string why = question.why.empty() ? "" : "\n  " + text::visible(question.why);
  std::string text = fmt::format("{}allow {}?{}\n  [y]es, [a]lways, [n]o: ", who, text::visible(asked), why);
  for (int attempt = 0; attempt < 3; ++attempt) {
    run.host().write(Stream::Err, text);
    run.host().flush();
    auto line = HARN_TRY(of_terminal(run, ReadInput{}, question));
    if (line.is_end) break;
    if (auto approval = understood(line.text)) return *approval;
    text = "  please answer y, a or n: ";
  }
  return Approval::Refused;
}

std::string key_of(const ApprovalQuestion& question) {
  std::string all = question.is_from_outside ? "outside" : "own";
  for (const std::string* part : {&question.action, &question.what, &question.exact}) all += '\0' + *part;
  return vm::Digest::of(all);
}

}  // namespace

vm::Outcome<AskApproval::Answer> carry_out(Run& run, const AskApproval& request) {
  auto turn = Turn::wait(run.world(), request.question);
  if (!turn) return vm::stopped_error();
  return AskApproval::Answer{HARN_TRY(ask_terminal(run, request.question))};
}

vm::Outcome<Approval> ask_approval(Run& run, ApprovalQuestion question) {
  World& world = run.world();
  if (question.who.empty()) question.who = run.identity();
  {
    std::lock_guard guard(world.lock);
    if (world.approved_always.contains(key_of(question))) return Approval::Always;
  }
  Approval approval = HARN_TRY(perform(run, AskApproval{question})).approval;
  if (approval == Approval::Always) {
    std::lock_guard guard(world.lock);
    world.approved_always.insert(key_of(question));
  }
  return approval;
}

std::string refusal(Approval approval, const ApprovalQuestion& question) {
  switch (approval) {
    case Approval::Once:
    case Approval::Always: return "";
    case Approval::Refused: return fmt::format("not approved: {}", shown_question(question));
    case Approval::Nobody: break;
  }
  return fmt::format("not approved: {}: it needs approval, and there is nobody to ask", shown_question(question));
}

// By hooks of the program, and by the person where they do not decide: why it is not done, or empty.
static vm::Outcome<std::string> why_not(Run& run, const ApprovalQuestion& question, std::string shown) {
  vm::Vm& vm = vm::Scheduler::current().scheduler->vm();
  ApprovalQuestion told = question;
  told.what = std::move(shown);
  if (auto ask = vm.local<ApprovalHooks>().ask) {
    if (auto verdict = HARN_TRY(ask(vm, question))) {
      if (verdict->empty()) return std::string();
      return fmt::format("not approved: {}: {}", shown_question(told), *verdict);
    }
  }
  return refusal(HARN_TRY(ask_approval(run, question)), told);
}

vm::Outcome<Done> ask_first(Run& run, const EffectRow& row, std::string shown, std::string told, std::string exact) {
  ApprovalQuestion question{
      .action = std::string(vm::capability_name(row.capability)), .what = std::move(told), .why = {}, .who = {}};
  question.is_from_outside = run.world().asked_from_outside & bit_of(row.capability);
  question.exact = codecs::to_hex(exact);
  std::string reason = HARN_TRY(why_not(run, question, shown));
  if (reason.empty()) return Done();
  return vm::with_facts(vm::throw_text(ErrorKind::Denied, "{}", reason), "approval",
                        {{"effect", vm::text_value(row.name)},
                         {"action", vm::text_value(question.action)},
                         {"request", vm::text_value(shown)}});
}

}  // namespace harn::effects
