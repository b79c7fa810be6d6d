#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value.h"

// What a server of `harn mock-server` answers: replies that a file has, chosen as mocks of a program are. For one thread at a time.
namespace harn::llm {

struct ScriptedError {
  int status = 500;
  std::string type;  // the word of the error: "rate_limit_error"
  std::string message;
  int64_t retry_after_ms = -1;  // -1: it does not say
};

struct ScriptedCall {
  std::string id, name;
  vm::Value arguments;
};

struct ScriptedReply {
  std::string text, thinking;
  std::vector<ScriptedCall> calls;
  std::vector<std::string> chunks;                // of a stream; none: a word each
  std::string stop_reason;                        // canonical; empty: as the rest says
  std::string model;                              // empty: as it was asked for
  int64_t input_tokens = -1, output_tokens = -1;  // -1: counted
  int64_t cache_read_tokens = 0, cache_write_tokens = 0;
  std::optional<ScriptedError> error;
  int64_t delay_ms = 0;        // before anything is sent
  int64_t chunk_delay_ms = 0;  // between the chunks of a stream
  int64_t cut_after = -1;      // the connection ends after so many chunks; -1: it does not
};

class MockScript {
 public:
  // A reply on each line of a .jsonl file, or [[replies]] of a .toml file. Fails with the place and what is wrong.
  static std::expected<MockScript, std::string> read(std::string_view name, std::string_view text);

  // The next reply to a request with these messages. First replies without `match`, in their order, each once; then the first whose
  // pattern fits, kept unless it has `consume_match`; else the request comes back in words.
  ScriptedReply next(const vm::Value& messages);

 private:
  struct Entry {
    std::optional<std::string> match;
    bool is_consumed = false;  // by its use
    ScriptedReply reply;
  };
  std::expected<void, std::string> add(const vm::Value& entry);

  std::vector<Entry> entries_;
  size_t calls_ = 0;
};

}  // namespace harn::llm
