#pragma once

#include <mutex>

#include "base/mutex.h"
#include "engine/system_host.h"
#include "harn/harn.h"

namespace harn::embed {

// The host of a VM inside another program: its streams are functions of that program, or the streams of the process. The
// options must outlive it. Functions are called one at a time, on whichever thread something happens.
class EmbeddedHost : public engine::SystemHost {
 public:
  explicit EmbeddedHost(const Options& options) : options_(options) {}

  void write(vm::Stream stream, std::string_view text) override;
  bool read_line(std::string& line) override;
  std::string read_all() override;

  bool watches_tasks() const override { return options_.events != nullptr; }
  void task_started(uint64_t task, uint64_t parent) override;
  void task_ended(uint64_t task, const vm::ErrorObject* error) override;
  bool task_failed_unseen(uint64_t task, const vm::ErrorObject& error) override;
  void ended();

 private:
  void tell(const Event& event);

  const Options& options_;
  Mutex lock_;        // of output and events
  Mutex input_lock_;  // one task reads at a time
};

}  // namespace harn::embed
