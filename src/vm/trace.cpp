#include "vm/trace.h"

#include "bytecode/code.h"
#include "vm/task.h"

namespace harn::vm {

namespace {

using Mark = TraceFrame::Mark;

std::string place_text(const bytecode::Code& code, uint32_t word) {
  Position at = code.source->position(code.source_offset(word));
  return fmt::format("at {} ({}:{}:{})", code.name, code.source->path(), at.line, at.column);
}

std::string line_text(const TraceFrame& frame) {
  switch (frame.mark) {
    case Mark::Call: return place_text(*frame.code, frame.word);
    case Mark::Task: return "in task " + task_id_text(frame.number);
    case Mark::TailCalls: return "(tail calls left out)";
    case Mark::LeftOut: return fmt::format("... {} more frames", frame.number);
  }
  return {};
}

uint64_t calls_in(const TraceFrame& frame) {
  if (frame.mark == Mark::LeftOut) return frame.number;
  return frame.mark == Mark::Call;
}

// Leaves the innermost and the outermost frames and says how many are gone between them.
void shorten(std::vector<TraceFrame>& trace) {
  constexpr ptrdiff_t kHead = 40, kTail = 10;
  if (std::ssize(trace) <= kHead + kTail + 1) return;
  auto first = trace.begin() + kHead, last = trace.end() - kTail;
  uint64_t count = 0;
  for (auto at = first; at != last; ++at) count += calls_in(*at);
  *first = {nullptr, 0, Mark::LeftOut, count};
  trace.erase(first + 1, last);
}

}  // namespace

void note_frame(ErrorObject& error, TraceFrame frame) {
  constexpr size_t kLongest = 1'000;
  if (!error.trace) {
    error.trace = new std::vector<TraceFrame>;
    error.trace->reserve(4);
  }
  if (error.trace->size() >= kLongest) shorten(*error.trace);
  bool repeats = frame.mark == Mark::TailCalls && !error.trace->empty() && error.trace->back().mark == Mark::TailCalls;
  if (!repeats) error.trace->push_back(frame);
}

std::string trace_text(const ErrorObject& error) {
  if (!error.trace) return {};
  auto trace = *error.trace;
  shorten(trace);
  std::string out;
  for (const TraceFrame& frame : trace) out += fmt::format("  {}\n", line_text(frame));
  return out;
}

void note_task(ErrorObject& error, uint64_t task) { note_frame(error, {nullptr, 0, Mark::Task, task}); }

std::string stack_text(const Task& task) {
  std::string out;
  for (const Coroutine* at = task.current; at; at = at->resumer) {
    for (uint32_t i = at->frame_count; i-- > 0;) {
      const Frame& frame = at->frames[i];
      const bytecode::Code& code = *frame.proto->code;
      if (code.hidden) continue;
      out += "\n    " + place_text(code, frame.at());
    }
  }
  return out;
}

std::string_view calling_source(const Task& task) {
  for (const Coroutine* at = task.current; at; at = at->resumer) {
    for (uint32_t i = at->frame_count; i-- > 0;) {
      const bytecode::Code& code = *at->frames[i].proto->code;
      std::string_view path = code.source->path();
      // Modules of the library have no ending: "std/fs".
      bool is_library = code.hidden || (path.starts_with("std/") && !path.contains('.'));
      if (is_library) continue;
      return path.starts_with('<') ? std::string_view() : path;
    }
  }
  return {};
}

}  // namespace harn::vm
