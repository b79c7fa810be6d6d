#include "cli/options.h"

#include <gtest/gtest.h>

namespace harn::cli {
namespace {

constexpr std::string_view kFormats[] = {"text", "json"};
constexpr Option kOptions[] = {
    {.name = "--verbose", .letter = 'v'},
    {.name = "--jobs", .letter = 'j', .value = "N", .kind = ValueKind::Number, .least = 1},
    {.name = "--name", .value = "TEXT"},
    {.name = "--format", .value = "FORMAT", .kind = ValueKind::Choice, .choices = kFormats},
};
constexpr Command kCommand = {
    .name = "try",
    .summary = "Try it",
    .operands = {.shown = "FILE...", .least = 1, .most = 2},
    .passes_rest = true,
    .options = kOptions,
};

auto parse(std::vector<std::string_view> words) { return Arguments::parse(kCommand, words); }

TEST(Options, TakesFlagsInAnyForm) {
  std::vector<std::string_view> words = {"-vj3", "a", "--name=x=y", "--format", "json", "b"};
  auto arguments = Arguments::parse(kCommand, words);
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->has("--verbose"));
  EXPECT_EQ(arguments->number("--jobs"), 3);
  EXPECT_EQ(arguments->text("--name"), "x=y");
  EXPECT_EQ(arguments->text("--format"), "json");
  EXPECT_EQ(arguments->operands(), (std::vector<std::string_view>{"a", "b"}));
}

TEST(Options, LastValueWins) {
  auto arguments = parse({"a", "-j", "1", "--jobs", "2"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->number("--jobs"), 2);
}

TEST(Options, PassesOnWhatFollowsTheDashes) {
  std::vector<std::string_view> words = {"a", "--", "-v", "--", "b"};
  auto arguments = Arguments::parse(kCommand, words);
  ASSERT_TRUE(arguments);
  EXPECT_FALSE(arguments->has("--verbose"));
  EXPECT_EQ(arguments->rest(), (std::vector<std::string_view>{"-v", "--", "b"}));
}

TEST(Options, SingleDashIsAnOperand) {
  auto arguments = parse({"-"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->operands()[0], "-");
}

TEST(Options, HelpWinsOverErrors) {
  auto arguments = parse({"--help", "--nonsense"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->wants_help());
}

TEST(Options, SaysWhatIsWrong) {
  EXPECT_EQ(parse({}).error().message, "`harn try` needs FILE...");
  EXPECT_EQ(parse({"a", "b", "c"}).error().message, "unexpected argument `c`");
  EXPECT_EQ(parse({"a", "--jobs"}).error().message, "`--jobs` needs a value: `--jobs N`");
  EXPECT_EQ(parse({"a", "-j0"}).error().message, "`-j` is `0`, expected a whole number of 1 or more");
  EXPECT_EQ(parse({"a", "-j", "1x"}).error().message, "`-j` is `1x`, expected a whole number of 1 or more");
  EXPECT_EQ(parse({"a", "--verbose=1"}).error().message, "`--verbose` takes no value");
  EXPECT_EQ(parse({"a", "--format", "xml"}).error().message, "`--format` is `xml`, expected one of `text`, `json`");
  EXPECT_EQ(parse({"a", "--verbos"}).error().hint, "did you mean `--verbose`?");
}

TEST(Options, NumbersAreWholeAndFit) {
  EXPECT_EQ(parse_number("42"), 42);
  EXPECT_EQ(parse_number("-1"), -1);
  EXPECT_FALSE(parse_number(""));
  EXPECT_FALSE(parse_number("1.5"));
  EXPECT_FALSE(parse_number("99999999999999999999"));
}

}  // namespace
}  // namespace harn::cli
