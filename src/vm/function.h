#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bytecode/code.h"
#include "bytecode/task_variables.h"
#include "vm/builtin.h"
#include "vm/instruction.h"
#include "vm/value.h"

namespace harn::bytecode {
class Liveness;
}

// Code as the interpreter runs it, closures, and the stacks they run on.
//
// A Unit owns everything that was linked for one program; the VM keeps its units until it ends, so prototypes may be
// pointed at from anywhere. All workers run the same prototypes: what changes in them is one word at a time (inline
// caches) or is made once. A Coroutine is a task's or a generator's, and used by the thread that runs it.
namespace harn::vm {

struct Globals;  // globals.h
struct HandleObject;
struct Lock;  // sync.h
struct Unit;
struct Environment;  // environment.h

// What one place in the code remembers about the values it has seen. One word, so that a reader never
// sees half of an update.
struct InlineCache {
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  uint64_t word = kEmpty;
  uint64_t key() const { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
  void set(uint64_t key) { __atomic_store_n(&word, key, __ATOMIC_RELAXED); }
  // The same for an object that whoever sets it may have just made: others see it whole.
  uint64_t found() const { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
  void publish(uint64_t key) { __atomic_store_n(&word, key, __ATOMIC_RELEASE); }
  StringObject* name = nullptr;  // interned
  uint64_t declaration = 0;      // JumpIfNotVariant: the enum's
};
constexpr uint64_t cache_key(const void* pointer, uint32_t small) {
  return reinterpret_cast<uint64_t>(pointer) << 16 | small;
}
inline const void* cache_pointer(uint64_t key) { return reinterpret_cast<const void*>(key >> 16); }

// A code object linked to values.
struct Prototype {
  const Instruction* start = nullptr;
  Value* constants = nullptr;
  InlineCache* caches = nullptr;
  Value* library = nullptr;  // code of the prelude: its functions, the same for all tasks
  static constexpr uint32_t kRegisterGroup = 4;
  uint32_t registers = 0;  // whole groups
  uint32_t required = 0;
  uint32_t params = 0;
  bool has_rest = false;
  bool cleans_up = false;  // it has defer, finally and the like
  // Generators of the prelude that are known by what they do with an iterator and a callback (leaf.h).
  enum class Stage : uint8_t { None, Map, Filter };
  Stage stage = Stage::None;
  // Calls with exactly this many arguments need nothing but a frame; kNeverExact: no call does.
  static constexpr uint32_t kNeverExact = UINT32_MAX;
  uint32_t exact_args = kNeverExact;
  // The same where parameters have types that the kinds of the arguments decide: when those fit, a call goes on
  // behind the checks.
  uint32_t typed_args = kNeverExact;
  uint32_t number_args = kNeverExact;    // of those that numbers fit, whichever parameter they are for
  const KindSet* param_kinds = nullptr;  // by parameter
  const Instruction* checked_start = nullptr;
  Prototype** functions = nullptr;
  Shape** shapes = nullptr;               // by constant index, for lists of keys
  const KindSet* quick_checks = nullptr;  // by check: the kinds that fit, whatever the value
  const bytecode::Code* code = nullptr;
  Unit* unit = nullptr;

  // The same, but no call takes the fast way: for closures with an environment of their own.
  bool is_twin = false;
  Prototype* bound_twin();
  // The program variables that this code and what it calls by name may use.
  const bytecode::ReachedVariables& reached();
  // Which registers are read later. Found when first asked for.
  const bytecode::Liveness& liveness() const {
    const bytecode::Liveness* known = __atomic_load_n(&known_liveness, __ATOMIC_ACQUIRE);
    return known ? *known : find_liveness();
  }
  const bytecode::Liveness& find_liveness() const;
  mutable const bytecode::Liveness* known_liveness = nullptr;
  mutable uint8_t known_leaf = 0;  // see leaf.cpp
};

struct ClosureObject : Object {
  static constexpr uint8_t kBound = 1;  // flags: it has an environment, see environment.h
  Prototype* proto;
  uint32_t count;
  Value* captures() { return reinterpret_cast<Value*>(this + 1); }
};
// Captures are nil; `more`: places behind them.
Ref<ClosureObject> new_closure(Prototype* proto, uint32_t more = 0);

// A loaded program. The prelude is one, the user's program another.
struct Unit {
  Unit(std::unique_ptr<bytecode::Program> program, const BuiltinTable& builtins);
  ~Unit();

  std::unique_ptr<bytecode::Program> program;
  std::vector<Prototype*> starts;  // by module
  std::vector<Value> library;      // the prelude's functions; a program's variables are its tasks'

  // Found when first asked for, by any thread.
  Prototype* bound_twin(Prototype& proto);
  const bytecode::ReachedVariables& reached(const Prototype& proto);
  const bytecode::Liveness& liveness(const Prototype& proto);

 private:
  Prototype* link(const bytecode::Code& code, const BuiltinTable& builtins);
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

struct Frame {
  Prototype* proto;
  ClosureObject* closure;
  const Instruction* pc;  // where to go on
  uint32_t base;          // first register, as an index into the stack
  uint32_t result;        // where the caller wants the value, likewise
  // What leaving the frame means besides.
  static constexpr uint8_t kOwnsClosure = 1;   // it holds a count on it
  static constexpr uint8_t kSwitchesBack = 2;  // the caller has other program variables
  static constexpr uint8_t kClosesKept = 4;    // generators of the frames it replaced are closed (Coroutine::kept)
  uint8_t duties;
  bool after_tail_call = false;  // it took the place of frames that a trace would show

  // The word behind the instruction that runs, and one of the instruction itself. (A task may be told to stop before
  // a function's first instruction.)
  uint32_t next_word() const { return static_cast<uint32_t>(pc - proto->start); }
  uint32_t at() const { return std::max(next_word(), 1u) - 1; }
};

// What a scope has of a lock (sync.h): a permit, or it is a `mutex` block.
struct HeldPermit {
  Lock* block = nullptr;  // null: a permit
  union {
    int64_t since = 0;     // a block: when it was entered
    HandleObject* permit;  // one reference
  };
};

// What the scopes of a coroutine hold, the innermost last. A `mutex` block is in and out again within a few
// instructions, so the first ones have their places here, and taking one off moves nothing.
class HeldPermits {
 public:
  size_t size() const { return size_; }
  void add(HeldPermit held) {
    if (size_ < kNear) [[likely]]
      near_[size_] = held;
    else far_.push_back(held);
    ++size_;
  }
  const HeldPermit& at(size_t number) const { return number < kNear ? near_[number] : far_[number - kNear]; }
  const HeldPermit& last() const { return size_ <= kNear ? near_[size_ - 1] : far_.back(); }
  // The reference to a permit is the caller's from now on.
  HeldPermit take_last() {
    HeldPermit last = this->last();
    drop_last();
    return last;
  }
  void drop_last() {
    if (size_-- > kNear) [[unlikely]]
      far_.pop_back();
  }
  HeldPermits() = default;
  HeldPermits(const HeldPermits&) = delete;
  ~HeldPermits();

 private:
  static constexpr size_t kNear = 4;
  size_t size_ = 0;
  HeldPermit near_[kNear];
  std::vector<HeldPermit> far_;
};

// A stack of frames and their registers: the main program, or a generator. Suspending one costs
// nothing: it is simply not the one that runs.
struct Coroutine {
  Coroutine() = default;
  Coroutine(const Coroutine&) = delete;
  ~Coroutine() { clear(); }
  void clear();  // frees everything

  Value* stack = nullptr;
  uint32_t stack_size = 0;
  Frame* frames = nullptr;
  uint32_t frame_count = 0;
  uint32_t frame_capacity = 0;
  uint32_t frames_below = 0;             // of those that wait for this one's next value, all together
  Coroutine* resumer = nullptr;          // a generator: who is waiting for the next value
  GeneratorObject* generator = nullptr;  // a generator's own coroutine

  // How the value this one waits for is delivered: to a register, to a for loop, as `.next()` gives it.
  // Nothing: it only waits until a generator has been closed.
  enum class Await : uint8_t { Register, ForLoop, Next, Nothing };
  Await await = Await::Register;
  uint32_t await_register = 0;               // index into the stack
  const Instruction* await_value = nullptr;  // ForLoop: where to go with a value
  IterObject* await_iter = nullptr;          // ForLoop over an Iter: marked exhausted at the end

  std::unique_ptr<HeldPermits> permits;  // what its scopes hold (sync.h)
  bool is_closing = false;               // a generator that nobody will pull from again: only its clean-up code runs
  // Those that were dropped together with it and are closed after it (Task::first_closing).
  GeneratorObject* next_closing = nullptr;
  GeneratorObject* last_closing = nullptr;

  // What frames dropped that gave way to a tail call: it is closed when the frame in their place is left, as it
  // would be without the tail call. The innermost frame's last.
  struct Kept {
    uint32_t frame;
    GeneratorObject* first;
    GeneratorObject* last;
  };
  std::unique_ptr<std::vector<Kept>> kept;

  // A generator whose program variables are not those of the task that runs it.
  Value environment;          // nil: they are
  bool has_switched = false;  // while it runs: back to the resumer's when it yields

  void grow_stack(uint32_t at_least);
  void grow_frames();
};

struct GeneratorObject : Object {
  static constexpr uint8_t kStream = 1;   // flags: made by a `gen fn`
  static constexpr uint8_t kBegun = 2;    // flags: somebody has pulled from it
  static constexpr uint8_t kWatched = 4;  // flags: counted in Task::watched
  enum class State : uint8_t { Suspended, Running, Done };
  State state;
  Coroutine* coroutine;  // null once it is done
};
Ref<GeneratorObject> new_generator(uint8_t flags);  // suspended, without a coroutine
// If a generator that nobody will pull from again has clean-up code, the task that runs now holds it until that has run.
bool close_soon(GeneratorObject* generator);

// Program variables that are about to go let go of generators, which may have to be closed, and of closures that may
// hold some; not of plain functions, which that may need. `own`: of all that is not shared with other tasks.
void drop_generators(Globals& globals, bool own);

// The handler that gets an error thrown where the frame is; null when the frame is left. `cleanup_only`: for errors
// that no `catch` sees.
const bytecode::Handler* find_handler(const Frame& frame, bool cleanup_only);

// A constant as a value.
Value linked(const bytecode::Data& data);

}  // namespace harn::vm
