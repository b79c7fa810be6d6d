#pragma once

#include "compile/emitter.h"

// Code that runs whichever way other code is left: the templates of FunctionCompiler for `finally`, `defer`, `deadline`,
// `mutex` and what scopes own. docs/internals/bytecode.md shows what comes out.
namespace harn::compile {

template <class Body>
Reg FunctionCompiler::peak_of(Body body) {
  int outer_peak = std::exchange(peak_, next_);
  body();
  Reg peak = peak_;
  peak_ = std::max(outer_peak, peak);
  return peak;
}

// try/finally and defer. The clean-up code is emitted once, after the body, as a subroutine in the
// same frame: every way out of the body calls it with Gosub and goes on where it came from.
template <class Body, class CleanupCode>
void FunctionCompiler::with_cleanup(Body body, CleanupCode code, CleanupScope scope) {
  Cleanup cleanup;
  cleanup.return_to = temp();
  cleanup.value = temp();
  Reg error = temp();
  cleanups_.push_back(&cleanup);
  if (scope == CleanupScope::Around) cleanup.scope = next_;
  uint32_t start = here();
  Reg peak = peak_of(body);
  uint32_t end = here();
  cleanups_.pop_back();
  Label done;
  emit_jump(Op::Gosub, cleanup.return_to, cleanup.entry);
  jump(done);
  uint32_t on_error = here();
  size_t first_handler = code_->handlers.size();
  add_handler(start, end, on_error, error, true);
  if (cleanup.scope >= 0) scope_end(cleanup.scope, peak);
  add_handler(on_error, here(), on_error, error, true);
  size_t handlers_end = code_->handlers.size();
  emit_jump(Op::Gosub, cleanup.return_to, cleanup.entry);
  emit(Op::Rethrow, error);
  bind(cleanup.entry);
  cleaning_up_.push_back({error, loops_.size()});
  code();
  cleaning_up_.pop_back();
  emit(Op::EndGosub, cleanup.return_to);
  for (size_t i = first_handler; i < handlers_end; ++i) code_->handlers[i].cleanup_end = here();
  emit_exits(cleanup);
  bind(done);
}

// The same for a `mutex` block: what it has to do is one instruction, in line wherever the block is left.
template <class Body>
void FunctionCompiler::with_mutex(Reg held, Body body) {
  Cleanup cleanup;
  cleanup.mutex = held;
  cleanup.value = temp();
  Reg error = temp();
  cleanups_.push_back(&cleanup);
  uint32_t start = here();
  body();
  uint32_t end = here();
  cleanups_.pop_back();
  Label done;
  emit_jump(Op::MutexLeave, held, done);
  size_t first_handler = code_->handlers.size();
  add_handler(start, end, here(), error, true);
  clean_up(cleanup);
  emit(Op::Rethrow, error);
  for (size_t i = first_handler; i < code_->handlers.size(); ++i) code_->handlers[i].cleanup_end = here();
  emit_exits(cleanup);
  bind(done);
}

}  // namespace harn::compile
