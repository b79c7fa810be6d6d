#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/spin_lock.h"
#include "vm/builtin.h"
#include "vm/task.h"

// Where shared cells, shared maps and mailboxes live. A scope such as `task_group` stands, in each task,
// for one place with an id such as "task_group:task_root"; things are found by that id and their name.
namespace harn::builtins {

constexpr std::string_view kDefaultScope = "task_group";

// "group_1f", or "" outside a group.
std::string task_group_text(const vm::Task& task);
// The id of the group, or of the root task outside a group: "task_group:task_root".
std::string task_group_scope_id(const vm::Task& task);
// The id of a scope in the running task. `options`, which may be null, can hold the tenant_id.
vm::Outcome<std::string> scope_id(vm::Call& call, std::string_view scope, const vm::DictObject* options);

struct ScopedName {
  std::string scope;  // its id
  std::string name;
};
// Reads argument 0 of a function that opens something: a name, or options with a scope and a name.
vm::Outcome<ScopedName> scoped_name(vm::Call& call);
// Reads a handle {_type, scope, NAME_FIELD}; false when the value is none of this type.
bool read_scoped_handle(const vm::Value& value, std::string_view type, std::string_view name_field, ScopedName& out);
vm::Value scoped_handle(std::string_view type, std::string_view name_field, const ScopedName& name);

// A text field of a dict, or null. The dict may be null.
const vm::StringObject* text_field(const vm::DictObject* dict, std::string_view key);

// The things of one kind in all scopes. They live as long as the program, so references to them stay
// good; each guards itself.
template <class T>
class ScopedStore {
 public:
  T* find(const ScopedName& name) {
    std::lock_guard lock(lock_);
    auto found = items_.find({name.scope, name.name});
    return found == items_.end() ? nullptr : found->second.get();
  }
  // `fill` is called, before anybody else sees it, for one that is new.
  template <class Fill>
  T& ensure(const ScopedName& name, Fill fill) {
    std::lock_guard lock(lock_);
    auto& slot = items_[{name.scope, name.name}];
    if (!slot) {
      slot = std::make_unique<T>();
      fill(*slot);
    }
    return *slot;
  }
  // In the order of scope and name.
  template <class Visit>
  void each(Visit visit) {
    std::lock_guard lock(lock_);
    for (auto& [key, item] : items_) visit(ScopedName{key.first, key.second}, *item);
  }

  // All of them, while nobody else looks.
  auto& items() { return items_; }

 private:
  SpinLock lock_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<T>> items_;
};

// What the runtime hands down to tasks under that name (`__scope_set`); nil: nothing.
vm::Value scope_value(const vm::Task& task, std::string_view name);

// A transferred value that many tasks read, with its owner's lock held: one with state is copied.
vm::Outcome<vm::Value> read_shared(const vm::Value& stored);

}  // namespace harn::builtins
