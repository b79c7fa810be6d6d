#include "vm/trace.h"

#include "bytecode/code.h"

namespace harn::vm {

std::vector<TraceLine> trace_lines(const ErrorObject& error) {
  std::vector<TraceLine> out;
  if (!error.trace) return out;
  for (const TraceFrame& frame : *error.trace) {
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
    out += fmt::format("  at {} ({}:{}:{})\n", line.function, line.file, line.line, line.column);
  }
  return out;
}

}  // namespace harn::vm
