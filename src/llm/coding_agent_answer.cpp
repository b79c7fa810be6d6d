// What coding agents write: `claude` one JSON object, `codex` a line of JSON for each event.
#include <charconv>

#include "base/result.h"
#include "base/text.h"
#include "llm/decode.h"

namespace harn::llm {

namespace {

using Kind = AnswerBuilder::Kind;

// {error: {...}} as providers tell it: whoever reads that finds the category.
std::unexpected<vm::Thrown> failed(const AnswerBuilder& answer, std::string_view message, int64_t status) {
  std::string lower = text::ascii_lower(message);
  bool is_login = lower.find("/login") != lower.npos || lower.find("logged in") != lower.npos;
  Value error = DictBuilder()
                    .add("message", vm::text_value(message))
                    .add("type", vm::text_value(is_login ? "authentication" : ""))
                    .add("code", status > 0 ? Value::integer(status)
                                 : is_login ? Value::integer(401)
                                            : Value())
                    .done();
  return answer.fail_told(DictBuilder().add("error", std::move(error)).done());
}

// "unexpected status 401 Unauthorized: ..."
int64_t status_in(std::string_view message) {
  constexpr std::string_view kBefore = "status ";
  size_t at = message.find(kBefore);
  int64_t status = 0;
  if (at != message.npos) {
    at += kBefore.size();
    std::from_chars(message.data() + at, message.data() + message.size(), status);
  }
  return status;
}

class CodexLines : public CountingDecoder {
 public:
  using CountingDecoder::CountingDecoder;

  vm::Outcome<Value> finish() override {
    HARN_CHECK(on_line(line_));
    if (!failure_.empty()) return failed(answer_, failure_, status_in(cause_.empty() ? failure_ : cause_));
    if (!is_over_) return cut();
    Deltas none;
    answer_.add_text(answer_.open(Kind::Text), text_, none);
    answer_.stop_reason = "end_turn";
    return answer_.done();
  }

 private:
  vm::Outcome<void> take(std::string_view bytes, Deltas&) override {
    for (size_t end; (end = bytes.find('\n')) != bytes.npos; bytes.remove_prefix(end + 1)) {
      line_ += bytes.substr(0, end);
      HARN_CHECK(on_line(std::exchange(line_, {})));
    }
    line_ += bytes;
    return {};
  }

  vm::Outcome<void> on_line(const std::string& line) {
    if (text::trim(line).empty()) return {};
    Value event = HARN_TRY(read(line));
    std::string_view type = text_field(event, "type");
    const Value& item = field(event, "item");
    // What it says before it is done is about what it does; the last is the answer.
    if (type == "item.completed" && text_field(item, "type") == "agent_message") text_ = text_field(item, "text");
    if (type == "error") cause_ = text_field(event, "message");
    if (type == "turn.failed") failure_ = text_field(field(event, "error"), "message");
    if (type != "turn.completed") return {};
    is_over_ = true;
    const Value& usage = field(event, "usage");
    Deltas none;
    answer_.set_usage({.input = count_field(usage, "input_tokens"),
                       .output = count_field(usage, "output_tokens"),
                       .cache_read = count_field(usage, "cached_input_tokens"),
                       .reasoning = count_field(usage, "reasoning_output_tokens")},
                      none);
    return {};
  }

  std::string line_, text_, failure_;
  std::string cause_;  // what went wrong before it gave up
  bool is_over_ = false;
};

}  // namespace

vm::Outcome<void> read_claude_code(const Value& body, AnswerBuilder& answer) {
  std::string_view text = text_field(body, "result");
  if (flag_field(body, "is_error")) return failed(answer, text, int_field(body, "api_error_status").value_or(0));
  if (!field(body, "result").is_string())
    return answer.fail("server_error", fmt::format("it has ended without an answer: {}", text_field(body, "subtype")));
  Deltas none;
  answer.add_text(answer.open(Kind::Text), text, none);
  std::string_view reason = text_field(body, "stop_reason");
  answer.stop_reason = reason.empty() ? "end_turn" : reason;
  // Who has answered, where no others have helped.
  if (const Value& models = field(body, "modelUsage"); models.is_dict() && models.as_dict()->size() == 1) {
    for (auto [name, used] : models.as_dict()->entries()) answer.model = name->view();
  }
  const Value& usage = field(body, "usage");
  int64_t read = count_field(usage, "cache_read_input_tokens"),
          written = count_field(usage, "cache_creation_input_tokens");
  answer.set_usage({.input = count_field(usage, "input_tokens") + read + written,
                    .output = count_field(usage, "output_tokens"),
                    .cache_read = read,
                    .cache_write = written},
                   none);
  return {};
}

std::unique_ptr<Decoder> codex_lines(const Value& request) { return std::make_unique<CodexLines>(request); }

}  // namespace harn::llm
