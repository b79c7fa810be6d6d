// Answers of Anthropic Messages.
#include <map>

#include "base/result.h"
#include "llm/decode.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

using Kind = AnswerBuilder::Kind;

// A block as it begins, or whole.
size_t begin_block(const Value& block, AnswerBuilder& answer, Deltas& deltas) {
  std::string_view type = text_field(block, "type");
  if (type == "text") {
    size_t made = answer.open(Kind::Text);
    answer.add_text(made, text_field(block, "text"), deltas);
    return made;
  }
  if (type == "tool_use") {
    size_t made = answer.open(Kind::Call);
    answer.begin_call(made, text_field(block, "id"), text_field(block, "name"), deltas);
    const Value& input = field(block, "input");
    if (input.is_dict() && input.as_dict()->size() > 0) answer.at(made).arguments = input;
    return made;
  }
  if (type == "thinking") {
    size_t made = answer.open(Kind::Thinking);
    answer.add_thinking(made, text_field(block, "thinking"), deltas);
    if (!text_field(block, "signature").empty())
      answer.at(made).opaque = DictBuilder().add("signature", field(block, "signature")).done();
    return made;
  }
  size_t made = answer.open(Kind::Opaque);
  answer.at(made).opaque = block.is_dict() ? block : Value(vm::new_dict());
  return made;
}

// Later events repeat some of the numbers, and leave out others.
void add_usage(const Value& usage, AnswerBuilder& answer, Deltas& deltas) {
  if (!usage.is_dict()) return;
  AnswerBuilder::Usage sum = answer.usage();
  if (has_field(usage, "input_tokens")) {
    sum.cache_read = count_field(usage, "cache_read_input_tokens");
    sum.cache_write = count_field(usage, "cache_creation_input_tokens");
    // They count what the cache had or got apart from the rest.
    sum.input = count_field(usage, "input_tokens") + sum.cache_read + sum.cache_write;
  }
  if (has_field(usage, "output_tokens")) sum.output = count_field(usage, "output_tokens");
  answer.set_usage(sum, deltas);
}

class AnthropicEvents : public EventDecoder {
 public:
  using EventDecoder::EventDecoder;

  vm::Outcome<Value> finish() override {
    if (!is_over_) return cut();
    return answer_.done();
  }

 private:
  vm::Outcome<void> on_event(const data::ServerEvent& event, Deltas& deltas) override {
    if (is_over_ || event.data.empty()) return {};
    Value body = HARN_TRY(read(event.data));
    std::string_view type = text_field(body, "type");
    if (type == "error") return answer_.fail_told(body);
    if (type == "message_start") {
      const Value& message = field(body, "message");
      answer_.model = text_field(message, "model");
      add_usage(field(message, "usage"), answer_, deltas);
    } else if (type == "content_block_start") {
      blocks_[int_field(body, "index").value_or(0)] = begin_block(field(body, "content_block"), answer_, deltas);
    } else if (type == "content_block_delta") {
      add_delta(body, deltas);
    } else if (type == "content_block_stop") {
      end_block(body);
    } else if (type == "message_delta") {
      std::string_view reason = text_field(field(body, "delta"), "stop_reason");
      if (!reason.empty()) answer_.stop_reason = reason;
      add_usage(field(body, "usage"), answer_, deltas);
    } else if (type == "message_stop") {
      is_over_ = true;
    }
    return {};
  }

  void add_delta(const Value& body, Deltas& deltas) {
    auto found = blocks_.find(int_field(body, "index").value_or(0));
    if (found == blocks_.end()) return;
    size_t block = found->second;
    const Value& delta = field(body, "delta");
    std::string_view type = text_field(delta, "type");
    Kind kind = answer_.at(block).kind;
    if (type == "text_delta" && kind == Kind::Text) answer_.add_text(block, text_field(delta, "text"), deltas);
    if (type == "thinking_delta" && kind == Kind::Thinking)
      answer_.add_thinking(block, text_field(delta, "thinking"), deltas);
    if (type == "input_json_delta" && kind == Kind::Call)
      answer_.add_arguments(block, text_field(delta, "partial_json"), deltas);
    if (type == "input_json_delta" && kind == Kind::Opaque) answer_.at(block).text += text_field(delta, "partial_json");
    if (type == "signature_delta" && kind == Kind::Thinking)
      answer_.at(block).opaque = DictBuilder().add("signature", field(delta, "signature")).done();
  }

  // Tools that run at the provider are kept as they would have come whole.
  void end_block(const Value& body) {
    auto found = blocks_.find(int_field(body, "index").value_or(0));
    if (found == blocks_.end()) return;
    AnswerBuilder::Block& block = answer_.at(found->second);
    if (block.kind != Kind::Opaque || block.text.empty()) return;
    if (auto input = data::parse_json(block.text)) set(block.opaque, "input", *std::move(input));
    block.text.clear();
  }

  std::map<int64_t, size_t> blocks_;  // by their number at the provider
  bool is_over_ = false;
};

}  // namespace

vm::Outcome<void> read_anthropic(const Value& body, AnswerBuilder& answer) {
  if (text_field(body, "type") == "error") return answer.fail_told(body);
  Deltas none;
  for (const Value& block : items_field(body, "content")) begin_block(block, answer, none);
  answer.model = text_field(body, "model");
  answer.stop_reason = text_field(body, "stop_reason");
  add_usage(field(body, "usage"), answer, none);
  return {};
}

std::unique_ptr<Decoder> anthropic_events(const Value& request) { return std::make_unique<AnthropicEvents>(request); }

}  // namespace harn::llm
