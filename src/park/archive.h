#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/encoding.h"
#include "base/wire.h"
#include "park/code_map.h"
#include "vm/channel.h"
#include "vm/function.h"
#include "vm/globals.h"
#include "vm/standstill.h"
#include "vm/task.h"

// How the state of a program gets into bytes and out of them.
//
// Whatever has state says once which fields it has, to an Archive. That looks at them (what is there, and can all of it
// travel?), writes them, or reads them:
//
//   void fields(Archive& archive, Atomic& atomic) { archive.number(atomic.number); }
//
// Things with an identity (closures, cells, tasks, channels, ...) are objects: they have a number, and everybody who
// holds one refers to it. When reading, all objects are made before the first of them gets its fields, so they may refer
// to each other in any way.
namespace harn::park {

class Archive;

// A kind of handle that can travel.
struct HandleRow {
  const vm::HandleType* type;
  std::string_view name;  // in files
  vm::Value (*make)(vm::Vm& vm);
  void (*fields)(Archive& archive, vm::HandleObject& handle);
  vm::FinishHook* (*hook)(vm::HandleObject& handle) = nullptr;  // what its tasks tell when they end
};

// State that belongs to the VM: that of a family of builtins.
struct PartRow {
  std::string_view name;  // in files
  void (*fields)(Archive& archive, vm::Vm& vm);
};

struct Kinds {
  std::vector<const HandleRow*> handles;
  std::vector<const PartRow*> parts;
};

class Archive final : data::Objects {
 public:
  enum class Mode : uint8_t { Look, Write, Read };

  // Looks, and writes afterwards.
  Archive(vm::Vm& vm, const CodeMap& code, const Kinds& kinds, std::string& out);
  // Reads.
  Archive(vm::Vm& vm, const CodeMap& code, const Kinds& kinds, std::string_view bytes);
  ~Archive();
  Archive(const Archive&) = delete;

  // Empty, or why not.
  std::string look();
  void write();
  std::optional<data::DecodeError> read();

  // ---- for whoever has fields ----
  bool is_reading() const { return mode_ == Mode::Read; }
  bool is_looking() const { return mode_ == Mode::Look; }
  vm::Standstill& still() { return still_; }
  vm::Vm& vm() { return still_.vm(); }

  // Why it cannot travel: "task vm_task_1 ...". The first one counts.
  void refuse(std::string why);
  // What was read makes no sense.
  void fail(std::string_view what);
  bool is_good() const;

  template <class T>
  requires(std::unsigned_integral<T> || std::is_enum_v<T>) void number(T& value) {
    auto wide = static_cast<uint64_t>(value);
    wide_number(wide, std::is_same_v<T, bool> ? 1 : static_cast<uint64_t>(static_cast<T>(~uint64_t{0})));
    value = static_cast<T>(wide);
  }
  // One of an enum whose last value is `most`.
  template <class T>
  void choice(T& value, T most) {
    auto wide = static_cast<uint64_t>(value);
    wide_number(wide, static_cast<uint64_t>(most));
    value = static_cast<T>(wide);
  }
  void number(int64_t& value);
  template <class T>
  void number(std::atomic<T>& value) {
    T plain = value.load(std::memory_order_relaxed);
    number(plain);
    value.store(plain, std::memory_order_relaxed);
  }
  void word(uint64_t& value);  // all numbers are equally likely
  void text(std::string& value);
  // A text that lives as long as the process, or null.
  void text(const char*& value);
  void value(vm::Value& value);
  // How many of something follow that take a byte each at least.
  void count(size_t& size);
  template <class Items, class Each>
  void items(Items& all, Each each) {
    size_t size = all.size();
    count(size);
    if (is_reading()) all.resize(is_good() ? size : 0);
    for (auto& item : all) {
      if (!is_good()) return;
      each(item);
    }
  }

  // A map: keys and what is under them.
  template <class Map, class EachKey, class Each>
  void entries(Map& all, EachKey each_key, Each each) {
    size_t size = all.size();
    count(size);
    if (!is_reading()) {
      for (auto& [key, item] : all) {
        auto copy = key;
        each_key(copy);
        each(item);
      }
      return;
    }
    for (; size > 0 && is_good(); --size) {
      typename Map::key_type key{};
      each_key(key);
      each(all[std::move(key)]);
    }
  }

  // Objects. What is read is not counted: the archive holds it until it is done.
  template <class T>
  void object(T*& object, vm::Kind kind) {
    object = static_cast<T*>(any_object(object, kind, nullptr));
  }
  template <class T>
  void handle(T*& handle, const vm::HandleType& type) {
    handle = static_cast<T*>(static_cast<vm::HandleObject*>(any_object(handle, vm::Kind::Handle, &type)));
  }
  template <class T>
  void handle(vm::Ref<T>& handle, const vm::HandleType& type) {
    T* held = handle.get();
    this->handle(held, type);
    if (is_reading()) handle = vm::Ref<T>::share(held);
  }
  void error(vm::Thrown& error);
  void globals(vm::GlobalsRef& globals);
  void lock(vm::Lock*& lock);
  // Reading: somebody is in the `mutex` block.
  void note_inside(const vm::Lock* block) { ++held_blocks_[block]; }
  void builtin(const vm::Builtin*& row);
  // A function of the program or its prelude; null when reading has failed.
  void prototype(vm::Prototype*& proto);
  void code(const bytecode::Code*& code);
  // A struct or enum declaration.
  void declaration(uint64_t& id);
  const Declaration* find_declaration(uint64_t id) const { return code_.find_declaration(id); }
  bool is_boundary(const bytecode::Code& code, uint32_t word) { return code_.is_boundary(code, word); }

