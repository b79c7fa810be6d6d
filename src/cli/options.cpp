#include "cli/options.h"

#include <algorithm>
#include <charconv>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/output.h"

namespace harn::cli {

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::string_view> Arguments::text(std::string_view option) const {
  for (auto at = given_.rbegin(); at != given_.rend(); ++at) {
    if (at->first->name == option) return at->second;
  }
  return std::nullopt;
}

std::vector<std::string_view> Arguments::texts(std::string_view option) const {
  std::vector<std::string_view> out;
  for (const auto& [row, value] : given_) {
    if (row->name == option) out.push_back(value);
  }
  return out;
}

std::optional<int64_t> Arguments::number(std::string_view option) const {
  auto value = text(option);
  return value ? parse_number(*value) : std::nullopt;
}

class ArgumentParser {
 public:
  ArgumentParser(const Command& command, Arguments::Words words) : command_(command), words_(words) {
    out_.command_ = &command;
  }

  std::expected<Arguments, UsageError> run() {
    while (at_ < words_.size() && !error_) next(words_[at_++]);
    if (!error_ && !out_.wants_help_) check_operands();
    if (error_ && !out_.wants_help_) {
      error_->json = asks_for_json();
      return std::unexpected(std::move(*error_));
    }
    return std::move(out_);
  }

 private:
  // Looks at all words: the one that was wrong may stand before the flag.
  bool asks_for_json() const {
    auto known = [](const Option& option) { return option.name == "--json"; };
    auto flags_end = std::find(words_.begin(), words_.end(), "--");
    return std::any_of(command_.options.begin(), command_.options.end(), known) &&
           std::find(words_.begin(), flags_end, "--json") != flags_end;
  }

  void next(std::string_view word) {
    if (word == "--") return end_of_flags();
    if (word == "--help" || word == "-h") out_.wants_help_ = true;
    else if (word.starts_with("--")) long_flag(word);
    else if (word.starts_with('-') && word.size() > 1) letters(word.substr(1));
    else out_.operands_.push_back(word);
  }

  void end_of_flags() {
    auto& to = command_.passes_rest ? out_.rest_ : out_.operands_;
    to.insert(to.end(), words_.begin() + static_cast<ptrdiff_t>(at_), words_.end());
    at_ = words_.size();
  }

  void long_flag(std::string_view word) {
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    const Option* option = nullptr;
    for (const Option& known : command_.options) {
      if (known.name == name) option = &known;
    }
    if (!option) return unknown(name);
    if (option->value.empty()) {
      if (equals != word.npos) return fail(fmt::format("`{}` takes no value", name));
      out_.given_.emplace_back(option, std::string_view());
      return;
    }
    if (equals != word.npos) return add(*option, word.substr(equals + 1), name);
    take_value(*option, name);
  }

  // -v, -vx, -n 5, -n5
  void letters(std::string_view word) {
    for (size_t i = 0; i < word.size() && !error_; ++i) {
      const Option* option = nullptr;
      for (const Option& known : command_.options) {
        if (known.letter == word[i]) option = &known;
      }
      std::string name = {'-', word[i]};
      if (word[i] == 'h' && !option) {
        out_.wants_help_ = true;
        continue;
      }
      if (!option) return unknown(name);
      if (option->value.empty()) {
        out_.given_.emplace_back(option, std::string_view());
        continue;
      }
      if (i + 1 < word.size()) return add(*option, word.substr(i + 1), name);
      return take_value(*option, name);
    }
  }

  void take_value(const Option& option, std::string_view name) {
    if (at_ == words_.size()) {
      return fail(fmt::format("`{}` needs a value: `{} {}`", name, name, option.value));
    }
    add(option, words_[at_++], name);
  }

  void add(const Option& option, std::string_view value, std::string_view name) {
    if (option.kind == ValueKind::Number) {
      auto number = parse_number(value);
      if (!number || *number < option.least) {
        return fail(fmt::format("`{}` is `{}`, expected a whole number of {} or more", name, value, option.least));
      }
    }
    if (option.kind == ValueKind::Choice) {
      check_choice(fmt::format("`{}` is `{}`", name, value), value, option.choices);
    }
    out_.given_.emplace_back(&option, value);
  }

