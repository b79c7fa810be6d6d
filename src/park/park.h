#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "park/archive.h"
#include "vm/vm.h"

// A program is put away, and taken up again: in another process, after an hour or a year, on another machine.
//
//   vm.scheduler().stand_still_at(3);                    // it stops at its third wait
//   vm.load(std::move(program));
//   if (vm.scheduler().stands_still()) bytes = HARN_TRY(put_away(vm, kinds));
//
//   Vm other(...);                                       // the same program, compiled again
//   HARN_CHECK(take_up(other, std::move(program), bytes, kinds));
//   other.go_on();
//
// All of its tasks travel, with their frames, registers, handlers and clean-up code that is yet to run, and everything
// that they reach: values (each once), captured variables, generators, channels and locks with those who wait in them,
// timers, deadlines, program variables. Nothing is run again: the cost depends on what there is, not on how it came about.
// docs/internals/parking.md describes the bytes.
namespace harn::park {

// The bytes, or (ErrorKind::Unsupported) what cannot travel: nothing is written then, and nothing has changed. The
// note is for whoever takes the program up: where its code is, for example.
Result<std::string> put_away(vm::Vm& vm, const Kinds& kinds, std::string_view note = {});
Result<std::string> note_of(std::string_view bytes);

// Into a VM that has not loaded anything yet. Bytes that are damaged, or of another program, are an error
// (ErrorKind::Invalid), and the VM is good for nothing then.
Result<void> take_up(vm::Vm& vm, std::unique_ptr<bytecode::Program> program, std::string_view bytes,
                     const Kinds& kinds);

}  // namespace harn::park
