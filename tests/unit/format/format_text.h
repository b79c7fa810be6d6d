#pragma once

#include <gtest/gtest.h>

#include "../syntax/parse_text.h"
#include "format/format.h"

namespace harn::test {

// Formats, and checks on the way what must always hold: the result is the same program with the
// same comments, and formatting it again changes nothing.
inline std::string format_text(const std::string& text, uint32_t width = 100) {
  formatter::Options options{.line_width = width};
  Parsed before = parse_text(text);
  EXPECT_EQ(before.errors(), "") << text;
  if (before.sink.has_errors()) return "";
  std::string once = formatter::format(*before.tree, options);
  Parsed after = parse_text(once);
  EXPECT_EQ(after.errors(), "") << "from\n" << text << "\ncame\n" << once;
  EXPECT_EQ(before.dump(), after.dump()) << "from\n" << text << "\ncame\n" << once;
  EXPECT_EQ(before.tree->comments.size(), after.tree->comments.size()) << "from\n" << text << "\ncame\n" << once;
  EXPECT_EQ(once, formatter::format(*after.tree, options)) << "from\n" << text;
  return once;
}

}  // namespace harn::test
