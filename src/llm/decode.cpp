#include "llm/decode.h"

#include "base/result.h"
#include "base/text.h"

namespace harn::llm {

vm::Outcome<void> CountingDecoder::feed(std::string_view bytes, Deltas& deltas) {
  size_ += bytes.size();
  if (size_ > kMostAnswerBytes) return answer_.fail("generic", "the answer has more than 64 MB, which is no answer");
  return take(bytes, deltas);
}

vm::Outcome<Value> CountingDecoder::read(std::string_view text) const {
  auto parsed = text::is_valid_utf8(text) ? data::parse_json(text) : data::parse_json(text::to_valid_utf8(text));
  if (!parsed)
    return answer_.fail("server_error", "the provider sent something that is no JSON: " + parsed.error().text());
  return *std::move(parsed);
}

std::unexpected<vm::Thrown> CountingDecoder::cut() const {
  return answer_.fail("transient_network", "the connection ended before the answer was complete");
}

namespace {

class WholeDecoder : public CountingDecoder {
 public:
  WholeDecoder(const Value& request, ReadWhole read) : CountingDecoder(request), read_(read) {}

  vm::Outcome<Value> finish() override {
    if (text::trim(bytes_).empty()) return cut();
    Value body = HARN_TRY(read(bytes_));
    if (has_field(body, "error")) return answer_.fail_told(body);
    HARN_CHECK(read_(body, answer_));
    return answer_.done();
  }

 private:
  vm::Outcome<void> take(std::string_view bytes, Deltas&) override {
    bytes_ += bytes;
    return {};
  }

  ReadWhole read_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<Decoder> whole_decoder(const Value& request, ReadWhole read) {
  return std::make_unique<WholeDecoder>(request, read);
}

vm::Outcome<void> EventDecoder::take(std::string_view bytes, Deltas& deltas) {
  auto events = reader_.add(bytes, kMostAnswerBytes);
  if (!events) return answer_.fail("generic", "the answer has an event that is larger than 64 MB");
  for (const data::ServerEvent& event : *events) HARN_CHECK(on_event(event, deltas));
  return {};
}

std::unique_ptr<Decoder> Decoder::make(Wire wire, bool streams, const Value& request) {
  switch (wire) {
    case Wire::Anthropic: return streams ? anthropic_events(request) : whole_decoder(request, read_anthropic);
    case Wire::OpenAiResponses: return streams ? responses_events(request) : whole_decoder(request, read_responses);
    case Wire::Ollama: return streams ? ollama_lines(request) : whole_decoder(request, read_ollama);
    case Wire::ClaudeCode: return whole_decoder(request, read_claude_code);
    case Wire::Codex: return codex_lines(request);
    case Wire::OpenAiChat:
    case Wire::Mock: break;
  }
  return streams ? chat_events(request) : whole_decoder(request, read_chat);
}

}  // namespace harn::llm
