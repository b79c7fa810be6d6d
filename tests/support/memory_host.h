#pragma once

#include <map>
#include <string>

#include "vm/host.h"

namespace harn::test {

// A host without a process: output is kept, input is given, the clock stands still.
class MemoryHost : public vm::Host {
 public:
  std::string out;
  std::string err;
  std::string in;
  bool terminal = false;
  std::map<std::string, std::string, std::less<>> variables;
  int64_t clock_ms = 1'700'000'000'123;

  void write(vm::Stream stream, std::string_view text) override { (stream == vm::Stream::Err ? err : out) += text; }
  void flush() override {}
  bool read_line(std::string& line) override {
    if (in.empty()) return false;
    size_t end = std::min(in.find('\n'), in.size());
    line = in.substr(0, end);
    in.erase(0, std::min(end + 1, in.size()));
    return true;
  }
  std::string read_all() override { return std::exchange(in, {}); }
  bool is_terminal(vm::Stream) override { return terminal; }
  std::string env(std::string_view name, bool& found) override {
    auto at = variables.find(name);
    found = at != variables.end();
    return found ? at->second : "";
  }
  int64_t now_ms() override { return clock_ms; }
  void random_bytes(void* to, size_t size) override {
    auto* bytes = static_cast<unsigned char*>(to);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(seed_ = seed_ * 167 + 13);
  }

 private:
  unsigned char seed_ = 7;
};

}  // namespace harn::test
