#pragma once

#include "data/server_events.h"
#include "llm/answer.h"

// What decoders have in common: limits, lines and events. One class per format and way (whole or streamed) is in the file of its
// format.
namespace harn::llm {

constexpr size_t kMostAnswerBytes = size_t{64} << 20;

// Counts bytes and holds what is being put together.
class CountingDecoder : public Decoder {
 public:
  explicit CountingDecoder(const Value& request) : answer_(request) {}
  vm::Outcome<void> feed(std::string_view bytes, Deltas& deltas) final;

 protected:
  virtual vm::Outcome<void> take(std::string_view bytes, Deltas& deltas) = 0;
  // A JSON document of the stream; a failure where it is none.
  vm::Outcome<Value> read(std::string_view text) const;
  std::unexpected<vm::Thrown> cut() const;

  AnswerBuilder answer_;

 private:
  size_t size_ = 0;
};

// An answer in one piece.
using ReadWhole = vm::Outcome<void> (*)(const Value& body, AnswerBuilder& answer);
std::unique_ptr<Decoder> whole_decoder(const Value& request, ReadWhole read);

// One that comes as server-sent events.
class EventDecoder : public CountingDecoder {
 public:
  using CountingDecoder::CountingDecoder;

 protected:
  vm::Outcome<void> take(std::string_view bytes, Deltas& deltas) final;
  virtual vm::Outcome<void> on_event(const data::ServerEvent& event, Deltas& deltas) = 0;

 private:
  data::EventReader reader_;
};

std::unique_ptr<Decoder> anthropic_events(const Value& request);
std::unique_ptr<Decoder> chat_events(const Value& request);
std::unique_ptr<Decoder> responses_events(const Value& request);
std::unique_ptr<Decoder> ollama_lines(const Value& request);
std::unique_ptr<Decoder> codex_lines(const Value& request);
vm::Outcome<void> read_anthropic(const Value& body, AnswerBuilder& answer);
vm::Outcome<void> read_chat(const Value& body, AnswerBuilder& answer);
vm::Outcome<void> read_responses(const Value& body, AnswerBuilder& answer);
vm::Outcome<void> read_ollama(const Value& body, AnswerBuilder& answer);
vm::Outcome<void> read_claude_code(const Value& body, AnswerBuilder& answer);

}  // namespace harn::llm
