#pragma once

#include "vm/host.h"

namespace harn::engine {

// The parts of a host that are the same for all that live in a process: its environment, the clock, randomness. It has
// no streams: what is written is dropped, and there is nothing to read.
class SystemHost : public vm::Host {
 public:
  void write(vm::Stream, std::string_view) override {}
  void flush() override {}
  bool read_line(std::string&) override { return false; }
  std::string read_all() override { return ""; }
  bool is_terminal(vm::Stream) override { return false; }
  std::string env(std::string_view name, bool& found) override;
  int64_t now_ms() override;
  void random_bytes(void* to, size_t size) override;
};

}  // namespace harn::engine
