// Answers of Ollama: one JSON object, or one on each line.
#include "base/result.h"
#include "base/text.h"
#include "llm/decode.h"
#include "llm/inline_thinking.h"

namespace harn::llm {

namespace {

using Kind = AnswerBuilder::Kind;

void read_message(const Value& message, AnswerBuilder& answer, InlineThinking& content, Deltas& deltas) {
  if (std::string_view thought = text_field(message, "thinking"); !thought.empty())
    answer.add_thinking(answer.last_or_new(Kind::Thinking), thought, deltas);
  if (std::string_view text = text_field(message, "content"); !text.empty()) content.add(text, deltas);
  for (const Value& call : items_field(message, "tool_calls")) {
    content.flush(deltas);
    const Value& function = field(call, "function");
    size_t block = answer.open(Kind::Call);
    answer.begin_call(block, text_field(call, "id"), text_field(function, "name"), deltas);
    const Value& arguments = field(function, "arguments");
    if (!arguments.is_string()) answer.at(block).arguments = arguments;
    answer.add_arguments(block, arguments.is_string() ? text_of(arguments) : json_text(arguments), deltas);
  }
}

void read_end(const Value& body, AnswerBuilder& answer, Deltas& deltas) {
  std::string_view reason = text_field(body, "done_reason");
  answer.stop_reason = reason == "length" ? "max_tokens" : reason == "stop" ? "end_turn" : reason;
  if (has_field(body, "prompt_eval_count") || has_field(body, "eval_count"))
    answer.set_usage({.input = count_field(body, "prompt_eval_count"), .output = count_field(body, "eval_count")},
                     deltas);
}

class OllamaLines : public CountingDecoder {
 public:
  explicit OllamaLines(const Value& request) : CountingDecoder(request), content_(answer_) {}

  vm::Outcome<Value> finish() override {
    Deltas none;
    // The last line may have no end; it may also be half of one.
    if (!is_over_ && data::parse_json(line_)) HARN_CHECK(on_line(line_, none));
    if (!is_over_) return cut();
    return answer_.done();
  }

 private:
  vm::Outcome<void> take(std::string_view bytes, Deltas& deltas) override {
    for (size_t end; (end = bytes.find('\n')) != bytes.npos; bytes.remove_prefix(end + 1)) {
      line_ += bytes.substr(0, end);
      HARN_CHECK(on_line(std::exchange(line_, {}), deltas));
    }
    line_ += bytes;
    return {};
  }

  vm::Outcome<void> on_line(const std::string& line, Deltas& deltas) {
    if (is_over_ || text::trim(line).empty()) return {};
    Value body = HARN_TRY(read(line));
    if (has_field(body, "error")) return answer_.fail_told(body);
    if (answer_.model.empty()) answer_.model = text_field(body, "model");
    read_message(field(body, "message"), answer_, content_, deltas);
    is_over_ = flag_field(body, "done");
    if (!is_over_) return {};
    content_.flush(deltas);
    read_end(body, answer_, deltas);
    return {};
  }

  InlineThinking content_;
  std::string line_;
  bool is_over_ = false;
};

}  // namespace

vm::Outcome<void> read_ollama(const Value& body, AnswerBuilder& answer) {
  Deltas none;
  answer.model = text_field(body, "model");
  InlineThinking content(answer);
  read_message(field(body, "message"), answer, content, none);
  content.flush(none);
  read_end(body, answer, none);
  return {};
}

std::unique_ptr<Decoder> ollama_lines(const Value& request) { return std::make_unique<OllamaLines>(request); }

}  // namespace harn::llm
