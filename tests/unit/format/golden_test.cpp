#include <gtest/gtest.h>

#include "../base/golden.h"
#include "format_text.h"

namespace harn {

TEST(Golden, Format) {
  test::check_goldens("format", [](const std::string&, const std::string& text) { return test::format_text(text); });
}

}  // namespace harn