  void check_choice(std::string_view problem, std::string_view value, std::span<const std::string_view> choices) {
    std::string list;
    for (std::string_view choice : choices) {
      if (choice == value) return;
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", choice);
    }
    fail(fmt::format("{}, expected one of {}", problem, list));
  }

  void check_operands() {
    const Operands& accepts = command_.operands;
    size_t given = out_.operands_.size();
    if (given < accepts.least) return fail(fmt::format("`harn {}` needs {}", command_.name, accepts.shown));
    if (given > accepts.most) {
      return fail(fmt::format("unexpected argument `{}`", out_.operands_[accepts.most]));
    }
    if (accepts.kind != ValueKind::Choice) return;
    for (std::string_view word : out_.operands_) {
      check_choice(fmt::format("unexpected argument `{}`", word), word, accepts.choices);
    }
  }

  void unknown(std::string_view name) {
    std::vector<std::string_view> names = {"--help"};
    for (const Option& option : command_.options) names.push_back(option.name);
    auto close = text::close_names(name, names);
    std::string hint;
    if (!close.empty()) hint = fmt::format("did you mean `{}`?", close[0]);
    else if (command_.passes_rest) hint = "flags for the program go after `--`";
    fail(fmt::format("unknown flag `{}` for `harn {}`", name, command_.name), std::move(hint));
  }

  void fail(std::string message, std::string hint = {}) {
    if (!error_) error_ = UsageError{std::move(message), std::move(hint)};
  }

  const Command& command_;
  Arguments::Words words_;
  size_t at_ = 0;
  Arguments out_;
  std::optional<UsageError> error_;
};

std::expected<Arguments, UsageError> Arguments::parse(const Command& command, Words words) {
  return ArgumentParser(command, words).run();
}

std::string usage_line(const Command& command) {
  std::string out = fmt::format("harn {}", command.name);
  if (!command.options.empty()) out += " [OPTIONS]";
  if (!command.operands.shown.empty()) out += fmt::format(" {}", command.operands.shown);
  if (command.passes_rest) out += " [-- ARGS...]";
  return out;
}

std::string command_help(const Command& command) {
  std::string out = fmt::format("{}\n\nUsage: {}\n\nOptions:\n", command.summary, usage_line(command));
  auto add = [&](char letter, std::string_view name, std::string_view value, std::string_view help) {
    std::string left = !name.starts_with("--") ? std::string(name)
                       : letter                ? fmt::format("-{}, {}", letter, name)
                                               : fmt::format("    {}", name);
    if (!value.empty()) left += fmt::format(" {}", value);
    out += fmt::format("  {:<26}  {}\n", left, help);
  };
  for (const Option& option : command.options) {
    add(option.letter, option.name, option.value, option.help);
  }
  add('h', "--help", "", "show this help");
  if (!command.notes.empty()) out += fmt::format("\n{}\n", command.notes);
  return out;
}

int report_usage(const Command& command, const UsageError& error) {
  if (error.json) {
    print_envelope(1, "", {"usage_error", error.message});
    return kUsage;
  }
  std::string out = fmt::format("{}: {}\n", error_word(), error.message);
  if (!error.hint.empty()) out += fmt::format("help: {}\n", error.hint);
  out += fmt::format("usage: {}\nRun `harn {} --help` for more.\n", usage_line(command), command.name);
  write_error(out);
  return kUsage;
}

int report_usage(const Arguments& arguments, UsageError error) {
  error.json = arguments.has("--json");
  return report_usage(arguments.command(), error);
}

int report_failure(const Arguments& arguments, std::string_view code, const std::string& message) {
  if (!arguments.has("--json")) return fail_with(message);
  print_envelope(1, "", {std::string(code), message});
  return kFailure;
}

}  // namespace harn::cli
