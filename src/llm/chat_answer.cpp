// Answers of OpenAI Chat Completions, and of what speaks it more or less.
#include <map>

#include "base/result.h"
#include "llm/decode.h"
#include "llm/encode.h"
#include "llm/inline_thinking.h"

namespace harn::llm {

namespace {

using Kind = AnswerBuilder::Kind;

std::string_view stop_of(std::string_view reason) {
  if (reason == "stop" || reason == "eos" || reason == "end_of_turn") return "end_turn";
  if (reason == "length") return "max_tokens";
  if (reason == "tool_calls" || reason == "function_call") return "tool_use";
  return reason;
}

void add_usage(const Value& usage, AnswerBuilder& answer, Deltas& deltas) {
  if (!usage.is_dict() || !has_field(usage, "prompt_tokens")) return;
  AnswerBuilder::Usage sum{.input = count_field(usage, "prompt_tokens"),
                           .output = count_field(usage, "completion_tokens")};
  const Value& details = field(usage, "prompt_tokens_details");
  sum.cache_read = std::max(count_field(details, "cached_tokens"), count_field(usage, "prompt_cache_hit_tokens"));
  sum.cache_write = count_field(details, "cache_write_tokens");
  const Value& output = field(usage, "completion_tokens_details");
  if (has_field(output, "reasoning_tokens")) sum.reasoning = count_field(output, "reasoning_tokens");
  answer.set_usage(sum, deltas);
}

// Pieces of one detail have its number.
void merge_detail(Value& details, const Value& detail) {
  auto index = int_field(detail, "index");
  for (Value& known : vm::writable_list(details)->values()) {
    if (!index || int_field(known, "index") != index || text_field(known, "type") != text_field(detail, "type"))
      continue;
    for (auto [key, value] : detail.as_dict()->entries()) {
      bool grows = key->view() == "text" || key->view() == "summary" || key->view() == "data";
      if (!grows || !value->is_string()) {
        if (!value->is_nil()) set(known, key->view(), *value);
        continue;
      }
      set(known, key->view(), std::string(text_field(known, key->view())) + std::string(text_of(*value)));
    }
    return;
  }
  push(details, detail);
}

// What is common to a message and a delta of one.
class ChatReader {
 public:
  explicit ChatReader(AnswerBuilder& answer) : answer_(answer), text_(answer) {}

  void read(const Value& message, Deltas& deltas) {
    for (std::string_view name : {"reasoning_content", "reasoning", "thinking"}) {
      std::string_view thought = text_field(message, name);
      if (thought.empty()) continue;
      answer_.add_thinking(answer_.last_or_new(Kind::Thinking), thought, deltas);
      break;
    }
    read_details(message);
    const Value& content = field(message, "content");
    add_text(text_of(content), deltas);
    for (const Value& part : items(content)) add_text(text_field(part, "text"), deltas);
    add_text(text_field(message, "refusal"), deltas);
    for (const Value& call : items_field(message, "tool_calls")) {
      text_.flush(deltas);
      read_call(call, deltas);
    }
  }

  // The message is whole.
  void finish(Deltas& deltas) { text_.flush(deltas); }

 private:
  void add_text(std::string_view text, Deltas& deltas) {
    if (!text.empty()) text_.add(text, deltas);
  }

  void read_details(const Value& message) {
    auto details = items_field(message, "reasoning_details");
    if (details.empty()) return;
    AnswerBuilder::Block& block = answer_.at(answer_.last_or_new(Kind::Thinking));
    Value all = field(block.opaque, "reasoning_details");
    if (!all.is_list()) all = vm::new_list();
    for (const Value& detail : details) {
      if (detail.is_dict()) merge_detail(all, detail);
    }
    block.opaque = DictBuilder().add("reasoning_details", std::move(all)).done();
  }

  // The number of a call; servers that leave it out send a call at once, or its id first.
  int64_t number_of(const Value& call) {
    if (auto index = int_field(call, "index")) return *index;
    bool is_new = !text_field(call, "id").empty() || !text_field(field(call, "function"), "name").empty();
    return is_new ? ++unnumbered_ : unnumbered_;
  }

  void read_call(const Value& call, Deltas& deltas) {
    const Value& function = field(call, "function");
    int64_t number = number_of(call);
    auto [place, is_new] = calls_.try_emplace(number, 0);
    if (is_new) {
      place->second = answer_.open(Kind::Call);
      answer_.begin_call(place->second, text_field(call, "id"), text_field(function, "name"), deltas);
    } else {
      AnswerBuilder::Block& block = answer_.at(place->second);
      if (block.id.empty()) block.id = text_field(call, "id");
      if (block.name.empty()) block.name = text_field(function, "name");
    }
    const Value& arguments = field(function, "arguments");
    if (arguments.is_dict()) answer_.at(place->second).arguments = arguments;
    else answer_.add_arguments(place->second, text_of(arguments), deltas);
  }

  AnswerBuilder& answer_;
  InlineThinking text_;
  std::map<int64_t, size_t> calls_;
  int64_t unnumbered_ = 1'000'000;
};

class ChatEvents : public EventDecoder {
 public:
  explicit ChatEvents(const Value& request) : EventDecoder(request), reader_(answer_) {}

  vm::Outcome<Value> finish() override {
    if (!is_over_ && !has_reason_) return cut();
    Deltas none;
    reader_.finish(none);
    return answer_.done();
  }

 private:
  vm::Outcome<void> on_event(const data::ServerEvent& event, Deltas& deltas) override {
    if (is_over_ || event.data.empty()) return {};
    if (event.data == "[DONE]") {
      is_over_ = true;
      reader_.finish(deltas);
      return {};
    }
    Value body = HARN_TRY(read(event.data));
    if (has_field(body, "error")) return answer_.fail_told(body);
    if (answer_.model.empty()) answer_.model = text_field(body, "model");
    for (const Value& choice : items_field(body, "choices")) {
      if (int_field(choice, "index").value_or(0) != 0) continue;
      if (has_field(choice, "error")) return answer_.fail_told(choice);
      reader_.read(field(choice, "delta"), deltas);
      std::string_view reason = text_field(choice, "finish_reason");
      if (reason.empty()) continue;
      answer_.stop_reason = stop_of(reason);
      has_reason_ = true;
      reader_.finish(deltas);
    }
    add_usage(field(body, "usage"), answer_, deltas);
    return {};
  }

  ChatReader reader_;
  bool is_over_ = false;
  bool has_reason_ = false;
};

}  // namespace

vm::Outcome<void> read_chat(const Value& body, AnswerBuilder& answer) {
  auto choices = items_field(body, "choices");
  if (choices.empty()) return answer.fail("server_error", "the answer has no choices");
  if (has_field(choices[0], "error")) return answer.fail_told(choices[0]);
  Deltas none;
  ChatReader reader(answer);
  reader.read(field(choices[0], "message"), none);
  reader.finish(none);
  answer.model = text_field(body, "model");
  answer.stop_reason = stop_of(text_field(choices[0], "finish_reason"));
  add_usage(field(body, "usage"), answer, none);
  return {};
}

std::unique_ptr<Decoder> chat_events(const Value& request) { return std::make_unique<ChatEvents>(request); }

}  // namespace harn::llm
