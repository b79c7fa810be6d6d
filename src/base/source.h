#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace harn {

struct Position {
  uint32_t line = 1;    // from 1
  uint32_t column = 1;  // from 1, counted in characters
};

// One file of Harn text. Never changes after it is made, so spans and views into it stay valid for
// as long as somebody holds it. Shared by everything that can still point at the text: syntax
// trees, diagnostics, code objects.
class SourceFile {
 public:
  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;

  Position position(uint32_t offset) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts().size()); }
  // The text of a line (from 1) without its line end.
  std::string_view line(uint32_t number) const;
  uint32_t line_start(uint32_t number) const { return line_starts()[number - 1]; }

 private:
  // Found on first use: a program that runs without an error never asks for a position.
  const std::vector<uint32_t>& line_starts() const;

  std::string path_;
  std::string text_;
  mutable std::once_flag line_starts_once_;  // tasks on several threads may fail at the same time
  mutable std::vector<uint32_t> line_starts_;
};

using SourcePtr = std::shared_ptr<const SourceFile>;

}  // namespace harn
