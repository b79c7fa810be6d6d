#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/terminal.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

// Printing, reading lines, colours and progress. Structured log lines are in log.cpp.
namespace harn::builtins {

namespace {

using namespace vm;
using effects::perform;
using effects::Run;

// ---- printing ----

// The text of a whole write, made at once so that lines of concurrent tasks never mix.
std::string line_of(Call& call, std::string_view prefix, std::string_view end) {
  std::string line(prefix);
  if (call.has(0)) display_to(line, call.arg(0));
  line += end;
  return line;
}

Outcome<Value> log(Call& call) { return write_text(call, Stream::Out, line_of(call, "[harn] ", "\n")); }

Outcome<Value> print(Call& call) { return write_text(call, Stream::Out, line_of(call, "", "")); }

Outcome<Value> println(Call& call) { return write_text(call, Stream::Out, line_of(call, "", "\n")); }

Outcome<Value> eprint(Call& call) { return write_text(call, Stream::Err, line_of(call, "", "")); }

Outcome<Value> eprintln(Call& call) { return write_text(call, Stream::Err, line_of(call, "", "\n")); }

Outcome<Value> capture_stderr_start(Call& call) {
  auto captured = std::make_shared<Terminal::Captured>();
  Terminal::of(call.vm()).errors = captured;
  effects::set_mock<effects::Write>(Run::current(call.vm()),
                                    [captured](const effects::Write& request) -> std::optional<Outcome<effects::Done>> {
                                      if (request.stream != Stream::Err) return std::nullopt;
                                      std::lock_guard guard(captured->lock);
                                      captured->text += request.text;
                                      return effects::Done();
                                    });
  return Value();
}

Outcome<Value> capture_stderr_take(Call& call) {
  auto captured = std::exchange(Terminal::of(call.vm()).errors, nullptr);
  effects::clear_mock<effects::Write>(Run::current(call.vm()));
  if (!captured) return text_value("");
  std::lock_guard guard(captured->lock);
  return text_value(captured->text);
}

// ---- progress ----

int64_t int_field(const DictObject* dict, std::string_view name, int64_t otherwise) {
  const Value* value = dict->find(name);
  if (!value) return otherwise;
  return value->is_int() ? value->as_int() : value->is_float() ? std::llround(value->as_float()) : otherwise;
}

std::string bar(int64_t current, int64_t total, int64_t width) {
  width = std::clamp<int64_t>(width, 3, 40);
  double share = total <= 0 ? 0 : static_cast<double>(current) / static_cast<double>(total);
  auto filled = static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
  return std::string(filled, '#') + std::string(static_cast<size_t>(width) - filled, '-');
}

std::string spinner_line(std::string_view phase, std::string_view message, const DictObject* options) {
  int64_t step = int_field(options, "step", int_field(options, "current", 0));
  char shown = "|/-\\"[((step % 4) + 4) % 4];
  return harn::format("[{}] {} {}\n", phase, shown, message);
}

std::string bar_line(std::string_view phase, std::string_view message, const DictObject* options) {
  int64_t current = int_field(options, "current", 0);
  int64_t total = int_field(options, "total", 0);
  return harn::format("[{}] [{}] {} ({}/{})\n", phase, bar(current, total, int_field(options, "width", 10)), message,
                      current, total);
}

Outcome<Value> progress(Call& call) {
  auto phase = HARN_TRY(call.text(0));
  auto message = HARN_TRY(call.text(1));
  std::string line;
  if (call.arg(2).is_dict()) {
    const DictObject* options = call.arg(2).as_dict();
    const Value* mode = options->find("mode");
    std::string_view name = mode && mode->is_string() ? mode->as_string()->view() : "";
    if (name == "spinner") line = spinner_line(phase, message, options);
    else if (name == "bar") line = bar_line(phase, message, options);
    else return throw_text(ErrorKind::Invalid, "progress: unknown mode '{}'. Expected 'spinner' or 'bar'.", name);
  } else if (call.arg(2).is_nil()) {
    line = harn::format("[{}] {}\n", phase, message);
  } else if (call.arg(3).is_nil()) {
    line = harn::format("[{}] {} ({}%)\n", phase, message, HARN_TRY(call.integer(2)));
  } else {
    line = harn::format("[{}] {} ({}/{})\n", phase, message, HARN_TRY(call.integer(2)), HARN_TRY(call.integer(3)));
  }
  return write_text(call, Stream::Out, std::move(line));
}

// ---- colours ----

int color_code(std::string_view name) {
  static constexpr std::string_view kNames[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
  int base = 30;
  if (name == "gray" || name == "grey") return 90;
  if (name.starts_with("bright_")) {
    base = 90;
    name.remove_prefix(7);
  }
  for (int i = 0; i < 8; ++i) {
    if (kNames[i] == name) return base + i;
  }
  return 0;
}

Outcome<bool> styles_text(Call& call) {
  ColorMode mode = Terminal::of(call.vm()).color_mode;
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  return HARN_TRY(perform(Run::current(call.vm()), effects::AskTerminal{Stream::Out})).shows_styles;
}

Outcome<Value> styled(Call& call, int code) {
  if (!HARN_TRY(styles_text(call)) || code == 0) return to_key(call.arg(0));
  return text_value(harn::format("\x1b[{}m{}\x1b[0m", code, display(call.arg(0))));
}

Outcome<Value> color(Call& call) { return styled(call, color_code(HARN_TRY(call.text(1)))); }
Outcome<Value> bold(Call& call) { return styled(call, 1); }
Outcome<Value> dim(Call& call) { return styled(call, 2); }

Outcome<Value> set_color_mode(Call& call) {
  auto mode = HARN_TRY(call.text(0));
  ColorMode& current = Terminal::of(call.vm()).color_mode;
  if (mode == "auto") current = ColorMode::Auto;
  else if (mode == "always") current = ColorMode::Always;
  else if (mode == "never") current = ColorMode::Never;
  else
    return throw_text(ErrorKind::Invalid, "set_color_mode: invalid mode '{}'. Expected 'auto', 'always', or 'never'.",
                      mode);
  return Value();
}

// ---- reading ----

// Where nobody else could use the worker, and no deadline could end the wait, it is spent right here.
template <NativeFunction Function>
Step reading(WaitCall& call) {
  bool may_be_left = call.task().fiber || call.task().deadline || call.scheduler().live_tasks() > 0;
  return may_be_left ? run_on_fiber(call, Function) : blocking<Function>(call);
}

Outcome<Value> read_line(Call& call) {
  using Typing = effects::ReadInput::Typing;
  bool is_hidden = call.arg(0).is_bool() && call.arg(0).as_bool();
  effects::ReadInput request{.typing = is_hidden ? Typing::Hidden : Typing::Shown};
  auto line = HARN_TRY(perform(Run::current(call.vm()), request));
  return line.is_end ? Value() : text_value(line.text);
}

Outcome<Value> read_keys(Call& call) {
  effects::ReadInput request{.typing = effects::ReadInput::Typing::Keys};
  auto keys = HARN_TRY(perform(Run::current(call.vm()), request));
  return keys.is_end ? Value() : text_value(text::to_valid_utf8(keys.text));
}

// {text}, {is_end: true} or {is_interrupt: true}.
Outcome<Value> edit_line(Call& call) {
  effects::EditLine request{std::string(HARN_TRY(call.text(0))), std::string(HARN_TRY(call.text(1)))};
  auto line = HARN_TRY(perform(Run::current(call.vm()), request));
  if (line.ended == Host::Edited::End) return DictBuilder().add("is_end", Value::boolean(true)).done();
  if (line.ended == Host::Edited::Interrupt) return DictBuilder().add("is_interrupt", Value::boolean(true)).done();
  return DictBuilder().add("text", text_value(text::to_valid_utf8(line.text))).done();
}

Outcome<Value> read_stdin(Call& call) {
  auto all = HARN_TRY(perform(Run::current(call.vm()), effects::ReadInput{.all = true}));
  if (all.text.size() > kMaxStringSize) return runtime_error(ErrorKind::Limit, "string too large");
  return text_value(all.text);
}

Outcome<Value> prompt_user(Call& call) {
  Run& run = Run::current(call.vm());
  effects::Write question{.stream = Stream::Out, .text = line_of(call, "", ""), .is_flushed = true};
  HARN_CHECK(perform(run, question));
  auto line = HARN_TRY(perform(run, effects::ReadInput{}));
  return text_value(text::trim_end(line.text));
}

Outcome<Value> is_stdin_tty(Call& call) {
  return Value::boolean(HARN_TRY(perform(Run::current(call.vm()), effects::AskInputTerminal{})));
}

Outcome<Value> is_terminal(Call& call, Stream stream) {
  return Value::boolean(HARN_TRY(perform(Run::current(call.vm()), effects::AskTerminal{stream})).is_terminal);
}
Outcome<Value> is_stdout_tty(Call& call) { return is_terminal(call, Stream::Out); }
Outcome<Value> is_stderr_tty(Call& call) { return is_terminal(call, Stream::Err); }

// ---- for tests ----

// Input that a test wrote down.
class MockedInput {
 public:
  explicit MockedInput(std::string_view text) : text_(text) {}

  effects::ReadInput::Answer read(bool all) {
    std::lock_guard guard(lock_);
    if (all) return {.text = std::exchange(text_, {})};
    if (text_.empty()) return {.is_end = true};
    size_t end = text_.find('\n');
    effects::ReadInput::Answer line{.text = text_.substr(0, end)};
    text_.erase(0, end == std::string::npos ? end : end + 1);
    if (line.text.ends_with('\r')) line.text.pop_back();
    return line;
  }

 private:
  SpinLock lock_;
  std::string text_;
};

Outcome<Value> mock_stdin(Call& call) {
  auto input = std::make_shared<MockedInput>(HARN_TRY(call.text(0)));
  effects::set_mock<effects::ReadInput>(
      Run::current(call.vm()), [input](const effects::ReadInput& request) { return input->read(request.all); });
  return Value();
}

Outcome<Value> unmock_stdin(Call& call) {
  effects::clear_mock<effects::ReadInput>(Run::current(call.vm()));
  return Value();
}

// What a test says of each stream.
struct MockedTerminals {
  std::optional<bool> is_terminal[3];
};

// Both questions are answered from one table.
void answer_terminals(Run& run, const MockedTerminals& known) {
  using Answer = effects::AskTerminal::Answer;
  effects::set_mock<effects::AskTerminal>(run, [&run, known](const auto& request) -> std::optional<Outcome<Answer>> {
    auto answer = known.is_terminal[static_cast<int>(request.stream)];
    if (!answer) return std::nullopt;
    return Answer{*answer, effects::wants_styles(run, *answer)};
  });
  effects::set_mock<effects::AskInputTerminal>(run, [known](const auto&) -> std::optional<Outcome<bool>> {
    auto answer = known.is_terminal[static_cast<int>(Stream::In)];
    if (!answer) return std::nullopt;
    return *answer;
  });
}

Outcome<Value> mock_tty(Call& call) {
  auto stream = HARN_TRY(call.text(0));
  bool answer = HARN_TRY(call.boolean(1));
  auto& mocked = call.vm().local<MockedTerminals>();
  if (stream == "stdin") mocked.is_terminal[static_cast<int>(Stream::In)] = answer;
  else if (stream == "stdout") mocked.is_terminal[static_cast<int>(Stream::Out)] = answer;
  else if (stream == "stderr") mocked.is_terminal[static_cast<int>(Stream::Err)] = answer;
  else
    return throw_text(ErrorKind::Invalid, "mock_tty: invalid stream '{}'. Expected 'stdin', 'stdout', or 'stderr'.",
                      stream);
  answer_terminals(Run::of(call.vm()), mocked);
  return Value();
}

Outcome<Value> unmock_tty(Call& call) {
  call.vm().local<MockedTerminals>() = {};
  Run& run = Run::of(call.vm());
  effects::clear_mock<effects::AskTerminal>(run);
  effects::clear_mock<effects::AskInputTerminal>(run);
  return Value();
}

// What terminals have had for a long time, where there is none that says.
Outcome<Value> terminal_size(Call& call) {
  auto size = HARN_TRY(effects::perform(Run::current(call.vm()), effects::AskTerminalSize{}));
  return DictBuilder()
      .add("width", Value::integer(size.width > 0 ? size.width : 80))
      .add("height", Value::integer(size.height > 0 ? size.height : 24))
      .done();
}

// For a terminal: what would tell it what to do is written out.
Outcome<Value> visible_text(Call& call) { return text_value(text::visible(HARN_TRY(call.text(0)), text::Lines::Kept)); }

constinit const Builtin kRows[] = {
    {.name = "__edit_line",
     .signature = "(prompt: string, history: string) -> dict",
     .doc = "A line that a person edits behind a prompt: {text}, {is_end} or {is_interrupt}; elsewhere the next line.",
     .wait = reading<edit_line>},
    {.name = "__progress_line",
     .signature = "(phase: string, message: string, progress?: int | dict, total?: int) -> nil",
     .doc = "The line that progress writes.",
     .example = R"(__progress_line("load", "half way") == nil)",
     .needs = Capability::Output,
     .call = progress},
    {.name = "__read_keys",
     .signature = "() -> string?",
     .doc = "The keys that were pressed on a terminal, or a line of other input; nil at the end.",
     .wait = reading<read_keys>},
    {.name = "__read_line",
     .signature = "(is_hidden?: bool) -> string?",
     .doc = "read_line, where a module has a function of that name; hidden: the terminal does not show what is typed.",
     .wait = reading<read_line>},
    {.name = "__terminal_size",
     .signature = "() -> {width: int, height: int}",
     .doc = "How many characters fit on the terminal; 80 and 24 where there is none.",
     .call = terminal_size},
    {.name = "__visible_text",
     .signature = "(text: string) -> string",
     .doc = "The text with what would tell a terminal what to do written out; lines stay.",
     .call = visible_text},
    {.name = "bold",
     .signature = "(text: any) -> string",
     .doc = "Returns the text in bold when the terminal shows styles.",
     .example = R"(bold("x").contains("x"))",
     .needs = Capability::Output,
     .call = bold},
    {.name = "capture_stderr_start",
     .signature = "() -> nil",
     .doc = "Starts to keep what goes to standard error instead of writing it.",
     .example = "capture_stderr_start() == nil",
     .call = capture_stderr_start},
    {.name = "capture_stderr_take",
     .signature = "() -> string",
     .doc = "Returns what went to standard error since the capture started, and ends the capture.",
     .example = R"(capture_stderr_take() == "")",
     .call = capture_stderr_take},
    {.name = "color",
     .signature = "(text: any, name: string) -> string",
     .doc = "Returns the text in a colour when the terminal shows styles.",
     .example = R"(color("x", "no such colour") == "x")",
     .needs = Capability::Output,
     .call = color},
    {.name = "dim",
     .signature = "(text: any) -> string",
     .doc = "Returns the text dimmed when the terminal shows styles.",
     .example = R"(dim("x").contains("x"))",
     .needs = Capability::Output,
     .call = dim},
    {.name = "eprint",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message to standard error.",
     .example = R"(eprint("") == nil)",
     .needs = Capability::Output,
     .call = eprint},
    {.name = "eprintln",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message and a line end to standard error.",
     .example = R"(eprintln("") == nil)",
     .needs = Capability::Output,
     .call = eprintln},
    {.name = "is_stderr_tty",
     .signature = "() -> bool",
     .doc = "Says whether standard error is a terminal.",
     .example = R"(type_of(is_stderr_tty()) == "bool")",
     .needs = Capability::Output,
     .call = is_stderr_tty},
    {.name = "is_stdin_tty",
     .signature = "() -> bool",
     .doc = "Says whether standard input is a terminal.",
     .example = R"(type_of(is_stdin_tty()) == "bool")",
     .needs = Capability::Input,
     .call = is_stdin_tty},
    {.name = "is_stdout_tty",
     .signature = "() -> bool",
     .doc = "Says whether standard output is a terminal.",
     .example = R"(type_of(is_stdout_tty()) == "bool")",
     .needs = Capability::Output,
     .call = is_stdout_tty},
    {.name = "log",
     .signature = "(message?: any) -> nil",
     .doc = "Writes `[harn] `, the message and a line end to standard output.",
     .example = R"(log("") == nil)",
     .needs = Capability::Output,
     .call = log},
    {.name = "mock_stdin",
     .signature = "(text: string) -> nil",
     .doc = "Makes `read_line` and `read_stdin` read from `text`.",
     .example = R"(mock_stdin("a") == nil)",
     .call = mock_stdin},
    {.name = "mock_tty",
     .signature = "(stream: string, is_tty: bool) -> nil",
     .doc = "Sets what `is_stdin_tty` and its siblings answer for a stream.",
     .example = R"(mock_tty("stdout", false) == nil)",
     .call = mock_tty},
    {.name = "print",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message to standard output.",
     .example = R"(print("") == nil)",
     .needs = Capability::Output,
     .call = print},
    {.name = "println",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message and a line end to standard output.",
     .example = R"(println("") == nil)",
     .needs = Capability::Output,
     .call = println},
    {.name = "progress",
     .signature = "(phase: string, message: string, progress?: int | dict, total?: int) -> nil",
     .doc = "Writes a line that says how far a piece of work has come.",
     .example = R"(progress("load", "half way", 1, 2) == nil)",
     .needs = Capability::Output,
     .prelude = "progress:progress"},
    {.name = "prompt_user",
     .signature = "(message?: any) -> string",
     .doc = "Writes the message and returns the line that is typed.",
     .example = "{ -> mock_stdin(\"x\"); prompt_user() }() == \"x\"",
     .needs = Capability::Input,
     .wait = reading<prompt_user>},
    {.name = "read_line",
     .signature = "() -> string?",
     .doc = "Returns the next line of standard input, or nil at its end.",
     .example = "{ -> mock_stdin(\"a\\nb\"); read_line() }() == \"a\"",
     .needs = Capability::Input,
     .wait = reading<read_line>},
    {.name = "read_stdin",
     .signature = "() -> string?",
     .doc = "Returns the rest of standard input.",
     .example = "{ -> mock_stdin(\"a\"); read_stdin() }() == \"a\"",
     .needs = Capability::Input,
     .wait = reading<read_stdin>},
    {.name = "set_color_mode",
     .signature = "(mode: string) -> nil",
     .doc = "Switches styles to `auto`, `always` or `never`.",
     .example = R"(set_color_mode("auto") == nil)",
     .call = set_color_mode},
    {.name = "unmock_stdin",
     .signature = "() -> nil",
     .doc = "Makes `read_line` and `read_stdin` read standard input again.",
     .example = "unmock_stdin() == nil",
     .call = unmock_stdin},
    {.name = "unmock_tty",
     .signature = "() -> nil",
     .doc = "Makes `is_stdin_tty` and its siblings ask the system again.",
     .example = "unmock_tty() == nil",
     .call = unmock_tty},
};

}  // namespace

std::span<const vm::Builtin> output_rows() { return kRows; }

}  // namespace harn::builtins
