#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bytecode/builtin_row.h"
#include "vm/capability.h"
#include "vm/dict.h"
#include "vm/error.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/pace.h"

// How C++ functions are bound into the language: one row each. The VM's binding, the arity check,
// the generated reference, `harn explain` and completion all come from the rows.
namespace harn::vm {

class Vm;
class Call;
struct HandleType;  // handle.h
class Scheduler;
struct Task;

using NativeFunction = Outcome<Value> (*)(Call& call);

// A builtin that may have to wait: it answers, fails, or parks the task in somebody's queue. Whoever
// wakes the task brings the answer.
enum class Step : uint8_t { Done, Failed, Parked };
class WaitCall;
using WaitFunction = Step (*)(WaitCall& call);
// The same without ceremony, for the few that tasks spend their time in. `first` is the first argument, where the program
// has it: a handle that several workers use is not counted for a call. The others, of `count` in all, are the call's own.
// `result` may be where `first` is. Failed means "ask `wait`" (or `call`), which knows what to say.
using QuickFunction = Step (*)(Task& task, const Value& first, Value* others, uint32_t count, Value& result);

// A set of receiver kinds, for methods.
using KindSet = uint64_t;
constexpr KindSet on(Kind kind) { return KindSet{1} << static_cast<unsigned>(kind); }
template <class... More>
constexpr KindSet on(Kind kind, More... more) {
  return on(kind) | on(more...);
}

using bytecode::BuiltinFlags;

struct Builtin {
  std::string_view name;               // "trim", "stream.map"; for a method "push"
  KindSet receiver = 0;                // a method: the kinds it exists on (argument 0 is the receiver)
  const HandleType* handle = nullptr;  // where one of these is Kind::Handle: the handles that have it
  bytecode::Signature signature;  // Harn: "<T>(text: string, width?: int, ...rest: T) -> list<T>"; a method's does not
                                  // list the receiver, whose items are `T` (of a dict `V`, of a pair `A` and `B`)
  std::string_view doc;           // one sentence
  std::string_view example;       // a Harn expression that must be true; may be empty for output
  Capability needs = Capability::None;
  BuiltinFlags flags = BuiltinFlags::None;
  NativeFunction call = nullptr;
  WaitFunction wait = nullptr;    // instead of `call`
  QuickFunction quick = nullptr;  // tried before `wait`, or before `call` where an argument is lent (vm/fused.def)
  std::string_view prelude = {};  // instead of `call`: the function in src/std/prelude.harn
};

// Whether a value has this method. Each type of handle has its own.
bool has_method(const Value& receiver, const Builtin& row);

// The arguments of one call and what the function needs to answer it. Arguments are numbered from
// 0; for a method, number 0 is the receiver. The count has been checked against the signature.
class Call {
 public:
  Call(Vm& vm, const Builtin& row, Value* args, uint32_t count) : vm_(vm), row_(row), args_(args), count_(count) {}

  Vm& vm() { return vm_; }
  const Builtin& row() const { return row_; }
  uint32_t count() const { return count_; }
  bool has(uint32_t i) const { return i < count_; }
  // Nil when it was not given.
  const Value& arg(uint32_t i) const { return i < count_ ? args_[i] : missing_argument(); }
  // Moves an argument out, so that it can be changed in place when nobody else holds it.
  Value take(uint32_t i) { return i < count_ ? std::move(args_[i]) : Value(); }
  std::span<Value> args() { return {args_, count_}; }

  // The argument as a kind, or a type error that quotes the signature.
  Outcome<std::string_view> text(uint32_t i);
  Outcome<int64_t> integer(uint32_t i);
  Outcome<double> number(uint32_t i);  // int or float
  Outcome<bool> boolean(uint32_t i);
  Outcome<const DictObject*> dict(uint32_t i);  // Dict or Struct
  Outcome<Ref<ListObject>> list(uint32_t i);    // ranges are written out
  Outcome<const SetObject*> set(uint32_t i);
  Outcome<std::string_view> bytes(uint32_t i);
  // Defaults for arguments that were left out (explicit nil counts as left out).
  Outcome<int64_t> integer_or(uint32_t i, int64_t otherwise);
  Outcome<std::string_view> text_or(uint32_t i, std::string_view otherwise);

  // The error for an argument of the wrong kind; `expected` reads as "a string".
  std::unexpected<Thrown> wrong_type(uint32_t i, std::string_view expected) const;

  static Value new_text(std::string_view text) { return text_value(text); }

 private:
  static const Value& missing_argument();

  Vm& vm_;
  const Builtin& row_;
  Value* args_;
  uint32_t count_;
};

// A call of a builtin that may wait.
class WaitCall : public Call {
 public:
  WaitCall(Vm& vm, const Builtin& row, Value* args, uint32_t count, Task& task, bool is_retry)
      : Call(vm, row, args, count), task_(task), is_retry_(is_retry) {}

  Task& task() { return task_; }
  Scheduler& scheduler();
  // The task was woken to ask again (Wake::Retry, or an interrupted wait).
  bool is_retry() const { return is_retry_; }

  Step done(Value value) {
    result = std::move(value);
    return Step::Done;
  }
  Step fail(std::unexpected<Thrown> why) {
    error = std::move(why).error();
    return Step::Failed;
  }
  Step fail(Thrown why) {
    error = std::move(why);
    return Step::Failed;
  }

  Value result;  // Step::Done
  Thrown error;  // Step::Failed

 private:
  Task& task_;
  bool is_retry_;
};

// A row for a function that keeps its worker busy while it waits for the world outside: the task looks
// whether it was told to stop as soon as the function returns.
template <NativeFunction Function>
Step blocking(WaitCall& call) {
  Outcome<Value> outcome = Function(call);
  return outcome ? call.done(std::move(*outcome)) : call.fail(std::move(outcome).error());
}

// The table of all builtins and methods.
class BuiltinTable {
 public:
  // The families' rows; the table keeps pointers into them.
  explicit BuiltinTable(std::span<const std::span<const Builtin>> families);
  ~BuiltinTable();
  BuiltinTable(const BuiltinTable&) = delete;

  const Builtin* find(std::string_view name) const;
  // The place of that function among `by_id`.
  std::optional<uint32_t> find_id(std::string_view name) const;
  const Builtin* find_method(const Value& receiver, std::string_view name) const;
  // The method that `value.name` means where it is not called.
  const Builtin* find_property(const Value& receiver, std::string_view name) const;
  // Rows by the number that the code of programs has for them.
  const Builtin* const* by_id() const { return by_id_; }
  // All rows in name order: functions, then methods.
  std::span<const Builtin* const> rows() const;

 private:
  struct Impl;
  Impl* impl_;
  const Builtin* const* by_id_;
};

}  // namespace harn::vm
