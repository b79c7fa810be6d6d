// The VM behind the interface. It has a thread, which loads the program, is its first worker and serves calls from other
// threads until the program ends; so nothing of a vm::Vm is ever touched by the host's threads.
#include <condition_variable>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/quiet_thread.h"
#include "builtins/registry.h"
#include "embed/embedded_host.h"
#include "embed/errors.h"
#include "embed/host_function.h"
#include "embed/values.h"
#include "engine/machine.h"
#include "engine/sources.h"
#include "harn/harn.h"
#include "vm/host_calls.h"
#include "vm/job_pool.h"

namespace harn::embed {

namespace {

// What is to be loaded: a file, or a text with a name.
struct Source {
  std::string path;
  std::optional<std::string> text;
};

// Without the text of the runtime's own: what a host is told about its use of a VM.
std::unexpected<Error> unusable(ErrorKind kind, std::string message) {
  return std::unexpected(own_error(kind, std::move(message)));
}

// In the middle of an answer nothing is told to stop.
Result<Value> answer_of(const vm::Outcome<vm::Value>& outcome) {
  vm::Undisturbed undisturbed;
  if (!outcome) return std::unexpected(to_host(*outcome.error()));
  auto value = to_host(*outcome);
  if (!value) return std::unexpected(to_host(*value.error()));
  return std::move(*value);
}

}  // namespace

struct Vm::Impl {
  explicit Impl(Options given) : options(std::move(given)), host(options) {}

  // ---- on any thread ----
  Result<void> add_function(std::string name, std::string signature, Function function, Runs runs);
  Loaded load(Source source);
  void start(std::string function, List arguments, std::function<void(Result<Value>)> answered);
  void stop();
  Result<void> finish();
  void join();

  // ---- on the VM's thread ----
  void main(Source source, std::promise<Loaded> loaded);
  std::unique_ptr<bytecode::Program> compile(const Source& source, const compile::Catalog& catalog, Loaded& loaded);
  void run(std::unique_ptr<bytecode::Program> program, const builtins::Library& library, Loaded loaded,
           std::promise<Loaded> promise);
  bool begin(engine::Machine& machine);
  void serve(vm::HostCalls& serving, engine::Machine& machine);
  engine::Settings settings(const builtins::Library& library) const;

  const Options options;
  EmbeddedHost host;
  std::shared_ptr<CallsUnderWay> under_way = std::make_shared<CallsUnderWay>();
  std::vector<std::unique_ptr<HostFunction>> functions;  // never changed once it is loaded

