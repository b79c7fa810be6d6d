#pragma once

#include "effects/perform.h"

// Functions that the program around Harn has added (src/embed).
namespace harn::effects {

// There is no `carry_out`: who asks has the function (`perform_with`).
struct CallHostFunction {
  struct Answer {
    vm::Value value;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(value);
    }
  };
  static constexpr EffectRow row{.name = "host.call", .capability = vm::Capability::HostCall};

  std::string function;
  vm::Value arguments;  // a list of what the function gets: plain data, no structs or enums of the program

  std::string shown() const { return function; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(function), visit(arguments);
  }
};

}  // namespace harn::effects
