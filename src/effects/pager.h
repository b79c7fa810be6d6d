#pragma once

#include "effects/perform.h"

// A long text for a person at a terminal.
namespace harn::effects {

// Hands the text to a pager, a line of shell such as `less -R`, and waits until the person has left it. The pager has the
// terminal meanwhile. For tasks on a fiber; one that is stopped ends the pager. What the program has written is seen before.
// The command is the person's own, from the environment: a pager is not held to the program's workspace.
struct ShowInPager {
  struct Answer {
    bool is_shown = false;  // false: there is no terminal that is ours to give
    int64_t status = 0;     // the pager's exit code; -1 when a signal ended it
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_shown), visit(status);
    }
  };
  static constexpr EffectRow row{.name = "process.pager", .capability = vm::Capability::Process};

  std::string command;
  std::string text;

  std::string shown() const { return command; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(command), visit(text);
  }
};
vm::Outcome<ShowInPager::Answer> carry_out(Run& run, const ShowInPager& request);

}  // namespace harn::effects
