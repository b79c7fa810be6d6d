#include <gtest/gtest.h>

#include "../base/golden.h"
#include "parse_text.h"

namespace harn {

TEST(Golden, Parse) {
  test::check_goldens("parse", [](const std::string&, std::string text) {
    test::Parsed parsed = test::parse_text(std::move(text));
    EXPECT_EQ(parsed.errors(), "");
    return parsed.dump();
  });
}

TEST(Golden, Diagnostics) {
  test::check_goldens("diag", [](const std::string& name, std::string text) {
    diag::Sink sink;
    syntax::parse(std::make_shared<SourceFile>(name, std::move(text)), sink);
    return diag::render_all(sink, diag::Colour::No);
  });
}

}  // namespace harn
