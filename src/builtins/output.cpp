#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/terminal.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

// Printing, reading lines, colours and progress. Structured log lines are in log.cpp.
namespace harn::builtins {

void Terminal::write_error(vm::Vm& vm, std::string_view text) {
  std::unique_lock guard(lock);
  if (captured_errors) return void(captured_errors->append(text));
  guard.unlock();
  vm.host().write(vm::Stream::Err, text);
}

bool Terminal::is_terminal(vm::Vm& vm, vm::Stream stream) const {
  if (auto mocked = mocked_terminal[static_cast<int>(stream)]) return *mocked;
  return vm.host().is_terminal(stream);
}

bool Terminal::styles_text(vm::Vm& vm) const {
  if (color_mode != ColorMode::Auto) return color_mode == ColorMode::Always;
  bool found = false;
  vm.host().env("FORCE_COLOR", found);
  if (found) return true;
  vm.host().env("NO_COLOR", found);
  if (found || vm.host().env("TERM", found) == "dumb") return false;
  return is_terminal(vm, vm::Stream::Out);
}

// Reads on a thread of its own while the task waits, if there are tasks that could use the worker.
template <class Read>
static void wait_for_input(vm::Vm& vm, Read read) {
  vm::Task* task = vm::Scheduler::current_or_null();
  if (!task || !task->fiber) return read();
  auto done = std::make_shared<vm::Completion>();
  std::thread([&read, done] {
    read();
    done->finish();
  }).detach();
  if (done->wait("a read from standard input") == vm::Wake::Value) return;
  vm.host().stop_reading();
  done->wait("a read from standard input");
}

bool Terminal::read_line(vm::Vm& vm, std::string& line) {
  if (!mocked_input) {
    bool found = false;
    wait_for_input(vm, [&] { found = vm.host().read_line(line); });
    return found;
  }
  std::lock_guard guard(lock);
  if (mocked_input->empty()) return false;
  size_t end = mocked_input->find('\n');
  line = mocked_input->substr(0, end);
  mocked_input->erase(0, end == std::string::npos ? end : end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::string Terminal::read_all(vm::Vm& vm) {
  if (!mocked_input) {
    std::string all;
    wait_for_input(vm, [&] { all = vm.host().read_all(); });
    return all;
  }
  return std::exchange(*mocked_input, {});
}

namespace {

using namespace vm;

// ---- printing ----

// The text of a whole write, made at once so that lines of concurrent tasks never mix.
std::string line_of(Call& call, std::string_view prefix, std::string_view end) {
  std::string line(prefix);
  if (call.has(0)) display_to(line, call.arg(0));
  line += end;
  return line;
}

Outcome<Value> log(Call& call) {
  call.vm().host().write(Stream::Out, line_of(call, "[harn] ", "\n"));
  return Value();
}

Outcome<Value> print(Call& call) {
  call.vm().host().write(Stream::Out, line_of(call, "", ""));
  return Value();
}

Outcome<Value> println(Call& call) {
  call.vm().host().write(Stream::Out, line_of(call, "", "\n"));
  return Value();
}

Outcome<Value> eprint(Call& call) {
  Terminal::of(call.vm()).write_error(call.vm(), line_of(call, "", ""));
  return Value();
}

Outcome<Value> eprintln(Call& call) {
  Terminal::of(call.vm()).write_error(call.vm(), line_of(call, "", "\n"));
  return Value();
}

Outcome<Value> capture_stderr_start(Call& call) {
  Terminal::of(call.vm()).captured_errors.emplace();
  return Value();
}

Outcome<Value> capture_stderr_take(Call& call) {
  Terminal& terminal = Terminal::of(call.vm());
  Value text = text_value(terminal.captured_errors.value_or(""));
  terminal.captured_errors.reset();
  return text;
}

// ---- progress ----

int64_t int_field(const DictObject* dict, std::string_view name, int64_t otherwise) {
  const Value* value = dict->find(name);
  if (!value) return otherwise;
  return value->is_int()     ? value->as_int()
         : value->is_float() ? std::llround(value->as_float())
                             : otherwise;
}

std::string bar(int64_t current, int64_t total, int64_t width) {
  width = std::clamp<int64_t>(width, 3, 40);
  double share = total <= 0 ? 0 : static_cast<double>(current) / static_cast<double>(total);
  auto filled =
      static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
  return std::string(filled, '#') + std::string(static_cast<size_t>(width) - filled, '-');
}

std::string spinner_line(std::string_view phase, std::string_view message,
                         const DictObject* options) {
  int64_t step = int_field(options, "step", int_field(options, "current", 0));
  char shown = "|/-\\"[((step % 4) + 4) % 4];
  return harn::format("[{}] {} {}\n", phase, shown, message);
}

std::string bar_line(std::string_view phase, std::string_view message, const DictObject* options) {
  int64_t current = int_field(options, "current", 0);
  int64_t total = int_field(options, "total", 0);
  return harn::format("[{}] [{}] {} ({}/{})\n", phase,
                      bar(current, total, int_field(options, "width", 10)), message, current,
                      total);
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
    else return throw_text("progress: unknown mode '{}'. Expected 'spinner' or 'bar'.", name);
  } else if (call.arg(2).is_nil()) {
    line = harn::format("[{}] {}\n", phase, message);
  } else if (call.arg(3).is_nil()) {
    line = harn::format("[{}] {} ({}%)\n", phase, message, HARN_TRY(call.integer(2)));
  } else {
    line = harn::format("[{}] {} ({}/{})\n", phase, message, HARN_TRY(call.integer(2)),
                        HARN_TRY(call.integer(3)));
  }
  call.vm().host().write(Stream::Out, line);
  return Value();
}

// ---- colours ----

int color_code(std::string_view name) {
  static constexpr std::string_view kNames[] = {"black", "red",     "green", "yellow",
                                                "blue",  "magenta", "cyan",  "white"};
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

Value styled(Call& call, int code) {
  if (code == 0 || !Terminal::of(call.vm()).styles_text(call.vm())) return to_key(call.arg(0));
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
    return throw_text("set_color_mode: invalid mode '{}'. Expected 'auto', 'always', or 'never'.",
                      mode);
  return Value();
}

// ---- reading ----

template <NativeFunction Function>
Step reading(WaitCall& call) {
  bool is_busy = call.task().fiber || call.scheduler().live_tasks() > 0;
  return is_busy ? run_on_fiber(call, Function) : blocking<Function>(call);
}

Outcome<Value> read_line(Call& call) {
  std::string line;
  if (!Terminal::of(call.vm()).read_line(call.vm(), line)) return Value();
  return text_value(line);
}

Outcome<Value> read_stdin(Call& call) {
  std::string all = Terminal::of(call.vm()).read_all(call.vm());
  if (all.size() > kMaxStringSize) return runtime_error("string too large");
  return text_value(all);
}

Outcome<Value> prompt_user(Call& call) {
  call.vm().host().write(Stream::Out, line_of(call, "", ""));
  call.vm().host().flush();
  std::string line;
  Terminal::of(call.vm()).read_line(call.vm(), line);
  return text_value(text::trim_end(line));
}

Outcome<Value> is_stdin_tty(Call& call) {
  return Value::boolean(Terminal::of(call.vm()).is_terminal(call.vm(), Stream::In));
}
Outcome<Value> is_stdout_tty(Call& call) {
  return Value::boolean(Terminal::of(call.vm()).is_terminal(call.vm(), Stream::Out));
}
Outcome<Value> is_stderr_tty(Call& call) {
  return Value::boolean(Terminal::of(call.vm()).is_terminal(call.vm(), Stream::Err));
}

Outcome<Value> mock_stdin(Call& call) {
  Terminal::of(call.vm()).mocked_input = HARN_TRY(call.text(0));
  return Value();
}

Outcome<Value> unmock_stdin(Call& call) {
  Terminal::of(call.vm()).mocked_input.reset();
  return Value();
}

Outcome<Value> mock_tty(Call& call) {
  auto stream = HARN_TRY(call.text(0));
  bool answer = HARN_TRY(call.boolean(1));
  auto& mocked = Terminal::of(call.vm()).mocked_terminal;
  if (stream == "stdin") mocked[static_cast<int>(Stream::In)] = answer;
  else if (stream == "stdout") mocked[static_cast<int>(Stream::Out)] = answer;
  else if (stream == "stderr") mocked[static_cast<int>(Stream::Err)] = answer;
  else
    return throw_text("mock_tty: invalid stream '{}'. Expected 'stdin', 'stdout', or 'stderr'.",
                      stream);
  return Value();
}

Outcome<Value> unmock_tty(Call& call) {
  for (auto& mocked : Terminal::of(call.vm()).mocked_terminal) mocked.reset();
  return Value();
}

constinit const Builtin kRows[] = {
    {.name = "bold",
     .signature = "(text: any) -> string",
     .doc = "Returns the text in bold when the terminal shows styles.",
     .example = R"(bold("x").contains("x"))",
     .needs = Capability::Stdio,
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
     .needs = Capability::Stdio,
     .call = color},
    {.name = "dim",
     .signature = "(text: any) -> string",
     .doc = "Returns the text dimmed when the terminal shows styles.",
     .example = R"(dim("x").contains("x"))",
     .needs = Capability::Stdio,
     .call = dim},
    {.name = "eprint",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message to standard error.",
     .example = "",
     .needs = Capability::Stdio,
     .call = eprint},
    {.name = "eprintln",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message and a line end to standard error.",
     .example = "",
     .needs = Capability::Stdio,
     .call = eprintln},
    {.name = "is_stderr_tty",
     .signature = "() -> bool",
     .doc = "Says whether standard error is a terminal.",
     .example = R"(type_of(is_stderr_tty()) == "bool")",
     .needs = Capability::Stdio,
     .call = is_stderr_tty},
    {.name = "is_stdin_tty",
     .signature = "() -> bool",
     .doc = "Says whether standard input is a terminal.",
     .example = R"(type_of(is_stdin_tty()) == "bool")",
     .needs = Capability::Stdio,
     .call = is_stdin_tty},
    {.name = "is_stdout_tty",
     .signature = "() -> bool",
     .doc = "Says whether standard output is a terminal.",
     .example = R"(type_of(is_stdout_tty()) == "bool")",
     .needs = Capability::Stdio,
     .call = is_stdout_tty},
    {.name = "log",
     .signature = "(message?: any) -> nil",
     .doc = "Writes `[harn] `, the message and a line end to standard output.",
     .example = "",
     .needs = Capability::Stdio,
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
     .example = "",
     .needs = Capability::Stdio,
     .call = print},
    {.name = "println",
     .signature = "(message?: any) -> nil",
     .doc = "Writes the message and a line end to standard output.",
     .example = "",
     .needs = Capability::Stdio,
     .call = println},
    {.name = "progress",
     .signature = "(phase: string, message: string, progress?: int | dict, total?: int) -> nil",
     .doc = "Writes a line that says how far a piece of work has come.",
     .example = "",
     .needs = Capability::Stdio,
     .call = progress},
    {.name = "prompt_user",
     .signature = "(message?: any) -> string",
     .doc = "Writes the message and returns the line that is typed.",
     .example = "",
     .needs = Capability::Stdio,
     .wait = reading<prompt_user>},
    {.name = "read_line",
     .signature = "() -> string?",
     .doc = "Returns the next line of standard input, or nil at its end.",
     .example = "",
     .needs = Capability::Stdio,
     .wait = reading<read_line>},
    {.name = "read_stdin",
     .signature = "() -> string?",
     .doc = "Returns the rest of standard input.",
     .example = "",
     .needs = Capability::Stdio,
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
