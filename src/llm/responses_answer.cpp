// Answers of OpenAI Responses. Streams end with the whole answer, so the pieces before are for those who watch.
#include <map>

#include "base/result.h"
#include "llm/decode.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

using Kind = AnswerBuilder::Kind;

std::string summary_of(const Value& item) {
  std::string all;
  for (const Value& part : items_field(item, "summary")) {
    if (!all.empty()) all += "\n\n";
    all += text_field(part, "text");
  }
  return all;
}

void read_reasoning(const Value& item, AnswerBuilder& answer) {
  AnswerBuilder::Block& block = answer.at(answer.open(Kind::Thinking));
  block.summary = summary_of(item);
  for (const Value& part : items_field(item, "content")) block.text += text_field(part, "text");
  // Without what is encrypted it means nothing to a provider that keeps nothing.
  if (text_field(item, "encrypted_content").empty()) return;
  Value kept = DictBuilder().add("type", vm::text_value("reasoning")).add("summary", field(item, "summary")).done();
  if (!field(item, "summary").is_list()) set(kept, "summary", vm::new_list());
  copy(kept, "id", item, "id");
  copy(kept, "encrypted_content", item, "encrypted_content");
  block.opaque = std::move(kept);
}

void read_item(const Value& item, AnswerBuilder& answer) {
  Deltas none;
  std::string_view type = text_field(item, "type");
  if (type == "message") {
    for (const Value& part : items_field(item, "content")) {
      std::string_view text =
          text_field(part, "type") == "refusal" ? text_field(part, "refusal") : text_field(part, "text");
      answer.add_text(answer.last_or_new(Kind::Text), text, none);
    }
  } else if (type == "function_call") {
    size_t block = answer.open(Kind::Call);
    answer.begin_call(block, text_field(item, "call_id"), text_field(item, "name"), none);
    answer.add_arguments(block, text_field(item, "arguments"), none);
  } else if (type == "reasoning") {
    read_reasoning(item, answer);
  } else if (!type.empty()) {
    answer.at(answer.open(Kind::Opaque)).opaque = item;
  }
}

void read_end(const Value& body, AnswerBuilder& answer, Deltas& deltas) {
  if (answer.model.empty()) answer.model = text_field(body, "model");
  std::string_view why = text_field(field(body, "incomplete_details"), "reason");
  answer.stop_reason = why == "max_output_tokens" ? "max_tokens" : why;
  const Value& usage = field(body, "usage");
  if (!usage.is_dict()) return;
  AnswerBuilder::Usage sum{.input = count_field(usage, "input_tokens"), .output = count_field(usage, "output_tokens")};
  sum.cache_read = count_field(field(usage, "input_tokens_details"), "cached_tokens");
  const Value& output = field(usage, "output_tokens_details");
  if (has_field(output, "reasoning_tokens")) sum.reasoning = count_field(output, "reasoning_tokens");
  answer.set_usage(sum, deltas);
}

class ResponsesEvents : public EventDecoder {
 public:
  explicit ResponsesEvents(const Value& request) : EventDecoder(request), shown_(request) {}

  vm::Outcome<Value> finish() override {
    if (!is_over_) return cut();
    return answer_.done();
  }

 private:
  vm::Outcome<void> on_event(const data::ServerEvent& event, Deltas& deltas) override {
    if (is_over_ || event.data.empty() || event.data == "[DONE]") return {};
    Value body = HARN_TRY(read(event.data));
    std::string_view type = text_field(body, "type");
    if (type == "error") return answer_.fail_told(body);
    if (type == "response.failed") return answer_.fail_told(field(body, "response"));
    if (type == "response.completed" || type == "response.incomplete") return end(field(body, "response"), deltas);
    int64_t number = int_field(body, "output_index").value_or(0);
    if (type == "response.output_item.done") done_[number] = field(body, "item");
    if (type == "response.output_item.added") show_item(number, field(body, "item"), deltas);
    else show_delta(type, number, text_field(body, "delta"), deltas);
    return {};
  }

  vm::Outcome<void> end(const Value& response, Deltas& deltas) {
    auto output = items_field(response, "output");
    for (const Value& item : output) read_item(item, answer_);
    if (output.empty()) {
      for (const auto& [number, item] : done_) read_item(item, answer_);
    }
    read_end(response, answer_, deltas);
    is_over_ = true;
    return {};
  }

  void show_item(int64_t number, const Value& item, Deltas& deltas) {
    if (text_field(item, "type") != "function_call") return;
    size_t block = shown_calls_[number] = shown_.open(Kind::Call);
    shown_.begin_call(block, text_field(item, "call_id"), text_field(item, "name"), deltas);
  }

  void show_delta(std::string_view type, int64_t number, std::string_view delta, Deltas& deltas) {
    if (type == "response.output_text.delta" || type == "response.refusal.delta")
      shown_.add_text(shown_.last_or_new(Kind::Text), delta, deltas);
    if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta")
      shown_.add_thinking(shown_.last_or_new(Kind::Thinking), delta, deltas);
    if (type == "response.function_call_arguments.delta" && shown_calls_.contains(number))
      shown_.add_arguments(shown_calls_[number], delta, deltas);
  }

  AnswerBuilder shown_;  // what the deltas have told
  std::map<int64_t, size_t> shown_calls_;
  std::map<int64_t, Value> done_;
  bool is_over_ = false;
};

}  // namespace

vm::Outcome<void> read_responses(const Value& body, AnswerBuilder& answer) {
  Deltas none;
  for (const Value& item : items_field(body, "output")) read_item(item, answer);
  read_end(body, answer, none);
  return {};
}

std::unique_ptr<Decoder> responses_events(const Value& request) { return std::make_unique<ResponsesEvents>(request); }

}  // namespace harn::llm
