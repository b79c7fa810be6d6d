// Shared cells and maps: values that tasks find by scope and name. Each counts its versions, so that a
// task can read, compute and write only if nobody else wrote meanwhile.
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/task_scope.h"
#include "vm/pace.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

struct Counters {
  int64_t reads = 0;
  int64_t writes = 0;
  int64_t cas_successes = 0;
  int64_t cas_failures = 0;
  int64_t stale_reads = 0;  // writes that were refused because a snapshot was out of date
  int64_t version = 0;

  void count_write() {
    ++writes;
    ++version;
  }
};

struct SharedCell {
  static constexpr std::string_view kType = "shared_cell";
  SpinLock lock;
  Value value;
  Counters counters;
};

struct SharedMap {
  static constexpr std::string_view kType = "shared_map";
  using Values = std::map<std::string, Value, std::less<>>;
  SpinLock lock;
  Values values;
  Counters counters;

  const Value& get(std::string_view key) const {
    static const Value absent;
    auto found = values.find(key);
    return found == values.end() ? absent : found->second;
  }
  // Gives the value that was there.
  Value set(std::string_view key, Value value) {
    auto [place, is_new] = values.try_emplace(std::string(key));
    return std::exchange(place->second, std::move(value));
  }
  Value erase(std::string_view key) {
    auto found = values.find(key);
    return found == values.end() ? Value() : std::move(values.extract(found).mapped());
  }
};

struct SharedState {
  ScopedStore<SharedCell> cells;
  ScopedStore<SharedMap> maps;
};

template <class T>
ScopedStore<T>& store_of(Call& call);
template <>
ScopedStore<SharedCell>& store_of(Call& call) {
  return call.vm().local<SharedState>().cells;
}
template <>
ScopedStore<SharedMap>& store_of(Call& call) {
  return call.vm().local<SharedState>().maps;
}

// What the handle in argument 0 stands for.
template <class T>
Outcome<T*> opened(Call& call) {
  ScopedName name;
  T* found = read_scoped_handle(call.arg(0), T::kType, "key", name) ? store_of<T>(call).find(name) : nullptr;
  if (!found) return runtime_error(ErrorKind::Type, "{}: expected {} handle", call.row().name, T::kType);
  return found;
}

// The start value of something that is opened: the second argument, or `initial` in the options.
Value initial_value(Call& call) {
  if (call.arg(1).is_nil() && call.arg(0).is_dict()) {
    if (const Value* initial = call.arg(0).as_dict()->find("initial")) return *initial;
  }
  return call.take(1);
}

// ---- compare and swap ----

// What the caller believes to be there.
struct Expectation {
  Value value;
  bool is_snapshot = false;
  int64_t version = 0;

  explicit Expectation(const Value& given) : value(given) {
    const DictObject* dict = given.is_dict() ? given.as_dict() : nullptr;
    const StringObject* type = text_field(dict, "_type");
    const Value* seen = dict ? dict->find("version") : nullptr;
    if (!type || type->view() != "shared_snapshot" || !seen || !seen->is_int()) return;
    is_snapshot = true;
    version = seen->as_int();
    const Value* held = dict->find("value");
    value = held ? Value(*held) : Value();
  }

  // A snapshot of something that is not equal to itself (NaN, a closure) is good while the version is.
  bool matches(const Value& stored) const {
    if (equal(stored, value)) return true;
    bool has_state = stored.is_heap() && refs_of(stored.object()) > 0;
    return is_snapshot && (has_state || same(stored, value));
  }
};

// The lock of a cell or map. Values are compared and copied meanwhile, which may take a while.
class Hold {
 public:
  explicit Hold(SpinLock& lock) : lock_(lock) {}

 private:
  std::lock_guard<SpinLock> lock_;
  Undivided undivided_;
};

// With the lock held: whether the write may happen, counted either way. `matches` compares the values.
template <class Matches>
bool may_swap(Counters& counters, const Expectation& expected, Matches matches) {
  bool is_stale = expected.is_snapshot && expected.version != counters.version;
  if (is_stale) ++counters.stale_reads;
  bool may = !is_stale && matches();
  if (may) counters.count_write();
  ++(may ? counters.cas_successes : counters.cas_failures);
  return may;
}

// Several tasks may hold it at once.
bool is_frozen(const Value& value) { return !value.is_heap() || refs_of(value.object()) <= 0; }