  std::mutex join_lock;  // whoever has it waits for the thread to end
  std::mutex lock;       // of what follows
  std::thread thread;
  bool is_taken = false;                 // a program was, or is being, loaded
  bool is_stopped = false;               // it is told to stop, or would be if it had begun
  vm::Vm* running = nullptr;             // while it can be told to stop
  std::shared_ptr<vm::HostCalls> calls;  // from when it is loaded
  Result<void> ending;                   // what its clean-up code has failed with
};

// ---- on the VM's thread ----

std::unique_ptr<bytecode::Program> Vm::Impl::compile(const Source& source, const compile::Catalog& catalog,
                                                     Loaded& loaded) {
  std::unique_ptr<engine::Loaded> read;
  if (source.text) {
    read = engine::load_text(source.path, *source.text, catalog);
  } else {
    auto file = engine::load_file(source.path, catalog);
    if (!file) {
      loaded.error = own_error(file.error().kind, file.error().message);
      return nullptr;
    }
    read = std::move(*file);
  }
  auto program = engine::compile(*read);
  loaded.diagnostics = to_host(read->sink.diagnostics());
  if (!program) {
    loaded.error = own_error(ErrorKind::Invalid, diag::render_all(read->sink, diag::Colour::No));
    loaded.error->code = loaded.diagnostics[0].code;
  } else if (auto* entry = engine::entry_pipeline(*program)) {
    loaded.entry = entry->name;
  }
  return program;
}

engine::Settings Vm::Impl::settings(const builtins::Library& library) const {
  return {.limits = {.while_limit = options.while_limit},
          .workers = options.workers,
          .authority = effects::Authority{{options.allow, options.deny}, options.seed},
          .library = &library};
}

void Vm::Impl::main(Source source, std::promise<Loaded> promise) {
  std::vector<const vm::Builtin*> rows;
  for (const auto& function : functions) rows.push_back(&function->row());
  builtins::Library library(rows);
  Loaded loaded;
  if (auto program = compile(source, library.catalog(), loaded)) {
    run(std::move(program), library, std::move(loaded), std::move(promise));
  } else {
    promise.set_value(std::move(loaded));
  }
  host.ended();
}

// False when it was told to stop before it has begun.
bool Vm::Impl::begin(engine::Machine& machine) {
  std::lock_guard guard(lock);
  if (!is_stopped) running = &machine.vm();
  return !is_stopped;
}

void Vm::Impl::run(std::unique_ptr<bytecode::Program> program, const builtins::Library& library, Loaded loaded,
                   std::promise<Loaded> promise) {
  engine::Machine machine(host, settings(library));
  engine::Surroundings surroundings;
  surroundings.args.assign(options.argv.begin(), options.argv.end());
  vm::Outcome<vm::Value> top_level;
  if (begin(machine)) top_level = machine.load(std::move(program), surroundings);
  else top_level = vm::plain_error(ErrorKind::Cancelled, "the program was stopped before it began");
  std::shared_ptr<vm::HostCalls> serving;
  if (top_level) {
    vm::Undisturbed undisturbed;
    loaded.value = to_host(*top_level).value_or(Value());
    serving = std::make_shared<vm::HostCalls>(machine.vm());
  } else {
    loaded.error = to_host(*top_level.error());
  }
  top_level = vm::Value();
  {
    std::lock_guard guard(lock);
    calls = serving;
  }
  promise.set_value(std::move(loaded));
  if (serving) serve(*serving, machine);
  std::lock_guard guard(lock);
  running = nullptr;  // before the machine goes
}

void Vm::Impl::serve(vm::HostCalls& serving, engine::Machine& machine) {
  serving.serve();
  auto ended = machine.vm().end_tasks();
  serving.end();
  if (ended) return;
  std::lock_guard guard(lock);
  ending = std::unexpected(to_host(*ended.error()));
}

// ---- on any thread ----

Result<void> Vm::Impl::add_function(std::string name, std::string signature, Function function, Runs runs) {
  auto made = HostFunction::create(std::move(name), std::move(signature), std::move(function), runs, under_way);
  if (!made) return std::unexpected(std::move(made).error());
  std::lock_guard guard(lock);
  if (is_taken) return unusable(ErrorKind::Unsupported, "functions are added before the program is loaded");
  for (const auto& known : functions) {
    if (known->name() != (*made)->name()) continue;
    return unusable(ErrorKind::Invalid, fmt::format("there is a function `{}` already", known->name()));
  }
  functions.push_back(std::move(*made));
  return {};
}

Loaded Vm::Impl::load(Source source) {
  std::promise<Loaded> promise;
  auto loaded = promise.get_future();
  {
    std::lock_guard guard(lock);
    if (is_taken) {
      Loaded refused;
      refused.error = own_error(ErrorKind::Unsupported, "this VM has loaded a program already");
      return refused;
    }
    is_taken = true;
    several_threads = true;  // the VM's and this one
    try {
      thread = quiet_thread([this, source = std::move(source), promise = std::move(promise)]() mutable {
        main(std::move(source), std::move(promise));
      });
    } catch (const std::system_error&) {
      Loaded refused;
      refused.error = own_error(ErrorKind::Limit, "there is no thread for the VM to be had");
      return refused;
    }
  }
  return loaded.get();
}

void Vm::Impl::start(std::string function, List arguments, std::function<void(Result<Value>)> answered) {
  std::shared_ptr<vm::HostCalls> serving;
  {
    std::lock_guard guard(lock);
    serving = calls;
  }
  if (!serving) return answered(unusable(ErrorKind::Closed, "there is no program to call: none is loaded"));
  auto given = std::make_shared<List>(std::move(arguments));
  // What the arguments cannot be is told as the answer; the program does not see the call.
  auto make = [given, answered]() -> vm::Outcome<std::vector<vm::Value>> {
    vm::Undisturbed undisturbed;
    return to_program(*given);
  };
  serving->start(std::move(function), make,
                 [answered](const vm::Outcome<vm::Value>& outcome) { answered(answer_of(outcome)); });
}

void Vm::Impl::stop() {
  std::lock_guard guard(lock);
  is_stopped = true;
  if (running) running->stop(vm::StopReason::Interrupt);
}

void Vm::Impl::join() {
  std::lock_guard one_at_a_time(join_lock);
  std::thread ending_thread;
  {
    std::lock_guard guard(lock);
    ending_thread = std::move(thread);
  }
  if (ending_thread.joinable()) ending_thread.join();
}

Result<void> Vm::Impl::finish() {
  std::shared_ptr<vm::HostCalls> serving;
  {
    std::lock_guard guard(lock);
    serving = calls;
  }
  if (serving) serving->close();
  join();
  std::lock_guard guard(lock);
  return ending;
}

// ---- the interface ----

Vm::Vm(Options options) : impl_(std::make_shared<Impl>(std::move(options))) {}

static void end(auto& impl) {
  if (!impl) return;
  impl->stop();
  impl->join();
  impl->under_way->wait_for_none();
}

Vm::~Vm() { end(impl_); }

Vm::Vm(Vm&&) noexcept = default;

Vm& Vm::operator=(Vm&& other) noexcept {
  if (this == &other) return *this;
  end(impl_);
  impl_ = std::move(other.impl_);
  return *this;
}

Result<void> Vm::add_function(std::string name, std::string signature, Function function, Runs runs) {
  return impl_->add_function(std::move(name), std::move(signature), std::move(function), runs);
}

Loaded Vm::load_file(const std::string& path) { return impl_->load({path, std::nullopt}); }

Loaded Vm::load_text(std::string name, std::string text) { return impl_->load({std::move(name), std::move(text)}); }

void Vm::start(std::string function, List arguments, std::function<void(Result<Value>)> answered) {
  impl_->start(std::move(function), std::move(arguments), std::move(answered));
}

Result<Value> Vm::call(std::string function, List arguments) {
  if (vm::this_worker) {
    return unusable(ErrorKind::Unsupported,
                    "a thread that runs tasks cannot wait for a call: add the function with Runs::Aside");
  }
  std::shared_ptr<Impl> impl = impl_;  // it may go while the call waits
  auto promise = std::make_shared<std::promise<Result<Value>>>();
  auto answer = promise->get_future();
  impl->start(std::move(function), std::move(arguments),
              [promise](Result<Value> given) { promise->set_value(std::move(given)); });
  vm::JobPool::Waits waits;
  return answer.get();
}

void Vm::stop() { impl_->stop(); }

Result<void> Vm::finish() { return impl_->finish(); }

}  // namespace harn::embed