  // Who waits in it.
  void queue(vm::WaitQueue& queue);
  void timer(vm::Timer& timer);
  // A stack of frames: null, that of a generator, or the root of the task.
  void coroutine(vm::Coroutine*& coroutine, vm::Task& task);
  // Which coroutines wait for a value: what others remember of that is out of date.
  void note_awaiting(const vm::Coroutine* coroutine) { awaiting_.insert(coroutine); }
  bool is_awaiting(const vm::Coroutine* coroutine) const { return awaiting_.contains(coroutine); }
  // Reading: the tasks that `task` has started and that have not ended, in their order.
  void set_children(vm::Task& task, std::vector<vm::Task*> children) { children_[&task] = std::move(children); }
  // The task whose list a cell is in; null: it is on its way.
  void owner_of(vm::CellObject& cell);
  vm::FinishHook* hook_of(vm::HandleObject& handle) const;
  const HandleRow* row_of(const vm::HandleType* type) const;
  const HandleRow* handle_row(std::string_view name) const;

  // Reading: called when all objects have their fields, to tie them together and to see whether they fit. And what may
  // only be done when all of them do: counts, and what the VM then knows of.
  template <class Finish>
  void afterwards(Finish finish) {
    if (is_reading()) finishers_.push_back(std::move(finish));
  }
  template <class Finish>
  void at_last(Finish finish) {
    if (is_reading()) last_finishers_.push_back(std::move(finish));
  }

 private:
  struct Entry {
    vm::Value object;
    bool is_frozen = false;
    bool holds_functions = false;  // and is frozen: see transfer.h
  };
  struct Waiting {
    vm::WaitQueue* queue;
    vm::Task* task;
    size_t place;
  };
  struct Set {
    vm::Timer* timer;
    vm::Nanoseconds due;
    uint64_t order;
  };

  void wide_number(uint64_t& value, uint64_t most);
  vm::Object* any_object(vm::Object* object, vm::Kind kind, const vm::HandleType* type);
  // Everything but the objects, which `state` leads to.
  void state();
  void clock();
  void locks();
  void lock_name(std::string& key);  // of a `mutex` block
  void parts();
  void line();
  void make_objects();
  void all_fields();
  void fields_of(Entry& entry);
  static size_t place_of(const vm::Waiter& waiter);
  void connect_waiters();
  void check_tasks();
  void check_blocks();
  void let_go();
  void set_timers();
  void settle();

  // data::Objects
  std::optional<uint64_t> number_of(const vm::Value& object) override;
  std::string why_not() override;
  uint64_t number_of(const vm::Builtin* builtin) override;
  vm::Value object(uint64_t number) override;
  vm::Value any_object(uint64_t number);  // the root task, too
  const vm::Builtin* builtin(uint64_t number) override;

  Mode mode_;
  vm::Standstill still_;
  const Kinds& kinds_;
  CodeMap code_;
  std::string refused_;
  std::string object_why_;  // of number_of
  // Writing.
  data::ValuesWriter values_;
  std::string no_out_;
  std::string& out_;
  WireWriter wire_;
  std::unordered_map<const vm::Object*, uint64_t> numbers_;
  std::unordered_map<const vm::Globals*, uint64_t> block_numbers_;
  std::unordered_map<const vm::Lock*, uint64_t> lock_numbers_;
  std::unordered_map<const vm::Coroutine*, vm::GeneratorObject*> generators_;
  std::unordered_map<const vm::CellList*, uint64_t> cell_lists_;  // whose they are, as the number of the task
  std::unordered_set<const vm::Coroutine*> awaiting_;
  std::unordered_map<const vm::Builtin*, uint64_t> builtin_numbers_;
  // Reading.
  data::ValuesReader reader_;
  std::vector<Waiting> waiting_;
  std::vector<Set> timers_;
  std::vector<std::function<void()>> finishers_, last_finishers_;
  std::vector<std::pair<vm::CellObject*, uint64_t>> cell_owners_;
  std::unordered_map<vm::Task*, std::vector<vm::Task*>> children_;
  // Both.
  std::vector<Entry> objects_;
  std::vector<vm::GlobalsRef> blocks_;
  std::vector<vm::Lock*> locks_;
  std::unordered_map<const vm::Lock*, size_t> held_blocks_;  // reading: by how many
};

}  // namespace harn::park