// Compares what `stored` gives with what is expected and calls `swap` if it may. Large values are compared without the
// lock, and the answer is good if nobody has written meanwhile.
template <class T, class Stored, class Swap>
bool compare_and_swap(T& item, const Expectation& expected, Stored stored, Swap swap) {
  constexpr int kTries = 3;
  for (int tries = 0;; ++tries) {
    Value seen;
    int64_t version;
    {
      Hold hold(item.lock);
      if (tries == kTries || !is_frozen(stored())) {
        bool may = may_swap(item.counters, expected, [&] { return expected.matches(stored()); });
        if (may) swap();
        return may;
      }
      seen = stored();
      version = item.counters.version;
    }
    bool matches = expected.matches(seen);
    Hold hold(item.lock);
    if (item.counters.version != version) continue;
    bool may = may_swap(item.counters, expected, [&] { return matches; });
    if (may) swap();
    return may;
  }
}

Outcome<Value> snapshot(const Value& stored, const Counters& counters) {
  Value value = HARN_TRY(read_shared(stored));
  return DictBuilder()
      .add("_type", text_value("shared_snapshot"))
      .add("value", std::move(value))
      .add("version", Value::integer(counters.version))
      .done();
}

// ---- cells ----

Outcome<Value> shared_cell(Call& call) {
  ScopedName name = HARN_TRY(scoped_name(call));
  Value initial = HARN_TRY(transfer(initial_value(call)));
  store_of<SharedCell>(call).ensure(name, [&](SharedCell& cell) { cell.value = std::move(initial); });
  return scoped_handle(SharedCell::kType, "key", name);
}

Outcome<Value> shared_get(Call& call) {
  SharedCell& cell = *HARN_TRY(opened<SharedCell>(call));
  Hold hold(cell.lock);
  ++cell.counters.reads;
  return read_shared(cell.value);
}

Outcome<Value> shared_set(Call& call) {
  SharedCell& cell = *HARN_TRY(opened<SharedCell>(call));
  Value value = HARN_TRY(transfer(call.take(1)));
  Hold hold(cell.lock);
  cell.counters.count_write();
  return std::exchange(cell.value, std::move(value));
}

Outcome<Value> shared_snapshot(Call& call) {
  SharedCell& cell = *HARN_TRY(opened<SharedCell>(call));
  Hold hold(cell.lock);
  ++cell.counters.reads;
  return snapshot(cell.value, cell.counters);
}

Outcome<Value> shared_cas(Call& call) {
  SharedCell& cell = *HARN_TRY(opened<SharedCell>(call));
  Expectation expected(call.arg(1));
  Value value = HARN_TRY(transfer(call.take(2)));
  // The old value dies with `value`, when the lock is free again.
  return Value::boolean(compare_and_swap(
      cell, expected, [&]() -> const Value& { return cell.value; }, [&] { std::swap(cell.value, value); }));
}

// ---- maps ----

Outcome<Value> shared_map(Call& call) {
  ScopedName name = HARN_TRY(scoped_name(call));
  Value initial = initial_value(call);
  if (!initial.is_nil() && !initial.is_dict()) {
    return type_error("shared_map: initial must be a dict, got {}", type_name(initial));
  }
  if (initial.is_nil()) initial = new_dict();
  // One by one: entries that are taken out later must not share state with those that stay.
  SharedMap::Values values;
  for (auto [key, value] : initial.as_dict()->entries()) {
    values[std::string(key->view())] = HARN_TRY(transfer(*value));
  }
  store_of<SharedMap>(call).ensure(name, [&](SharedMap& map) { map.values = std::move(values); });
  return scoped_handle(SharedMap::kType, "key", name);
}

Outcome<Value> shared_map_get(Call& call) {
  SharedMap& map = *HARN_TRY(opened<SharedMap>(call));
  auto key = HARN_TRY(call.text(1));
  Hold hold(map.lock);
  ++map.counters.reads;
  auto found = map.values.find(key);
  return found == map.values.end() ? Outcome<Value>(call.take(2)) : read_shared(found->second);
}

Outcome<Value> shared_map_set(Call& call) {
  SharedMap& map = *HARN_TRY(opened<SharedMap>(call));
  auto key = HARN_TRY(call.text(1));
  Value value = HARN_TRY(transfer(call.take(2)));
  Hold hold(map.lock);
  map.counters.count_write();
  return map.set(key, std::move(value));
}

Outcome<Value> shared_map_delete(Call& call) {
  SharedMap& map = *HARN_TRY(opened<SharedMap>(call));
  auto key = HARN_TRY(call.text(1));
  Hold hold(map.lock);
  if (map.values.contains(key)) map.counters.count_write();
  return map.erase(key);
}

