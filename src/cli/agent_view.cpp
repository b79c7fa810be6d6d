#include "cli/agent_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/text.h"
#include "builtins/agent_events.h"
#include "cli/json.h"
#include "cli/output.h"
#include "llm/accounts.h"
#include "llm/fields.h"

namespace harn::cli {

using llm::field, llm::int_field, llm::text_field;
using vm::Value;

namespace {

constexpr std::string_view kDim = "\x1b[2m", kBlue = "\x1b[34m", kGreen = "\x1b[32m", kRed = "\x1b[31m",
                           kPlain = "\x1b[0m";
constexpr size_t kMostLines = 12;    // of one message
constexpr size_t kMostChars = 2000;  // of one line

size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

// What models and tools say is shown, and moves no cursor.
std::string visible(std::string_view text, size_t most_chars) {
  std::string out(text.substr(0, text::char_offset(text, most_chars)));
  for (char& c : out) {
    if (c == '\t' || c == '\n') c = ' ';
  }
  return text::visible(out);
}

std::string counted(int64_t number) {
  std::string digits = fmt::format("{}", number), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string call_text(const Value& event) {
  std::string arguments = llm::json_text(field(event, "raw_input"));
  return fmt::format("{}({})", text_field(event, "tool_name"),
                     arguments == "{}" || arguments == "null" ? "" : arguments);
}

}  // namespace

// ---- what models have cost ----

std::string model_use_text(vm::Vm& vm) {
  auto spent = llm::Accounts::of(vm).spent(llm::Accounts::kProgram);
  if (!spent || spent->calls == 0) return "";
  std::string cost = llm::cost_text(spent->usd, spent->calls, spent->unpriced_calls);
  return fmt::format("{} {}, {} in + {} out tokens, {}", counted(spent->calls), spent->calls == 1 ? "call" : "calls",
                     counted(spent->input_tokens), counted(spent->output_tokens), cost);
}

std::string model_use_json(vm::Vm& vm) {
  auto spent = llm::Accounts::of(vm).spent(llm::Accounts::kProgram).value_or(llm::Accounts::Spent{});
  std::string cost = spent.unpriced_calls == 0 ? fmt::format("{}", spent.usd) : "null";
  return fmt::format(R"({{"call_count":{},"input_tokens":{},"output_tokens":{},"time_ms":{},"cost_usd":{}}})",
                     spent.calls, spent.input_tokens, spent.output_tokens, spent.duration_ms, cost);
}

// ---- the view ----

std::unique_ptr<AgentView> AgentView::begin(vm::Vm& vm, ProcessHost& host, Totals totals) {
  bool is_set = false;
  bool is_off = host.env("HARN_AGENT_VIEW", is_set) == "off";
  if (is_off || !host.is_terminal(vm::Stream::Err)) return nullptr;
  return std::unique_ptr<AgentView>(new AgentView(vm, host, totals));
}

AgentView::AgentView(vm::Vm& vm, ProcessHost& host, Totals totals)
    : vm_(vm),
      host_(host),
      totals_(totals),
      has_colours_(colour_of(STDERR_FILENO) != diag::Colour::No),
      began_ms_(host.now_ms()) {
  builtins::AgentEvents::of(vm).listen([this](const Value& event) { hear(event); });
}

AgentView::~AgentView() {
  host_.set_status("");
  if (totals_ == Totals::Hidden) return;
  std::string use = model_use_text(vm_);
  if (!use.empty()) say("models:", use, kDim);
}

void AgentView::say(std::string_view mark, std::string_view text, std::string_view colour) {
  std::string_view begin = has_colours_ ? colour : std::string_view(), end = has_colours_ ? kPlain : std::string_view();
  host_.write(vm::Stream::Err, fmt::format("{}{}{} {}\n", begin, mark, end, text));
}

void AgentView::say_pending() {
  std::string_view rest = text::trim(pending_);
  size_t lines = 0;
  while (!rest.empty() && lines++ < kMostLines) {
    size_t end = std::min(rest.find('\n'), rest.size());
    say("|", visible(rest.substr(0, end), kMostChars), kDim);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!rest.empty()) say("|", "...", kDim);
  pending_.clear();
}

void AgentView::show_status() {
  auto spent = llm::Accounts::of(vm_).spent(llm::Accounts::kProgram).value_or(llm::Accounts::Spent{});
  double seconds = static_cast<double>(host_.now_ms() - began_ms_) / 1000;
  std::string line = fmt::format("turn {} | {} tokens", turn_, counted(spent.input_tokens + spent.output_tokens));
  if (spent.usd > 0) line += " | " + llm::money_text(spent.usd);
  line += fmt::format(" | {:.1f} s", seconds);
  if (!doing_.empty()) line += " | " + doing_;
  else if (!pending_.empty()) {
    std::string_view said = pending_;
    size_t from = text::count_chars(said) > 60 ? text::char_offset_from_end(said, 60) : 0;
    line += " | " + visible(said.substr(from), 60);
  }
  host_.set_status(std::string(line.substr(0, text::char_offset(line, terminal_columns() - 1))));
}

void AgentView::hear(const Value& event) {
  std::string_view type = text_field(event, "type");
  if (type == "turn_start") {
    turn_ = int_field(event, "iteration").value_or(turn_ + 1);
  } else if (type == "agent_message_chunk") {
    pending_ += text_field(event, "content");
  } else if (type == "agent_message_restart") {
    pending_.clear();  // the answer broke off, and is asked for again
  } else if (type == "tool_call") {
    say_pending();
    doing_ = visible(text_field(event, "tool_name"), 40);
    say("->", visible(call_text(event), 300), kBlue);
  } else if (type == "tool_call_update") {
    doing_.clear();
    bool is_good = text_field(event, "status") == "completed";
    std::string took = fmt::format("{} ({} ms)", visible(text_field(event, "tool_name"), 40),
                                   int_field(event, "duration_ms").value_or(0));
    if (!is_good) took += ": " + visible(text_field(event, "error"), 200);
    say(is_good ? "ok" : "failed", took, is_good ? kGreen : kRed);
  } else if (type == "turn_end") {
    say_pending();
  } else if (type == "progress_reported" && llm::has_field(event, "message")) {
    say("..", visible(text_field(event, "message"), kMostChars), kDim);
  } else if (type == "loop_complete") {
    bool is_good = text_field(event, "status") == "done";
    say(is_good ? "agent done" : "agent " + std::string(text_field(event, "status")),
        fmt::format("after {} turns", int_field(field(event, "trace"), "iterations").value_or(turn_)),
        is_good ? kGreen : kRed);
    return host_.set_status("");
  } else if (type == "session_closed") {
    return;
  }
  show_status();
}

}  // namespace harn::cli
