#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "vm/vm.h"

// The model that tests talk to: replies that a program has queued, or placeholders.
//
// A program has one, with scopes. While something is queued it answers for every provider. Shared by all tasks; the values in
// it are ready to be read by any. A reply is what call_model.h calls an answer, or a failure.
namespace harn::llm {

struct StandInReply {
  vm::Value answer = {};                 // nil: it failed
  vm::Value failure = {};                // a dict
  std::vector<std::string> pieces = {};  // as a stream has its text
};

class MockModel {
 public:
  static MockModel& of(vm::Vm& vm) { return vm.local<MockModel>(); }

  // A reply to queue, checked: see `entry_problem`.
  void add(vm::Value entry);
  void clear();
  void push_scope();
  bool pop_scope();  // false: there is none
  bool has_replies();
  std::vector<vm::Value> calls();
  // A file with a reply on each line, for which `script_problem` has no objection: it stands for all models, and there are no
  // placeholders. Before the program begins.
  void set_script(std::string lines);
  // Without a placeholder: a call that no reply fits fails and says what it asked.
  void set_strict(bool is_strict);

  // The reply to a canonical request; nothing when a real provider should be asked.
  vm::Outcome<std::optional<StandInReply>> reply(const vm::Value& request);

  struct Scope {
    std::deque<vm::Value> entries;
    std::vector<vm::Value> calls;
    std::set<std::string> cached;  // requests that asked for caching, by what they were about
    int64_t tool_calls = 0;
  };
  // All there is, for a program that stands still and is put away.
  struct State {
    std::vector<Scope> scopes = std::vector<Scope>(1);  // the innermost is last
    bool is_strict = false;
    std::string script;  // that nobody has read yet: values are made by the task that asks
  };
  State& state() { return state_; }

 private:
  vm::Outcome<void> read_script();
  std::optional<vm::Value> take(const std::string& subject);
  void note_cache(const vm::Value& request, vm::Value& answer);

  Mutex lock_;
  State state_;
};

// Why this is no reply that can be queued; empty: it is one.
std::string entry_problem(const vm::Value& entry);
// Why this is no file of such replies, one on each line: "2: unknown field 'txt'"; empty: it is one.
std::string script_problem(std::string_view lines);

}  // namespace harn::llm
