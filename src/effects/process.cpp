#include "effects/process.h"

#include <unistd.h>

#include <algorithm>

#include "base/result.h"
#include "effects/errand.h"
#include "net/process.h"
#include "vm/fiber.h"
#include "vm/scheduler.h"

namespace harn::effects {

using namespace vm;

namespace {

// How long a task that is stopped waits for its killed child to be gone.
constexpr Nanoseconds kKillTime = 1'500 * kMillisecond;

// What the task and the I/O thread share.
struct Child {
  Completion completion;
  net::ProcessResult result;
};

// Between asking a child to end and killing it.
constexpr std::chrono::milliseconds kGrace(1'000);

Outcome<RunProcess::Answer> wait_for(net::ProcessId id, Child& child, Run& run, const RunProcess& request) {
  const char* what = request.what == "shell" ? "shell" : "exec";
  Nanoseconds due = request.timeout_ms > 0 ? run.clock().now() + request.timeout_ms * kMillisecond : kNever;
  Wake woken = child.completion.wait(what, text_value(request.program), due);
  bool timed_out = woken == Wake::Timeout;
  if (timed_out) {
    net::end_process(id, kGrace);
    woken = child.completion.wait(what, text_value(request.program));
  }
  if (woken == Wake::Cancelled) {
    net::kill_process(id);
    child.completion.wait(what, {}, run.clock().now() + kKillTime);
    return stopped_error();
  }
  net::ProcessResult& result = child.result;
  if (result.wrote_too_much)
    return throw_text(ErrorKind::Limit, "{} failed: `{}` wrote more than 256 MiB", what, request.program);
  if (result.no_memory) return runtime_error(ErrorKind::Limit, "out of memory (the output of `{}`)", request.program);
  return RunProcess::Answer{.out = std::move(result.out),
                            .err = std::move(result.err),
                            .status = result.status,
                            .signal = result.signal,
                            .pid = id.pid,
                            .timed_out = timed_out};
}

// Ours with what is set besides, or only that.
std::optional<std::vector<std::string>> environment_of(const RunProcess& request) {
  if (request.environment.empty() && !request.is_whole_environment) return std::nullopt;
  std::vector<std::string> all;
  auto is_set = [&](std::string_view line) {
    return std::any_of(request.environment.begin(), request.environment.end(), [&](const RunProcess::Variable& one) {
      return line.starts_with(one.name) && line.substr(one.name.size()).starts_with('=');
    });
  };
  for (char** line = environ; !request.is_whole_environment && *line; ++line) {
    if (!is_set(*line)) all.emplace_back(*line);
  }
  for (const RunProcess::Variable& one : request.environment) all.push_back(one.name + "=" + one.value);
  return all;
}

// Where the child runs, if the workspace has to be asked. What was found is where it will run, whatever becomes of the path.
Outcome<Descriptor> working_directory(Run& run, const RunProcess& request) {
  if (!run.workspace()) return Descriptor();
  std::string builtin = request.directory.empty() ? request.what : request.what + "_at";
  std::string path = request.directory.empty() ? "." : request.directory;
  Errand errand{run.workspace(), builtin, "run in", Access::Read};
  auto found = find(errand, path);
  if (found) return std::move(*found);
  if (found.error().is_whole) return file_error("", path, found.error());
  return throw_text(ErrorKind::NotFound, "{} failed: `{}` is not a directory", request.what, path);
}

// A program that is held to its workspace, and its children with it.
std::optional<net::Confinement> confinement_of(Run& run) {
  if (!run.workspace()) return std::nullopt;
  WorkspaceRoots roots = run.workspace()->reachable();
  net::Confinement confinement{.writable = std::move(roots.roots),
                               .readable = std::move(roots.read_only),
                               .may_use_network = run.allows(Capability::Network)};
  if (run.allows(Capability::FileWrite)) return confinement;
  auto& readable = confinement.readable;
  readable.insert(readable.end(), confinement.writable.begin(), confinement.writable.end());
  confinement.writable.clear();
  return confinement;
}

// HARN_HANDLER_SANDBOX: what to do where the kernel cannot confine a child. "enforce": do not start it, "off": say nothing.
std::string when_unconfined(Run& run) {
  bool found = false;
  std::string word = run.host().env("HARN_HANDLER_SANDBOX", found);
  return found ? word : "warn";
}

void warn_once(Run& run, const std::string& why) {
  if (why.empty() || run.world().has_warned_unconfined.exchange(true) || when_unconfined(run) == "off") return;
  run.host().write(Stream::Err, fmt::format("warning: programs are started without the kernel's sandbox: {}\n", why));
}

}  // namespace

Outcome<RunProcess::Answer> carry_out(Run& run, const RunProcess& request) {
  Descriptor directory = HARN_TRY(working_directory(run, request));
  auto child = std::make_shared<Child>();
  net::ProcessSpec spec{.words = request.words,
                        .directory = request.directory,
                        .directory_fd = directory.get(),
                        .environment = environment_of(request),
                        .input = request.input,
                        .confinement = confinement_of(run),
                        .must_be_confined = when_unconfined(run) == "enforce"};
  auto id = net::start_process(std::move(spec), [child](net::ProcessResult result) {
    child->result = std::move(result);
    child->completion.finish();
  });
  if (!id)
    return with_facts(throw_text(id.error().kind, "{} failed: {}", request.what, id.error().message), "process",
                      {{"program", text_value(request.program)}});
  warn_once(run, id->unconfined);
  return wait_for(*id, *child, run, request);
}

Outcome<std::vector<std::string>> carry_out(Run&, const FindPrograms& request) {
  std::vector<std::string> found = request.paths;
  std::erase_if(found, [](const std::string& path) { return access(path.c_str(), X_OK) != 0; });
  return found;
}

}  // namespace harn::effects
