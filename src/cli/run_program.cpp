#include "cli/run_program.h"

#include <signal.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/agent_view.h"
#include "cli/event_host.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/run_records.h"
#include "data/json.h"
#include "effects/mcp_peer.h"
#include "net/process.h"
#include "net/websocket.h"
#include "vm/digest.h"
#include "vm/scheduler.h"
#include "vm/trace.h"

namespace harn::cli {

namespace {

std::string_view signal_text(int number) {
  return number == SIGTERM ? "harn: terminated\n" : number == SIGHUP ? "harn: hung up\n" : "harn: interrupted\n";
}

// Tells standard error how the run ended; the value is the exit code.
int report_ending(ProcessHost& host, const Ending& ending) {
  host.flush();
  if (host.output_error() != 0) return output_failed(host.output_error());
  // A program that handled the signal itself ends like any other.
  int number = InterruptGuard::signal();
  if (number != 0 && ending.kind == Ending::Kind::Stopped) {
    host.write(vm::Stream::Err, signal_text(number));
    return kInterrupted;
  }
  if (!ending.message.empty()) host.write(vm::Stream::Err, ending.message);
  return ending.exit_code;
}

int report_ending(EventHost& host, const Ending& ending, const vm::Outcome<vm::Value>& outcome) {
  if (InterruptGuard::signal() != 0 && ending.kind == Ending::Kind::Stopped) {
    host.write_failure("interrupted", "the run was interrupted");
    return kInterrupted;
  }
  if (ending.kind == Ending::Kind::Failed) {
    host.write_failure("run_failed", text::trim_end(ending.message));
    return ending.exit_code;
  }
  std::string value;
  if (!outcome || !data::append_json(value, *outcome)) value = "null";
  host.write_result(value, ending.exit_code);
  return host.output_error() != 0 ? output_failed(host.output_error()) : ending.exit_code;
}

// How a replay went. The recorded run's exit code is the replay's, too.
int report_replay(effects::Player& player, int exit_code) {
  player.finish();
  auto divergence = player.divergence();
  if (!divergence) return exit_code;
  if (divergence->is_cut_off) {
    std::string next = divergence->found.empty() ? "" : fmt::format("\n  next: {}", divergence->found);
    write_error(fmt::format("{}: the recording ends here, after {} answer{}: the recorded run was cut off{}{}\n",
                            error_word(), player.told(), player.told() == 1 ? "" : "s", next, divergence->place));
    return kDiverged;
  }
  write_error(fmt::format("{}: the replay is not the recorded run any more\n  expected: {}\n  found:    {}{}\n",
                          error_word(), divergence->expected, divergence->found, divergence->place));
  return kDiverged;
}

// Before the program begins, on its VM; the value is the exit code when that fails.
Result<std::unique_ptr<Watch>> begin_watch(vm::Vm& vm, Prepared& prepared) {
  if (prepared.player) {
    effects::Run::of(vm).replay(prepared.player);
    if (prepared.player->has_moments()) vm.scheduler().set_course(prepared.player.get());
  }
  begin_fixtures(vm, prepared.llm);
  if (!prepared.watch.is_any()) return std::unique_ptr<Watch>();
  return Watch::begin(vm, std::move(prepared.watch), prepared.header);
}

// What the program has read from variables that hold secrets.
void hide_secrets(vm::Vm& vm, Ending& ending) {
  ending.message = effects::Run::of(vm).world().secrets.hidden(ending.message);
}

// `--emit-summary-json`
void tell_summary(vm::Vm& vm, ProcessHost& host, const Prepared& prepared, int64_t began_ms, int code) {
  if (!prepared.tells_summary) return;
  host.ProcessHost::write(
      vm::Stream::Err,
      fmt::format(R"({{"schema_version":1,"event":"run_summary","wall_time_ms":{},"exit_code":{},"llm":{}}})"
                  "\n",
                  host.now_ms() - began_ms, code, model_use_json(vm)));
}

int run_events(Prepared prepared) {
  EventHost host;
  int64_t began_ms = host.now_ms();
  engine::Machine machine(host, prepared.settings);
  host.attach(&machine.vm());
  host.watch_agents(machine.vm());
  RunRecords records(machine.vm(), prepared.player || prepared.has_own_records);
  InterruptGuard guard(machine.vm());
  if (!prepared.warnings.empty()) host.write(vm::Stream::Err, prepared.warnings);
  auto watch = begin_watch(machine.vm(), prepared);
  if (!watch) {
    host.write_failure("watch_failed", watch.error().message);
    return kFailure;
  }
  auto outcome = machine.run(std::move(prepared.program), prepared.surroundings);
  Ending ending = ending_of(outcome, prepared.answers, Snippet::No, diag::Colour::No);
  hide_secrets(machine.vm(), ending);
  int code = end_fixtures(machine.vm(), prepared.llm, report_ending(host, ending, outcome));
  if (*watch) code = (*watch)->end(code);
  records.write(prepared.name, code);
  tell_summary(machine.vm(), host, prepared, began_ms, code);
  return code;
}

// Begins the program, or goes on with it.
Result<vm::Outcome<vm::Value>> run(engine::Machine& machine, Prepared& prepared) {
  bool goes_on = !prepared.state.empty();
  if (goes_on) HARN_CHECK(machine.take_up(std::move(prepared.program), prepared.state));
  machine.vm().scheduler().stand_still_at(prepared.parking.at_wait);
  if (goes_on) return machine.go_on(prepared.surroundings);
  return machine.run(std::move(prepared.program), prepared.surroundings);
}

// What it has written by now is out, and will not be written again.
int put_away(vm::Vm& vm, ProcessHost& host, const Prepared& prepared) {
  host.flush();
  if (host.output_error() != 0) return output_failed(host.output_error());
  return put_away(vm, prepared.parking, prepared.origin);
}

// Where a recording ends early, its tasks wait for what they were never told: that is no deadlock of the program.
void note_standstill(effects::Player& player, const vm::Outcome<vm::Value>& outcome) {
  if (outcome || !outcome.error()->facts || outcome.error()->facts->code != vm::kDeadlockCode) return;
  std::string text = vm::describe(*outcome.error());
  player.note_standstill(text.substr(std::min(text.find('\n'), text.size())));
}

int finish(vm::Vm& vm, ProcessHost& host, const Prepared& prepared, const vm::Outcome<vm::Value>& outcome) {
  if (vm.scheduler().stands_still()) return put_away(vm, host, prepared);
  Snippet snippet = isatty(STDERR_FILENO) ? Snippet::Yes : Snippet::No;
  Ending ending = ending_of(outcome, prepared.answers, snippet, colour_of(STDERR_FILENO));
  hide_secrets(vm, ending);
  if (prepared.player) note_standstill(*prepared.player, outcome);
  // That the program failed because of it is nothing new.
  if (prepared.player && prepared.player->divergence()) ending.message.clear();
  return report_ending(host, ending);
}

// For what a program has sent over WebSockets, and not waited for.
constexpr int64_t kLastWordsMs = 1'000;

int run_on(engine::Machine& machine, ProcessHost& host, Prepared& prepared) {
  InterruptGuard guard(machine.vm());
  int64_t began_ms = host.now_ms();
  if (!prepared.warnings.empty()) host.write(vm::Stream::Err, prepared.warnings);
  auto watch = begin_watch(machine.vm(), prepared);
  if (!watch) return fail_with(watch.error().message);
  auto totals = prepared.has_own_records ? AgentView::Totals::Hidden : AgentView::Totals::Shown;
  auto view = prepared.is_talk ? nullptr : AgentView::begin(machine.vm(), host, totals);
  RunRecords records(machine.vm(), prepared.player || prepared.has_own_records);
  auto outcome = run(machine, prepared);
  net::kill_all_processes();  // of tasks that were given up
  net::finish_websockets(kLastWordsMs);
  view.reset();
  int code = outcome ? finish(machine.vm(), host, prepared, *outcome) : fail_with(outcome.error().message);
  code = end_fixtures(machine.vm(), prepared.llm, code);
  if (*watch) code = (*watch)->end(code);
  records.write(prepared.name, code);
  tell_summary(machine.vm(), host, prepared, began_ms, code);
  return prepared.player ? report_replay(*prepared.player, code) : code;
}

int run_process(Prepared prepared) {
  ProcessHost host;
  // The process ends with the program, and its memory with it: nothing is taken apart piece by
  // piece, except where a leak checker looks on.
  auto* machine = new engine::Machine(host, prepared.settings);
  host.attach(&machine->vm());
  if (prepared.mcp_peer >= 0) effects::set_mcp_peer(machine->vm(), prepared.mcp_peer);
  int code = run_on(*machine, host, prepared);
#ifdef HARN_SANITIZED
  host.attach(nullptr);
  delete machine;
#else
  _exit(code);
#endif
  return code;
}

}  // namespace

int run_program(Prepared prepared, bool json) {
  return json ? run_events(std::move(prepared)) : run_process(std::move(prepared));
}

std::string program_hash(const bytecode::Program& program) {
  vm::Digest digest;
  for (const auto& module : program.modules) digest.add(module->source->text());
  return digest.done();
}

}  // namespace harn::cli
