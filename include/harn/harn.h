#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Harn inside another program: make a VM, load a program, call its functions, give it functions of your own.
//
//   harn::embed::Vm vm({.deny = {"process", "network"}});
//   vm.add_function("price_of", "(item: string) -> float", [](const auto& args) { return prices.at(args[0].text()); });
//   if (auto loaded = vm.load_file("shop.harn"); !loaded) return report(loaded.diagnostics);
//   harn::embed::Result<harn::embed::Value> total = vm.call("total", {harn::embed::List{"tea", "cake"}});
//
// This is the only header. It needs C++23, and nothing but the standard library. No function throws, except for lack of
// memory: what can fail gives a Result. Several VMs may live in one process; they have nothing in common.
// docs/embedding.md has the whole story.
namespace harn::embed {

class Value;
using List = std::vector<Value>;
using Dict = std::map<std::string, Value>;

struct Bytes {
  std::string octets;
  bool operator==(const Bytes&) const = default;
};

// A value of a program, as plain data. The host owns it: it has no connection to a VM and may go from thread to thread.
//
// What a program gives becomes: nil, bool, int, float, string and bytes themselves; lists, ranges and sets a List; pairs
// a List of two; dicts and structs a Dict; enums (and so Result) a Dict with `enum`, `variant` and `values`. Functions,
// tasks, channels and other handles are no data: a call that gives one fails with the kind `unsupported`.
class Value {
 public:
  using Data = std::variant<std::nullptr_t, bool, int64_t, double, std::string, Bytes, List, Dict>;

  Value();  // nil
  Value(std::nullptr_t) : Value() {}
  Value(std::same_as<bool> auto value) : data_(value) {}  // no pointers
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : data_(static_cast<int64_t>(value)) {}
  Value(std::floating_point auto value) : data_(double{value}) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(std::string text) : data_(std::move(text)) {}  // UTF-8; other octets are Bytes
  Value(Bytes bytes) : data_(std::move(bytes)) {}
  Value(List items) : data_(std::move(items)) {}
  Value(Dict fields) : data_(std::move(fields)) {}
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  bool is_nil() const { return is<std::nullptr_t>(); }
  bool is_bool() const { return is<bool>(); }
  bool is_int() const { return is<int64_t>(); }
  bool is_float() const { return is<double>(); }
  bool is_text() const { return is<std::string>(); }
  bool is_bytes() const { return is<Bytes>(); }
  bool is_list() const { return is<List>(); }
  bool is_dict() const { return is<Dict>(); }

  // What the value is, or what nothing looks like when it is something else: false, 0, "", an empty list. A host
  // function whose signature says what an argument is need not ask first.
  bool boolean() const { return get_or<bool>(); }
  int64_t integer() const { return is_float() ? static_cast<int64_t>(get_or<double>()) : get_or<int64_t>(); }
  double number() const { return is_int() ? static_cast<double>(get_or<int64_t>()) : get_or<double>(); }
  const std::string& text() const { return get_or<std::string>(); }
  const Bytes& bytes() const { return get_or<Bytes>(); }
  const List& items() const;
  const Dict& fields() const;
  // A field of a dict; nil when there is none.
  const Value& operator[](std::string_view field) const;
  // An item of a list; nil when there is none.
  const Value& operator[](size_t index) const;

  const Data& data() const { return data_; }
  bool operator==(const Value& other) const;

 private:
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(data_);
  }
  template <class T>
  const T& get_or() const {
    static const T nothing{};
    auto* held = std::get_if<T>(&data_);
    return held ? *held : nothing;
  }

  Data data_;
};

// What went wrong in a program, or with it.
struct Error {
  // One of the kinds of docs/language.md: "type", "denied", "not_found", "timeout", ...; "thrown" when the program threw a
  // value of its own. Branch on this, show `message`.
  std::string kind;
  std::string message;
  std::string code;                    // finer than the kind, where there is one: "network.access", "HARN-PAR-001"
  std::string category;                // as `error_category` gives it: "tool_rejected", "transient_network", ...
  Value value;                         // what the program threw; of other errors the details, a dict, or nil
  std::vector<std::string> trace;      // "at total (shop.harn:3:5)", innermost first
  std::shared_ptr<const Error> cause;  // the error it comes from, or null
};

template <class T>
using Result = std::expected<T, Error>;

// For host functions: `return harn::embed::fail("not_found", "no such item")`. A kind that Harn does not know is `runtime`.
std::unexpected<Error> fail(std::string kind, std::string message, std::string code = {});

enum class Stream { Out, Err };

// What happens in a program while it runs.
struct Event {
  enum class Kind {
    TaskStarted,  // `task`, by `parent`
    TaskEnded,    // `task`; with `error` when it failed
    TaskFailed,   // `task` has ended with `error`, and nobody asks for its result any more: it would go unseen
    Ended,        // the program: no event comes after it
  };
  Kind kind;
  std::string task;    // "vm_task_3"; a call from outside is a task, too
  std::string parent;  // "task_root" for the program itself
  std::optional<Error> error;
};

