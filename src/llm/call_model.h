#pragma once

#include "effects/perform.h"

// Calls of models. One call is one effect, whoever the provider is: a canonical request in, a canonical answer out
// (docs/internals/models.md). The wire formats, keys and addresses are beneath it; recordings, mocks and policies see none of
// them. A model that fails gives an answer that says so: only what has nothing to do with models is an error.
namespace harn::llm {

struct ModelAnswer {
  vm::Value answer;   // nil: it failed
  vm::Value failure;  // a dict, or nil
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(answer), visit(failure);
  }
};

// What all kinds of calls are asked with. Times are no part of what a recording compares.
struct ModelRequest {
  vm::Value request;
  int64_t timeout_ms = 120'000;  // for all of it
  int64_t idle_timeout_ms = 0;   // without a byte; 0: as long as all of it may take

  std::string shown() const;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(request);
  }
};

struct CallModel : ModelRequest {
  using Answer = ModelAnswer;
  static constexpr effects::EffectRow row{.name = "model.call", .capability = vm::Capability::Model};
};
// On a fiber: the task waits; when it is stopped, the call is dropped.
vm::Outcome<ModelAnswer> carry_out(effects::Run& run, const CallModel& request);
// In a replay a queued reply is used up as it was, and the call is among those that mocks have answered.
void note_replayed(effects::Run& run, const ModelRequest& request);

// An answer that is read while it comes. The stream is the VM's until it is closed or has ended.
struct OpenModel : ModelRequest {
  struct Answer {
    uint64_t stream = 0;  // 0: it failed
    vm::Value failure;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(stream), visit(failure);
    }
  };
  static constexpr effects::EffectRow row{.name = "model.open", .capability = vm::Capability::Model};
};
vm::Outcome<OpenModel::Answer> carry_out(effects::Run& run, const OpenModel& request);

// What has come since the last time, at least one piece; at the end the whole answer, or why there is none.
struct ReadModel {
  struct Answer {
    vm::Value deltas;  // a list
    bool is_end = false;
    ModelAnswer end;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(deltas), visit(is_end), visit(end);
    }
  };
  static constexpr effects::EffectRow row{.name = "model.read", .capability = vm::Capability::Model};

  uint64_t stream = 0;

  std::string shown() const { return fmt::format("stream {}", stream); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(stream);
  }
};
vm::Outcome<ReadModel::Answer> carry_out(effects::Run& run, const ReadModel& request);

// Drops what has not been read. False: no such stream is open.
struct CloseModel {
  using Answer = bool;
  static constexpr effects::EffectRow row{.name = "model.close", .capability = vm::Capability::Model};

  uint64_t stream = 0;

  std::string shown() const { return fmt::format("stream {}", stream); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(stream);
  }
};
vm::Outcome<bool> carry_out(effects::Run& run, const CloseModel& request);

// How many streams are open: a program with one cannot be put away.
size_t open_streams(vm::Vm& vm);

}  // namespace harn::llm
