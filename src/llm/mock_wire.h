#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "effects/http.h"
#include "llm/mock_script.h"
#include "llm/provider.h"

// The other side of the wire: replies as Anthropic, OpenAI and Ollama send them. Pure.
namespace harn::llm {

struct MockPiece {
  int64_t delay_ms = 0;  // before it is sent
  std::string bytes;
};

struct MockAnswer {
  int status = 200;
  std::vector<effects::HttpHeader> headers;
  bool streams = false;
  std::vector<MockPiece> pieces;  // one, unless it streams
  bool is_cut = false;            // the connection ends behind the last piece, in the middle of the answer
};

class MockWire {
 public:
  explicit MockWire(MockScript script) : script_(std::move(script)) {}

  // `now_s`: seconds since 1970, for those formats that tell the time.
  MockAnswer answer(std::string_view method, std::string_view path, std::string_view body, int64_t now_s);
  // What the last answer was about: "anthropic", "models"; empty: nothing that is known.
  const std::string& last_kind() const { return last_kind_; }

 private:
  MockScript script_;
  size_t count_ = 0;
  std::string last_kind_;
};

}  // namespace harn::llm
