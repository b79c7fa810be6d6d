#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/positions.h"
#include "base/span.h"

namespace harn {

// One file of Harn text. Never changes after it is made, so spans and views into it stay valid for
// as long as somebody holds it. Shared by everything that can still point at the text: syntax
// trees, diagnostics, code objects.
class SourceFile {
 public:
  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;

  // Made on first use: a program that runs without an error never asks for a position.
  const Positions& positions() const;
  Position position(uint32_t offset) const { return positions().position(offset); }
  uint32_t line_count() const { return positions().line_count(); }
  // The text of a line (from 1) without its line end.
  std::string_view line(uint32_t number) const { return positions().line(number); }
  uint32_t line_start(uint32_t number) const { return positions().line_start(number); }

 private:
  std::string path_;
  std::string text_;
  mutable std::once_flag positions_once_;  // tasks on several threads may fail at the same time
  mutable std::optional<Positions> positions_;
};

using SourcePtr = std::shared_ptr<const SourceFile>;

}  // namespace harn
