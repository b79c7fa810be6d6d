#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bytecode/code.h"
#include "harn/harn.h"
#include "vm/builtin.h"

namespace harn::embed {

// How many calls of host functions are under way, those that nobody waits for included: a VM does not go before.
class CallsUnderWay {
 public:
  void begin();
  void end();
  void wait_for_none();

 private:
  std::mutex lock_;
  std::condition_variable is_none_;
  size_t count_ = 0;
};

// A function of the host as a builtin: the row that the compiler and the VM see, and what it stands for. Belongs to its
// VM; does not move.
class HostFunction {
 public:
  static Result<std::unique_ptr<HostFunction>> create(std::string name, std::string signature, Function function,
                                                      Runs runs, std::shared_ptr<CallsUnderWay> calls);

  const vm::Builtin& row() const { return row_; }
  const std::string& name() const { return name_; }

 private:
  struct Row : vm::Builtin {
    const HostFunction* owner = nullptr;
  };
  struct Under;
  struct Param {
    bytecode::TypeCheckPtr type;
    bool is_optional = false;
    bool is_rest = false;
  };

  HostFunction() = default;
  Result<void> read_signature();

  // The builtin.
  static vm::Outcome<vm::Value> call(vm::Call& call);
  vm::Outcome<void> check_arguments(const vm::Call& call) const;
  vm::Outcome<vm::Value> check_answer(vm::Value answer) const;
  vm::Outcome<vm::Value> carry_out(List arguments) const;

  std::string name_;
  std::string signature_;
  std::shared_ptr<const Function> function_;  // with calls that outlive their tasks
  std::shared_ptr<CallsUnderWay> calls_;
  Runs runs_ = Runs::Aside;
  std::vector<Param> params_;
  bytecode::TypeCheckPtr result_;
  Row row_;
};

}  // namespace harn::embed