Outcome<Value> shared_map_entries(Call& call) {
  SharedMap& map = *HARN_TRY(opened<SharedMap>(call));
  std::vector<std::pair<std::string, Value>> read;
  {
    Hold hold(map.lock);
    ++map.counters.reads;
    read.reserve(map.values.size());
    for (auto& [key, stored] : map.values) read.emplace_back(key, HARN_TRY(read_shared(stored)));
  }
  Value entries = new_dict(read.size());
  for (auto& [key, value] : read) {
    step();
    dict_set(entries, key, std::move(value));
  }
  return entries;
}

Outcome<Value> shared_map_snapshot(Call& call) {
  SharedMap& map = *HARN_TRY(opened<SharedMap>(call));
  auto key = HARN_TRY(call.text(1));
  Hold hold(map.lock);
  ++map.counters.reads;
  return snapshot(map.get(key), map.counters);
}

Outcome<Value> shared_map_cas(Call& call) {
  SharedMap& map = *HARN_TRY(opened<SharedMap>(call));
  auto key = HARN_TRY(call.text(1));
  Expectation expected(call.arg(2));
  Value value = HARN_TRY(transfer(call.take(3)));
  Value old;  // dies when the lock is free again
  auto swap = [&] { old = value.is_nil() ? map.erase(key) : map.set(key, std::move(value)); };
  return Value::boolean(compare_and_swap(
      map, expected, [&]() -> const Value& { return map.get(key); }, swap));
}

// ---- metrics, scopes ----

template <class T>
Value metrics(const ScopedName& name, T& item) {
  Hold hold(item.lock);
  const Counters& counters = item.counters;
  return DictBuilder()
      .add("kind", text_value(T::kType))
      .add("scope", text_value(name.scope))
      .add("key", text_value(name.name))
      .add("read_count", Value::integer(counters.reads))
      .add("write_count", Value::integer(counters.writes))
      .add("cas_success_count", Value::integer(counters.cas_successes))
      .add("cas_failure_count", Value::integer(counters.cas_failures))
      .add("stale_read_count", Value::integer(counters.stale_reads))
      .add("version", Value::integer(counters.version))
      .done();
}

template <class T>
bool metrics_of(Call& call, Value& out) {
  ScopedName name;
  if (!read_scoped_handle(call.arg(0), T::kType, "key", name)) return false;
  T* item = store_of<T>(call).find(name);
  if (item) out = metrics(name, *item);
  return item != nullptr;
}

Outcome<Value> shared_metrics(Call& call) {
  if (call.arg(0).is_nil()) {
    auto all = new_list();
    auto add = [&](const ScopedName& name, auto& item) { all->push(metrics(name, item)); };
    store_of<SharedCell>(call).each(add);
    store_of<SharedMap>(call).each(add);
    return Value(std::move(all));
  }
  Value out;
  if (metrics_of<SharedCell>(call, out) || metrics_of<SharedMap>(call, out)) return out;
  return runtime_error("shared_metrics: expected shared_cell or shared_map handle");
}

Outcome<Value> shared_scope_id(Call& call) {
  auto scope = HARN_TRY(call.text_or(0, kDefaultScope));
  const DictObject* options = call.arg(1).is_nil() ? nullptr : HARN_TRY(call.dict(1));
  return text_value(HARN_TRY(scope_id(call, scope, options)));
}

// ---- putting away ----

void counter_fields(park::Archive& archive, Counters& counters) {
  for (int64_t* field : {&counters.reads, &counters.writes, &counters.cas_successes, &counters.cas_failures,
                         &counters.stale_reads, &counters.version}) {
    archive.number(*field);
  }
}
void fields(park::Archive& archive, SharedCell& cell) {
  archive.value(cell.value);
  counter_fields(archive, cell.counters);
}
void fields(park::Archive& archive, SharedMap& map) {
  archive.entries(
      map.values, [&](std::string& key) { archive.text(key); }, [&](Value& value) { archive.value(value); });
  counter_fields(archive, map.counters);
}
void shared_state_fields(park::Archive& archive, Vm& vm) {
  auto& state = vm.local<SharedState>();
  auto name = [&](std::pair<std::string, std::string>& name) {
    archive.text(name.first);
    archive.text(name.second);
  };
  auto own = [&](auto& item) {
    if (archive.is_reading()) item = std::make_unique<std::remove_reference_t<decltype(*item)>>();
    fields(archive, *item);
  };
  archive.entries(state.cells.items(), name, own);
  archive.entries(state.maps.items(), name, own);
}

