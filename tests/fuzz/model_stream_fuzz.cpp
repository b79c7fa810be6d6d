#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "llm/fields.h"
#include "llm/wire.h"

// Whatever a provider sends, in pieces of any size: an answer with all of its fields, or a failure with a category. The first byte
// chooses the format, the second how large the pieces are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  using namespace harn;
  using namespace harn::llm;
  if (size < 2) return 0;
  constexpr Wire kWires[] = {Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Ollama};
  std::string_view bytes(reinterpret_cast<const char*>(input) + 2, size - 2);
  static const Value request = *data::parse_json(
      R"({"provider": "p", "model": "m", "messages": [], "output": {"kind": "json_schema", "name": "City"}})");
  auto decoder = Decoder::make(kWires[input[0] % 4], input[0] & 4, request);
  size_t piece = 1 + input[1];
  std::vector<Value> deltas;
  vm::Outcome<void> fed{};
  for (size_t at = 0; at < bytes.size() && fed; at += piece) fed = decoder->feed(bytes.substr(at, piece), deltas);
  if (!fed) {
    HARN_ASSERT(!text_field(fed.error()->value, "category").empty(), "a failure has no category");
    return 0;
  }
  auto answer = decoder->finish();
  if (!answer) HARN_ASSERT(!text_field(answer.error()->value, "category").empty(), "a failure has no category");
  else HARN_ASSERT(field(*answer, "text").is_string() && field(*answer, "blocks").is_list(), "an answer lacks a field");
  return 0;
}
