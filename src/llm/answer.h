#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/fields.h"
#include "llm/wire.h"

// Puts a canonical answer together from the pieces that a decoder finds. For one answer, on one thread.
namespace harn::llm {

using Deltas = std::vector<Value>;

class AnswerBuilder {
 public:
  explicit AnswerBuilder(const Value& request) : request_(request) {}

  enum class Kind : uint8_t { Text, Thinking, Call, Opaque };
  struct Block {
    Kind kind;
    std::string text = {};  // the text, what was thought, or the arguments of a call as they are written
    std::string summary = {};
    std::string id = {}, name = {};
    Value arguments = {};  // of a call, where they came as a value
    Value opaque = {};     // what only the provider understands
  };
  size_t open(Kind kind);
  Block& at(size_t block) { return blocks_[block]; }
  // The last block, if it is of this kind; else a new one.
  size_t last_or_new(Kind kind);

  // More of a block, told in `deltas`.
  void add_text(size_t block, std::string_view text, Deltas& deltas);
  void add_thinking(size_t block, std::string_view text, Deltas& deltas);
  void add_summary(size_t block, std::string_view text, Deltas& deltas);
  void add_arguments(size_t block, std::string_view text, Deltas& deltas);
  void begin_call(size_t block, std::string_view id, std::string_view name, Deltas& deltas);

  struct Usage {
    int64_t input = 0;  // all of it, with what the cache had and got
    int64_t output = 0;
    int64_t cache_read = 0;
    int64_t cache_write = 0;
    int64_t reasoning = -1;  // -1: not told
  };
  void set_usage(Usage usage, Deltas& deltas);
  const Usage& usage() const { return usage_; }

  std::string model;
  std::string stop_reason;

  Value done();

  // ---- failures ----
  std::unexpected<vm::Thrown> fail(std::string_view category, std::string_view message) const;
  // As the provider has told it, inside an answer.
  std::unexpected<vm::Thrown> fail_told(const Value& body) const;

 private:
  size_t call_index(size_t block) const;
  bool is_schema_tool(const Block& block) const;
  Value call_of(const Block& block, size_t number) const;
  Value block_of(const Block& block, const Value& call) const;
  std::string program_name(std::string_view sent) const;
  void estimate_usage();

  const Value request_;
  std::vector<Block> blocks_;
  Usage usage_;
  bool has_usage_ = false;
};

}  // namespace harn::llm
