#include "cli/repl_session.h"

#include <unistd.h>

#include "cli/ending.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/project.h"

namespace harn::cli {

using namespace syntax;

ReplSession::ReplSession(ProcessHost& host, vm::Limits limits)
    : host_(host), machine_(host, settings(limits)), vm_(machine_.vm()) {
  host_.attach(&vm_);
}

ReplSession::~ReplSession() { host_.attach(nullptr); }

void ReplSession::evaluate(std::string_view input) { run(input, Then::ShowValue); }

void ReplSession::show_type(std::string_view expression) { run(expression, Then::ShowType); }

void ReplSession::end() {
  auto ended = vm_.end_tasks();
  if (!ended) write_error(error_text(*ended.error(), Snippet::Yes, colour_of(STDERR_FILENO)));
}

std::vector<std::string_view> ReplSession::names() const {
  std::vector<std::string_view> out;
  for (const compile::SessionName& known : session_.names) out.push_back(known.name);
  return out;
}

// Statements and declarations have no value to show.
static bool ends_in_expression(const Tree& tree) {
  return !tree.items.empty() && tree.items.back()->kind < NodeKind::Let;
}

void ReplSession::run(std::string_view input, Then then) {
  std::string name = fmt::format("<repl:{}>", inputs_.size() + 1);
  inputs_.push_back(engine::load_input(name, std::string(input)));
  engine::Loaded& loaded = *inputs_.back();
  compile::Session before = session_;
  auto program = engine::compile(loaded, &session_);
  diag::Colour colour = colour_of(STDERR_FILENO);
  if (!loaded.sink.diagnostics().empty()) write_error(diag::render_all(loaded.sink, colour));
  if (!program) return;

  auto outcome = execute(std::move(program));
  restore_unset(before);
  if (!outcome) {
    const vm::ErrorObject& error = *outcome.error();
    bool stopped = error.error_class == vm::ErrorClass::Cancelled;
    write_error(stopped ? "interrupted\n" : error_text(error, Snippet::Yes, colour));
    return;
  }
  if (then == Then::ShowType) write(fmt::format("{}\n", vm::type_name(*outcome)));
  else if (ends_in_expression(*loaded.main->tree) && !outcome->is_nil()) show_value(*outcome);
}

vm::Outcome<vm::Value> ReplSession::execute(std::unique_ptr<bytecode::Program> program) {
  InterruptGuard guard(vm_);
  auto outcome = vm_.load_more(std::move(program));
  vm_.take_stop();
  return outcome;
}

// An input that failed half-way may have declared names without giving them a value; those mean
// what they meant before.
void ReplSession::restore_unset(const compile::Session& before) {
  std::erase_if(session_.names, [&](compile::SessionName& known) {
    if (known.declaration || !vm_.global(known.global).is(vm::Kind::Unset)) return false;
    for (const compile::SessionName& old : before.names) {
      if (old.name != known.name) continue;
      known = old;
      return false;
    }
    return true;
  });
}

void ReplSession::show_value(const vm::Value& value) {
  std::string name = fmt::format("_{}", ++values_);
  auto index = static_cast<uint32_t>(session_.globals.size());
  session_.globals.push_back(name);
  session_.names.push_back({name, index, false, nullptr});
  vm_.preset_global(index, value);
  write(fmt::format("{} = {}\n", name, vm::literal(value)));
}

}  // namespace harn::cli
