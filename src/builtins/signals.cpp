// What std/signal is made of: handlers that the program registers for SIGINT, SIGTERM and SIGHUP.
#include <signal.h>

#include <mutex>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "builtins/parking.h"
#include "effects/stdio.h"
#include "vm/scheduler.h"
#include "vm/transfer.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

struct Handler {
  int64_t id;
  Value callable;
  std::vector<int> signals;
  bool once;
  int64_t timeout_ms;  // 0: none
};

struct Handlers {
  SpinLock lock;
  std::vector<Handler> all;
  int64_t ids = 0;
};

Outcome<int> signal_number(const Value& name) {
  struct Known {
    std::string_view name;
    int number;
  };
  static constexpr Known kKnown[] = {{"SIGINT", SIGINT}, {"SIGTERM", SIGTERM}, {"SIGHUP", SIGHUP}};
  std::string text = display(name);
  for (const Known& known : kKnown) {
    if (known.name == text) return known.number;
  }
  return runtime_error(ErrorKind::Invalid,
                       "on_interrupt: unknown signal '{}'; SIGINT, SIGTERM and SIGHUP can be handled", text);
}

Outcome<std::vector<int>> signals_of(const DictObject& options) {
  const Value* given = options.find("signals");
  if (!given || given->is_nil()) return std::vector<int>{SIGINT};
  if (!is_list_like(*given)) return type_error("on_interrupt: signals must be a list, got {}", type_name(*given));
  std::vector<int> out;
  for (size_t i = 0; i < list_size(*given); ++i) {
    int number = HARN_TRY(signal_number(list_item(*given, i)));
    out.push_back(number);
  }
  return out;
}

Outcome<int64_t> timeout_of(const DictObject& options) {
  const Value* given = options.find("graceful_timeout_ms");
  if (!given || given->is_nil()) return 0;
  if (!given->is_int() || given->as_int() <= 0) {
    return type_error("on_interrupt: graceful_timeout_ms must be a positive int, got {}", display(*given));
  }
  return given->as_int();
}

// The handlers for a signal, the last one registered first, as arguments for the prelude.
Value take_matching(Handlers& handlers, int signal) {
  auto list = new_list();
  std::lock_guard lock(handlers.lock);
  for (size_t i = handlers.all.size(); i-- > 0;) {
    Handler& handler = handlers.all[i];
    if (std::find(handler.signals.begin(), handler.signals.end(), signal) == handler.signals.end()) continue;
    auto entry = new_list(2);
    entry->push(handler.callable);
    entry->push(Value::integer(handler.timeout_ms));
    list->push(Value(std::move(entry)));
    if (handler.once) handlers.all.erase(handlers.all.begin() + static_cast<ptrdiff_t>(i));
  }
  return Value(std::move(list));
}

// On the first worker, at a checkpoint: true when the program handles the signal itself.
bool on_signal(Vm& vm, int signal) {
  Value found = take_matching(vm.local<Handlers>(), signal);
  if (found.as_list()->size == 0) return false;
  auto run = vm.prelude_function("interrupt_run");
  if (!run) return false;
  vm.scheduler().run_beside_root(Value::share(*run), std::move(found));
  return true;
}

Outcome<Value> interrupt_on(Call& call) {
  if (!call.arg(0).is_callable()) {
    return type_error("on_interrupt: handler must be callable, got {}", type_name(call.arg(0)));
  }
  auto options = HARN_TRY(call.dict(1));
  HARN_CHECK(check_names("on_interrupt", "option", options, call.row().signature.field_names(1)));
  Handler handler;
  handler.signals = HARN_TRY(signals_of(*options));
  handler.timeout_ms = HARN_TRY(timeout_of(*options));
  const Value* once = options->find("once");
  handler.once = !once || once->is_nil() || truthy(*once);
  // The root's handlers run beside it and see its variables; other tasks' get a snapshot, as always.
  Task& task = Scheduler::current();
  if (task.is_root()) handler.callable = call.arg(0);
  else handler.callable = HARN_TRY(transfer(call.arg(0)));
  auto& handlers = call.vm().local<Handlers>();
  task.scheduler->set_signal_handler(on_signal);
  std::lock_guard lock(handlers.lock);
  handler.id = ++handlers.ids;
  handlers.all.push_back(std::move(handler));
  task.scheduler->expect_signals(true);
  return DictBuilder().add("_type", text_value("interrupt_handler")).add("id", Value::integer(handlers.ids)).done();
}

Outcome<Value> interrupt_off(Call& call) {
  const Value* id = call.arg(0).is_dict() ? call.arg(0).as_dict()->find("id") : nullptr;
  if (!id) return type_error("off_interrupt: expected a handle of on_interrupt, got {}", type_name(call.arg(0)));
  auto& handlers = call.vm().local<Handlers>();
  std::lock_guard lock(handlers.lock);
  size_t removed = std::erase_if(handlers.all, [&](const Handler& one) { return one.id == id->as_int(); });
  Scheduler::current().scheduler->expect_signals(!handlers.all.empty());
  return Value::boolean(removed > 0);
}

Outcome<Value> interrupt_forget(Call& call) {
  effects::forget_interrupt(effects::Run::current(call.vm()));
  return Value();
}

Outcome<Value> interrupted(Call& call) { return Value::boolean(call.vm().was_interrupted()); }

// ---- putting away ----

void handler_fields(park::Archive& archive, Handler& handler) {
  archive.number(handler.id);
  archive.value(handler.callable);
  archive.items(handler.signals, [&](int& signal) {
    int64_t number = signal;
    archive.number(number);
    signal = static_cast<int>(number);
  });
  archive.number(handler.once);
  archive.number(handler.timeout_ms);
}
void signal_fields(park::Archive& archive, Vm& vm) {
  auto& handlers = vm.local<Handlers>();
  archive.number(handlers.ids);
  archive.items(handlers.all, [&](Handler& handler) { handler_fields(archive, handler); });
  if (!archive.is_reading() || handlers.all.empty()) return;
  vm.scheduler().set_signal_handler(on_signal);
  vm.scheduler().expect_signals(true);
}

constinit const Builtin kRows[] = {
    {.name = "__interrupt_forget",
     .signature = "() -> nil",
     .doc = "The program has dealt with a signal: the next one does not end the process.",
     .call = interrupt_forget},
    {.name = "__interrupt_on",
     .signature = "(handler: any, options: {signals?: any, once?: any, graceful_timeout_ms?: any}) -> dict",
     .doc = "std/signal on_interrupt.",
     .call = interrupt_on},
    {.name = "__interrupt_off",
     .signature = "(handle: any) -> bool",
     .doc = "std/signal off_interrupt.",
     .call = interrupt_off},
    {.name = "__interrupted", .signature = "() -> bool", .doc = "std/signal interrupted.", .call = interrupted},
};

}  // namespace

const park::PartRow kSignalsPart = {"signals", signal_fields};

std::span<const Builtin> signal_rows() { return kRows; }

}  // namespace harn::builtins
