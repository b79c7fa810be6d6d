#pragma once

#include <string>

#include "vm/host.h"

namespace harn::cli {

// The process as a host: buffered standard output, the real clock and environment.
class ProcessHost : public vm::Host {
 public:
  ~ProcessHost() override { flush(); }
  void write(vm::Stream stream, std::string_view text) override;
  void flush() override;
  bool read_line(std::string& line) override;
  std::string read_all() override;
  bool is_terminal(vm::Stream stream) override;
  std::string env(std::string_view name, bool& found) override;
  int64_t now_ms() override;
  int64_t monotonic_ms() override;
  void random_bytes(void* to, size_t size) override;

 private:
  bool fill();  // reads more input

  std::string out_;
  std::string in_;
  size_t in_position_ = 0;
  bool in_ended_ = false;
  int out_is_terminal_ = -1;
};

}  // namespace harn::cli
