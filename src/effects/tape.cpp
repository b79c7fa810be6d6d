#include "effects/tape.h"

namespace harn::effects {

std::optional<TapeAnswer> MemoryTape::play(const Question& question) {
  std::lock_guard guard(lock_);
  auto found = entries_.find({question.task, question.number});
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  bool is_same = entry.name == question.name && entry.version == question.version && entry.request == question.request;
  return is_same ? std::optional(entry.answer) : std::nullopt;
}

void MemoryTape::record(const Question& question, const TapeAnswer& answer) {
  std::lock_guard guard(lock_);
  entries_[{question.task, question.number}] = {std::string(question.name), question.version,
                                                std::string(question.request), answer};
}

size_t MemoryTape::size() {
  std::lock_guard guard(lock_);
  return entries_.size();
}

}  // namespace harn::effects
