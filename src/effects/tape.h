#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

// What a run asked of the world and what it was told, so that another run can be told the same.
namespace harn::effects {

// One question. Which task asked it and how many it had asked before are the same in every run of a program,
// whatever the workers do: an answer is found by these. The rest says whether it is still the same question.
struct Question {
  uint64_t task = 0;
  uint64_t number = 0;
  std::string_view name;  // "file.read"
  uint32_t version = 1;
  std::string_view request;  // its fields (fields.h)
};

struct TapeAnswer {
  bool is_error = false;
  std::string bytes;  // the answer's fields, or the error's text
};

// Used by all tasks at once.
class Tape {
 public:
  virtual ~Tape() = default;
  // Whether answers come from the tape; then nothing is done.
  virtual bool is_playing() const = 0;
  // Empty: the recording has no such question here.
  virtual std::optional<TapeAnswer> play(const Question& question) = 0;
  virtual void record(const Question& question, const TapeAnswer& answer) = 0;
};

// A tape in memory, for tests: record first, then `rewind` and play.
class MemoryTape : public Tape {
 public:
  bool is_playing() const override { return is_playing_; }
  std::optional<TapeAnswer> play(const Question& question) override;
  void record(const Question& question, const TapeAnswer& answer) override;
  void rewind() { is_playing_ = true; }
  size_t size();

 private:
  struct Entry {
    std::string name;
    uint32_t version;
    std::string request;
    TapeAnswer answer;
  };
  std::mutex lock_;
  bool is_playing_ = false;
  std::map<std::pair<uint64_t, uint64_t>, Entry> entries_;  // by task and number
};

}  // namespace harn::effects
