#pragma once

#include "effects/perform.h"

// The program's own streams.
namespace harn::effects {

struct Write {
  using Answer = Done;
  static constexpr EffectRow row{.name = "stdio.write", .capability = vm::Capability::Output, .is_own_output = true};

  vm::Stream stream = vm::Stream::Out;
  std::string text;
  bool is_flushed = false;  // seen before the program goes on

  std::string shown() const { return stream == vm::Stream::Out ? "standard output" : "standard error"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(stream), visit(text), visit(is_flushed);
  }
};
vm::Outcome<Done> carry_out(Run& run, const Write& request);

// One line without its end, or all that is left. On a fiber the task waits; elsewhere the thread does.
struct ReadInput {
  struct Answer {
    bool is_end = false;
    std::string text;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_end), visit(text);
    }
  };
  static constexpr EffectRow row{.name = "stdio.read", .capability = vm::Capability::Input};

  enum class Typing : uint8_t {
    Shown,
    Hidden,  // a terminal does not show what is typed
    Keys,    // a terminal gives keys as they are pressed, Ctrl-C among them, and shows none
  };
  bool all = false;
  Typing typing = Typing::Shown;

  std::string shown() const { return "standard input"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(all);
  }
};
vm::Outcome<ReadInput::Answer> carry_out(Run& run, const ReadInput& request);

// A line that a person edits on the terminal, with history and keys to move about.
struct EditLine {
  struct Answer {
    vm::Host::Edited ended = vm::Host::Edited::Line;
    std::string text;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(ended), visit(text);
    }
  };
  static constexpr EffectRow row{.name = "stdio.edit", .capability = vm::Capability::Input};

  std::string prompt;
  std::string history;  // the name of a file for earlier lines

  std::string shown() const { return "standard input"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(prompt), visit(history);
  }
};
vm::Outcome<EditLine::Answer> carry_out(Run& run, const EditLine& request);

// The program has dealt with a signal: the next one is a first one again. Part of the handlers that a program has (std/signal), and nothing that is recorded.
void forget_interrupt(Run& run);

// What a stream is connected to.
struct AskTerminal {
  struct Answer {
    bool is_terminal = false;
    bool shows_styles = false;  // colours, as the environment asks for (NO_COLOR, FORCE_COLOR, TERM)
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_terminal), visit(shows_styles);
    }
  };
  static constexpr EffectRow row{.name = "stdio.terminal", .capability = vm::Capability::Output};

  vm::Stream stream = vm::Stream::Out;

  std::string shown() const { return "is it a terminal?"; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(stream);
  }
};
vm::Outcome<AskTerminal::Answer> carry_out(Run& run, const AskTerminal& request);
// Whether text on a stream should be styled: the environment's wish, or what the stream is.
bool wants_styles(Run& run, bool is_terminal);

// How many characters fit on the terminal that standard output is connected to; 0: it is none, or does not say.
struct AskTerminalSize {
  struct Answer {
    int64_t width = 0;
    int64_t height = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(width), visit(height);
    }
  };
  static constexpr EffectRow row{.name = "stdio.terminal_size", .capability = vm::Capability::Output};

  std::string shown() const { return "how large is the terminal?"; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<AskTerminalSize::Answer> carry_out(Run& run, const AskTerminalSize& request);

// The same as AskTerminal for standard input, which is for those who may read it.
struct AskInputTerminal {
  using Answer = bool;
  static constexpr EffectRow row{.name = "stdio.input_terminal", .capability = vm::Capability::Input};

  std::string shown() const { return "standard input"; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<bool> carry_out(Run& run, const AskInputTerminal& request);

}  // namespace harn::effects
