#include "vm/trace.h"

#include "bytecode/code.h"
#include "vm/task.h"

namespace harn::vm {

std::vector<TraceLine> trace_lines(const ErrorObject& error) {
  std::vector<TraceLine> out;
  if (!error.trace) return out;
  for (const TraceFrame& frame : *error.trace) {
    if (!frame.code) {
      out.push_back({"task " + task_id_text(frame.task), "", 0, 0, 0});
      continue;
    }
    uint32_t offset = frame.code->source_offset(frame.word);
    Position at = frame.code->source->position(offset);
    out.push_back({frame.code->name, frame.code->source->path(), at.line, at.column, offset});
  }
  return out;
}

std::string trace_text(const ErrorObject& error) {
  constexpr size_t kHead = 40, kTail = 10;
  auto lines = trace_lines(error);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > kHead + kTail + 1 && i == kHead) {
      out += fmt::format("  ... {} more frames\n", lines.size() - kHead - kTail);
      i = lines.size() - kTail;
    }
    const TraceLine& line = lines[i];
    if (line.line == 0) {
      out += fmt::format("  in {}\n", line.function);
      continue;
    }
    out += fmt::format("  at {} ({}:{}:{})\n", line.function, line.file, line.line, line.column);
  }
  return out;
}

void note_task(ErrorObject& error, uint64_t task) {
  if (!error.trace) error.trace = new std::vector<TraceFrame>;
  error.trace->push_back({nullptr, 0, task});
}

std::string stack_text(const Task& task) {
  std::string out;
  for (const Coroutine* at = task.current; at; at = at->resumer) {
    for (uint32_t i = at->frame_count; i-- > 0;) {
      const Frame& frame = at->frames[i];
      const bytecode::Code& code = *frame.proto->code;
      if (code.hidden) continue;
      auto word = static_cast<uint32_t>(std::max<ptrdiff_t>(frame.pc - frame.proto->words, 1)) - 1;
      Position place = code.source->position(code.source_offset(word));
      out += fmt::format("\n    at {} ({}:{}:{})", code.name, code.source->path(), place.line, place.column);
    }
  }
  return out;
}

}  // namespace harn::vm