struct Options {
  // What the program may do: names of capabilities, such as "process.exec" and "network.access"; "process" stands for all
  // that begin with "process.", "*" for all but writing to its own output. An empty `allow` allows what is not denied;
  // `deny` wins. What is not allowed fails with the kind `denied`. `harn builtins` tells which builtin needs what.
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  std::optional<uint64_t> seed;   // all random numbers follow from it
  unsigned workers = 0;           // threads that run tasks; 0: one for each processor
  int64_t while_limit = 10'000;   // passes of one `while`; 0: no limit
  std::vector<std::string> argv;  // what the program sees as `argv`

  // What the program writes, whole lines as a rule. Without it: the standard streams of the process.
  std::function<void(Stream stream, std::string_view text)> output;
  // The next line of its input, without the end of the line; nothing at the end. Without it there is no input.
  std::function<std::optional<std::string>()> input;
  // What happens. Without it, failures that go unseen are written to Stream::Err.
  std::function<void(const Event& event)> events;
  // `output` and `events` are called one at a time, on threads of the VM. They must not wait for the VM, and so not call it.
};

// A problem in a program.
struct Diagnostic {
  enum class Severity { Error, Warning, Info };
  Severity severity = Severity::Error;
  std::string code;  // "HARN-PAR-001": `harn explain` tells more
  std::string message;
  std::string file;
  uint32_t line = 0;    // from 1
  uint32_t column = 0;  // from 1, in characters
  std::string help;     // what to do; may be empty
};

// What came of loading a program.
struct Loaded {
  std::vector<Diagnostic> diagnostics;  // problems, and warnings when there are no problems
  // Why there is no program to call: kind `not_found` or `io`: the file cannot be read; `invalid`: the diagnostics say why;
  // others: its top level has failed.
  std::optional<Error> error;
  Value value;        // of the top level's last expression, when it is plain data
  std::string entry;  // the pipeline that `harn run` would call; empty when there is none
  explicit operator bool() const { return !error; }
};

// The arguments of one call of a host function.
class Arguments {
 public:
  size_t size() const { return values_.size(); }
  // Nil when it was not given.
  const Value& operator[](size_t index) const;
  const List& values() const { return values_; }
  // Nobody waits for the answer any more: the task was cancelled, or its deadline has passed. A function that takes
  // long may look now and then, on any thread while it runs.
  bool is_cancelled() const { return is_cancelled_.load(std::memory_order_relaxed); }

 private:
  friend class HostFunction;
  List values_;
  std::atomic<bool> is_cancelled_{false};
};

using Function = std::function<Result<Value>(const Arguments& arguments)>;

// Where a host function runs.
enum class Runs {
  Aside,   // on a thread of its own: it may wait, and it may call the VM. The task waits, others go on
  InTask,  // on the thread of the task, which costs a tenth of a microsecond instead of twenty: it must not wait
};

// One program and what it needs to run: tasks, workers, a policy. It has a thread of its own, so all functions may be
// called on any thread, except in `output`, `events` and functions that run in their task. It can be moved, but not while
// others use it.
class Vm {
 public:
  explicit Vm(Options options = {});
  // Stops the program: calls that wait are answered by an error of kind `cancelled`, tasks are cancelled and clean up
  // (two seconds at most), host functions that still run are waited for.
  ~Vm();
  Vm(Vm&&) noexcept;
  Vm& operator=(Vm&&) noexcept;

  // Gives the program a function, before it is loaded. It is called like a builtin and is one to the compiler. The signature
  // is written in Harn: "(id: int, limit?: int, ...tags: string) -> list<string>". Arguments that do not fit it are type
  // errors of the program, before the function is called; an answer that does not fit is one, too.
  // Needs the capability `host.call`. Fails when the name is taken or is no name, or the signature cannot be read.
  Result<void> add_function(std::string name, std::string signature, Function function, Runs runs = Runs::Aside);

  // Loads a file, with what it imports, or a text that is in none; runs its top level and waits for that. Once.
  Loaded load_file(const std::string& path);
  Loaded load_text(std::string name, std::string text);

  // Calls a function of the loaded program, or a pipeline, and waits for its answer. Each call is a task of its own: many
  // threads may call at the same time. It begins with the program's variables as they are when it begins.
  Result<Value> call(std::string function, List arguments = {});
  // The same without waiting. `answered` is called once, on a thread of the VM: it must not wait.
  void start(std::string function, List arguments, std::function<void(Result<Value> answer)> answered);

  // Asks the program to stop: everything unwinds, clean-up code runs. May be called while `load_file` waits.
  void stop();
  // Ends the program when all calls that were made are answered, and waits for that. Fails when its clean-up code fails.
  Result<void> finish();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with calls under way
};

}  // namespace harn::embed
