#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "llm/call_model.h"

// Answers of models that were written down, for tests that need no model. A program has one, for all its tasks; who runs the program
// reads and writes the file. Only texts are kept here: values are made by the task that asks.
//
// A cassette has a line of JSON for each call: {request, answer} or {request, failure}. A call gets the answer to the same request,
// each once, in the order of the lines; how it wants the answer (at once, in pieces) does not matter. What was queued by the program
// itself (mock_model.h) is answered there and not written down.
namespace harn::llm {

class Cassette {
 public:
  static Cassette& of(vm::Vm& vm) { return vm.local<Cassette>(); }

  enum class Form : uint8_t { Calls, MockEntries /* as llm_mock has them, without requests */ };
  // Before the program begins.
  void record(Form form);
  void replay(std::string_view lines);

  bool is_replaying();
  bool is_recording();
  // Nothing: it is not replayed. Fails, and says what is different, where nobody has asked this before.
  vm::Outcome<std::optional<ModelAnswer>> answer(effects::Run& run, const vm::Value& request);
  // What a model has answered; `is_mocked`: a queued reply. Nothing happens where nothing is recorded.
  void keep(effects::Run& run, const vm::Value& request, const ModelAnswer& answer, bool is_mocked);

  // What was written down.
  std::string lines();

 private:
  struct Entry {
    std::string line;
    std::string key;  // known once it was looked at
    bool is_used = false;
  };
  vm::Outcome<void> read_keys(effects::Run& run);
  std::string difference(const vm::Value& request) const;

  Mutex lock_;
  std::optional<Form> form_;
  bool is_replaying_ = false;
  bool has_keys_ = false;
  std::vector<Entry> entries_;
  std::string written_;
};

}  // namespace harn::llm
