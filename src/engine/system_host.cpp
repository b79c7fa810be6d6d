#include "engine/system_host.h"

#include <sys/random.h>
#include <unistd.h>

#include <bitset>
#include <chrono>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace harn::engine {

namespace {

// The variables of the process by their names, as a thread has seen them: each call of a model asks for dozens. Whoever sets
// one with setenv puts another line in the place of the old one, which `is_current` sees.
class VariableIndex {
 public:
  const char* find(std::string_view name) {
    if (!is_current()) read();
    if (!marks_[mark_of(name)]) return nullptr;
    auto found = values_.find(name);
    return found == values_.end() ? nullptr : found->second;
  }

 private:
  // Most that are asked for are not there, and nothing that is has their mark.
  static size_t mark_of(std::string_view name) {
    if (name.empty()) return 0;
    auto byte = [&](size_t i) { return static_cast<unsigned char>(name[i]); };
    return (byte(0) * 31u + byte(name.size() / 2) * 7u + byte(name.size() - 1) + name.size() * 67u) % kMarks;
  }

  // With the null pointer at the end.
  bool is_current() const {
    return environ == place_ && !lines_.empty() && memcmp(environ, lines_.data(), lines_.size() * sizeof(char*)) == 0;
  }

  void read() {
    place_ = environ;
    lines_.clear();
    values_.clear();
    marks_.reset();
    for (char** line = environ; line && *line; ++line) {
      lines_.push_back(*line);
      const char* end = strchr(*line, '=');
      if (!end) continue;
      std::string_view name(*line, static_cast<size_t>(end - *line));
      marks_.set(mark_of(name));
      values_.try_emplace(name, end + 1);  // of two with one name the first counts
    }
    lines_.push_back(nullptr);
  }

  static constexpr size_t kMarks = 1024;

  char** place_ = nullptr;
  std::vector<const char*> lines_;
  std::unordered_map<std::string_view, const char*> values_;
  std::bitset<kMarks> marks_;
};

}  // namespace

std::string SystemHost::env(std::string_view name, bool& found) {
  static thread_local VariableIndex variables;
  const char* value = environ ? variables.find(name) : nullptr;
  found = value != nullptr;
  return value ? value : "";
}

int64_t SystemHost::now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

void SystemHost::random_bytes(void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    ssize_t got = getrandom(at, size, 0);
    if (got < 0) continue;
    at += got;
    size -= static_cast<size_t>(got);
  }
}

}  // namespace harn::engine
