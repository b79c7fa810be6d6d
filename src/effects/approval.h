#pragma once

#include <optional>
#include <string>

#include "effects/perform.h"

// Asking a person whether something may be done.
//
// The person at the terminal is; where there is none, it may not be done. What was said is the answer of an effect like others:
// it is recorded, and in a replay nobody is asked. One task asks at a time. Whoever says "always" is not asked again about
// the very same thing, by any task of the program.
namespace harn::effects {

struct ApprovalQuestion {
  std::string action;  // as policies name it: "process.exec"
  std::string what;    // of that, without secrets: "git"; may be empty
  std::string why;     // it is asked; may be empty
  std::string who;     // on whose behalf; empty: as the run says
  // Whoever started the program wants it asked: then what the program has put in place of a terminal (mock_tty, mock_stdin)
  // answers nothing.
  bool is_from_outside = false;
  std::string exact = {};  // all of it, as bytes: "always" is for the very same thing, whatever looks like it
};
enum class Approval : uint8_t { Nobody, Refused, Once, Always };  // Nobody: there is nobody to ask

struct AskApproval {
  struct Answer {
    Approval approval = Approval::Nobody;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(approval);
    }
  };
  static constexpr EffectRow row{.name = "approval.ask", .capability = vm::Capability::Approval};

  ApprovalQuestion question;

  std::string shown() const { return question.action; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(question.action), visit(question.what), visit(question.why), visit(question.who);
  }
};
// On a fiber the task waits; elsewhere the thread does.
vm::Outcome<AskApproval::Answer> carry_out(Run& run, const AskApproval& request);

// The same, unless it was approved for always. Fails where a person cannot be asked for want of `human.approval`.
vm::Outcome<Approval> ask_approval(Run& run, ApprovalQuestion question);
// Hooks of the program, which hear of what the gate asks about before a person does. One for each VM; whoever makes the VM sets it.
struct ApprovalHooks {
  // Why it is not done, empty: it is approved; nothing: nobody listens, and the person is to be asked.
  using Verdict = std::optional<std::string>;
  vm::Outcome<Verdict> (*ask)(vm::Vm& vm, const ApprovalQuestion& question) = nullptr;
};

// Why it is not done: "not approved: process.exec (git)"; empty: it is.
std::string refusal(Approval approval, const ApprovalQuestion& question);

}  // namespace harn::effects
