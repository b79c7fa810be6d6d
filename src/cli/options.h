#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Commands and their flags as rows. Parsing, usage errors, help and shell completions all come from
// the rows; a command's function only sees what was given.
namespace harn::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kUsage = 2,
  kDiverged = 3,  // a replay that was not the recorded run
  kNoMemory = 70,
  kPutAway = 75,  // not finished: it goes on with `harn resume`
  kInterrupted = 124,
  kOutputClosed = 141,  // what shells report for a program that a closed pipe ended
};

// What a value may be; completions offer accordingly.
enum class ValueKind : uint8_t { Text, Number, Path, Choice };

struct Option {
  std::string_view name;        // "--timeout"
  char letter = 0;              // 'v': also written `-v`
  std::string_view value = {};  // stands for the value in the help; empty: takes none
  ValueKind kind = ValueKind::Text;
  int64_t least = 0;                               // Number
  std::span<const std::string_view> choices = {};  // Choice
  std::string_view help = {};
};

// The words of a command line that are not flags.
struct Operands {
  std::string_view shown = {};  // in the usage line: "PATH..."
  size_t least = 0;
  size_t most = 0;
  ValueKind kind = ValueKind::Path;
  std::span<const std::string_view> choices = {};
};
constexpr size_t kAnyNumber = SIZE_MAX;

class Arguments;

struct Command {
  std::string_view name;
  std::string_view summary;
  Operands operands = {};
  bool passes_rest = false;  // words after `--` go to the user's program
  std::span<const Option> options = {};
  std::string_view notes = {};  // below the options in the help
  int (*run)(const Arguments& arguments) = nullptr;
};

struct UsageError {
  std::string message;
  std::string hint;   // may be empty
  bool json = false;  // `--json` was given: the answer is an envelope
};

// A parsed command line. Views point into the words it was parsed from.
class Arguments {
 public:
  using Words = std::span<const std::string_view>;
  static std::expected<Arguments, UsageError> parse(const Command& command, Words words);

  const Command& command() const { return *command_; }
  bool has(std::string_view option) const { return text(option).has_value(); }
  // The last value given; an empty text for a flag without one.
  std::optional<std::string_view> text(std::string_view option) const;
  std::optional<int64_t> number(std::string_view option) const;
  // All values, of an option that may be given several times.
  std::vector<std::string_view> texts(std::string_view option) const;
  const std::vector<std::string_view>& operands() const { return operands_; }
  const std::vector<std::string_view>& rest() const { return rest_; }
  bool wants_help() const { return wants_help_; }

 private:
  friend class ArgumentParser;
  const Command* command_ = nullptr;
  std::vector<std::pair<const Option*, std::string_view>> given_;
  std::vector<std::string_view> operands_;
  std::vector<std::string_view> rest_;
  bool wants_help_ = false;
};

// A whole number written in decimal, or nothing.
std::optional<int64_t> parse_number(std::string_view text);

// "harn test [OPTIONS] [PATH...]"
std::string usage_line(const Command& command);
std::string command_help(const Command& command);

// Prints the error with the hint and the usage line, or as JSON; the value is kUsage.
int report_usage(const Command& command, const UsageError& error);
int report_usage(const Arguments& arguments, UsageError error);
// Prints `error: MESSAGE`, or with `--json` an envelope with the code; the value is kFailure.
int report_failure(const Arguments& arguments, std::string_view code, const std::string& message);

}  // namespace harn::cli
