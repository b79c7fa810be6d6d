#include "cli/commands.h"

#include <gtest/gtest.h>

#include <set>

namespace harn::cli {
namespace {

// The rows are the help and the completions, so they must be fit to show.
TEST(Commands, RowsAreComplete) {
  std::set<std::string_view> names;
  for (const Command* command : commands()) {
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
    EXPECT_FALSE(command->summary.empty()) << command->name;
    EXPECT_NE(command->run, nullptr) << command->name;
    EXPECT_LE(command->operands.least, command->operands.most) << command->name;
    EXPECT_EQ(find_command(command->name), command);
  }
}

TEST(Commands, FlagsAreDistinctAndDescribed) {
  for (const Command* command : commands()) {
    std::set<std::string_view> names = {"--help"};
    std::set<char> letters = {'h'};
    for (const Option& option : command->options) {
      EXPECT_TRUE(names.insert(option.name).second) << command->name << option.name;
      EXPECT_FALSE(option.help.empty()) << command->name << option.name;
      EXPECT_EQ(option.kind == ValueKind::Choice, !option.choices.empty());
      if (option.letter) {
        EXPECT_TRUE(letters.insert(option.letter).second) << command->name << option.letter;
      }
      EXPECT_TRUE(option.kind == ValueKind::Text || !option.value.empty()) << option.name;
    }
  }
}

TEST(Commands, HelpShowsEveryFlag) {
  for (const Command* command : commands()) {
    std::string help = command_help(*command);
    for (const Option& option : command->options) {
      EXPECT_NE(help.find(option.name), std::string::npos) << command->name << option.name;
    }
  }
}

}  // namespace
}  // namespace harn::cli
