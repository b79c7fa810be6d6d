#pragma once

#include <mutex>
#include <string>

#include "base/mutex.h"
#include "engine/system_host.h"

namespace harn::cli {

// A host without a terminal: keeps (or drops) what the program writes and has no input.
class CaptureHost : public engine::SystemHost {
 public:
  enum class Keep : bool { No, Yes };
  explicit CaptureHost(Keep keep) : keep_(keep) {}

  const std::string& out() const { return out_; }
  const std::string& all() const { return all_; }  // both streams, in order

  void write(vm::Stream stream, std::string_view text) override {
    std::lock_guard lock(lock_);
    if (keep_ == Keep::No || all_.size() > kMost) return;
    if (stream == vm::Stream::Out) out_ += text;
    all_ += text;
  }

 private:
  static constexpr size_t kMost = 64 << 20;  // a program that prints forever

  Keep keep_;
  Mutex lock_;
  std::string out_;
  std::string all_;
};

}  // namespace harn::cli
