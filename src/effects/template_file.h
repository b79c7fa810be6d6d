#pragma once

#include "effects/errand.h"
#include "effects/perform.h"

// A template that is in a file. The file is opened once: what it is called, whether it is where it may be, and what is in it are
// asked of what was opened, so that nobody can put another in its place meanwhile.
namespace harn::effects {

struct ReadTemplate : FileErrand {
  struct Answer {
    std::string text;
    std::string path;  // without links
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(text), visit(path);
    }
  };
  static constexpr EffectRow row{.name = "file.read_template", .capability = vm::Capability::FileRead};

  std::string path;
  std::string within;   // the folder that it must be in, links followed; empty: any
  std::string failure;  // begins the message; "PATH: REASON" follows

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path), visit(within);
  }
};
vm::Outcome<ReadTemplate::Answer> carry_out(Run& run, const ReadTemplate& request);

}  // namespace harn::effects