constinit const Builtin kRows[] = {
    {.name = "shared_cas",
     .signature = "(cell: dict, expected_or_snapshot: any, value: any) -> bool",
     .doc = "Writes a shared cell if it still holds the expected value or is as the snapshot saw it.",
     .example = "shared_cas(shared_cell(\"n\", 1), 1, 2)",
     .call = shared_cas},
    {.name = "shared_cell",
     .signature = "(key_or_options: string | dict, initial?: any) -> dict",
     .doc = "Opens a cell that tasks share, by a key or by {scope, key, initial, tenant_id}.",
     .example = "shared_cell(\"n\", 1).key == \"n\"",
     .call = shared_cell},
    {.name = "shared_get",
     .signature = "(cell: dict) -> any",
     .doc = "The value of a shared cell.",
     .example = "shared_get(shared_cell(\"n\", 1)) == 1",
     .call = shared_get},
    {.name = "shared_map",
     .signature = "(key_or_options: string | dict, initial?: dict) -> dict",
     .doc = "Opens a map that tasks share, by a key or by {scope, key, initial, tenant_id}.",
     .example = "shared_map(\"memo\").key == \"memo\"",
     .call = shared_map},
    {.name = "shared_map_cas",
     .signature = "(map: dict, key: string, expected_or_snapshot: any, value: any) -> bool",
     .doc = "Writes an entry of a shared map, or removes it (nil), if it is as expected.",
     .example = "shared_map_cas(shared_map(\"memo\", {a: 1}), \"a\", 1, 2)",
     .call = shared_map_cas},
    {.name = "shared_map_delete",
     .signature = "(map: dict, key: string) -> any",
     .doc = "Removes an entry of a shared map and gives its value.",
     .example = "shared_map_delete(shared_map(\"memo\", {a: 1}), \"a\") == 1",
     .call = shared_map_delete},
    {.name = "shared_map_entries",
     .signature = "(map: dict) -> dict",
     .doc = "All entries of a shared map.",
     .example = "shared_map_entries(shared_map(\"memo\", {a: 1})) == {a: 1}",
     .call = shared_map_entries},
    {.name = "shared_map_get",
     .signature = "(map: dict, key: string, default?: any) -> any",
     .doc = "The value of a key in a shared map, or `default`.",
     .example = "shared_map_get(shared_map(\"memo\"), \"a\", 5) == 5",
     .call = shared_map_get},
    {.name = "shared_map_set",
     .signature = "(map: dict, key: string, value: any) -> any",
     .doc = "Writes an entry of a shared map and gives its previous value.",
     .example = "shared_map_set(shared_map(\"memo\", {a: 1}), \"a\", 2) == 1",
     .call = shared_map_set},
    {.name = "shared_map_snapshot",
     .signature = "(map: dict, key: string) -> {_type: string, value: any, version: int}",
     .doc = "The value of a key and the version of the shared map: {_type, value, version}.",
     .example = "shared_map_snapshot(shared_map(\"memo\", {a: 1}), \"a\").value == 1",
     .call = shared_map_snapshot},
    {.name = "shared_metrics",
     .signature = "() -> list<dict>; (handle: dict) -> dict",
     .doc = "What has been counted for a shared cell or map, or a list of all.",
     .example = "shared_metrics(shared_cell(\"n\")).read_count == 0",
     .call = shared_metrics},
    {.name = "shared_scope_id",
     .signature = "(scope?: string, options?: dict) -> string",
     .doc = "The id of a scope (task_group) in this task: SCOPE:ID.",
     .example = "shared_scope_id(\"tenant\", {tenant_id: \"acme\"}) == \"tenant:acme\"",
     .call = shared_scope_id},
    {.name = "shared_set",
     .signature = "(cell: dict, value: any) -> any",
     .doc = "Writes a shared cell and gives its previous value.",
     .example = "shared_set(shared_cell(\"n\", 1), 2) == 1",
     .call = shared_set},
    {.name = "shared_snapshot",
     .signature = "(cell: dict) -> {_type: string, value: any, version: int}",
     .doc = "The value and the version of a shared cell: {_type, value, version}.",
     .example = "shared_snapshot(shared_cell(\"n\", 1)).value == 1",
     .call = shared_snapshot},
};

}  // namespace

const park::PartRow kSharedStatePart = {"shared state", shared_state_fields};

std::span<const Builtin> shared_state_rows() { return kRows; }

}  // namespace harn::builtins
