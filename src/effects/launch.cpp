#include "effects/launch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/result.h"
#include "base/text.h"
#include "effects/environment.h"
#include "effects/errand.h"
#include "effects/git_files.h"
#include "vm/scheduler.h"

namespace harn::effects {

using namespace vm;

namespace {

// That of the program with what is set besides, or only that.
std::vector<std::string> environment_of(Run& run, const RunProcess& request) {
  std::vector<std::string> all;
  auto is_set = [&](std::string_view line) {
    return std::any_of(request.environment.begin(), request.environment.end(), [&](const RunProcess::Variable& one) {
      return line.starts_with(one.name) && line.substr(one.name.size()).starts_with('=');
    });
  };
  if (!request.is_whole_environment) {
    const ChildVariables& children = run.child_variables();
    all = environment_lines(run);
    std::erase_if(all, [&](const std::string& line) { return children.hides(line.substr(0, line.find('='))); });
    for (const auto& [name, value] : children.values) {
      std::erase_if(all, [&](const std::string& line) { return line.starts_with(name + "="); });
      all.push_back(name + "=" + value);
    }
  }
  std::erase_if(all, is_set);
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
  // Nobody can be asked about what a child does: it may do what needs no asking.
  auto may = [&](Capability capability) { return run.allows(capability) && !run.asks(capability); };
  bool may_read = may(Capability::FileRead), may_write = may(Capability::FileWrite);
  if (!run.workspace() && may_read && may_write) return std::nullopt;
  WorkspaceRoots roots = run.workspace() ? run.workspace()->reachable() : WorkspaceRoots{{"/"}, {}};
  net::Confinement confinement{.may_use_network = run.allows(Capability::Network)};
  if (!may_read) return confinement;
  confinement.readable = std::move(roots.read_only);
  confinement.hidden = std::move(roots.hidden);
  if (may_write && run.workspace()) confinement.kept = files_run_by_git(*run.workspace());
  auto& rest = may_write ? confinement.writable : confinement.readable;
  rest.insert(rest.end(), roots.roots.begin(), roots.roots.end());
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

bool is_program(const std::string& path) {
  struct stat info;
  return access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string without_links(const std::string& path) {
  std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real ? real.get() : path;
}

// Where a program of this name is; what the running program could have put there, or replaced, is passed over. Empty: nowhere.
std::string program_of_user(Run& run, const std::string& name) {
  bool found = false;
  std::string folders = run.host().env("PATH", found);
  for (std::string_view folder : text::split(folders, ":")) {
    std::string path = fmt::format("{}/{}", folder, name);
    if (!folder.starts_with('/') || !is_program(path)) continue;
    const Workspace* workspace = run.workspace().get();
    auto may_change = [&](const std::string& one) { return workspace && workspace->allows(one, Access::Write); };
    if (!may_change(without_links(path)) && !may_change(without_links(std::string(folder)) + "/" + name)) return path;
  }
  return "";
}

// That of this process, and whose part the child is.
std::vector<std::string> environment_of_user(Run& run) {
  std::vector<std::string> all;
  for (char** line = environ; *line; ++line) all.emplace_back(*line);
  for (const auto& [name, value] : run.child_variables().values) {
    std::erase_if(all, [&](const std::string& line) { return line.starts_with(name + "="); });
    all.push_back(name + "=" + value);
  }
  return all;
}

}  // namespace

Outcome<net::ProcessId> start_for_model(Run& run, const RunProcess& request,
                                        std::function<void(net::ProcessResult)> done) {
  std::string path = program_of_user(run, request.words[0]);
  if (path.empty())
    return throw_text(ErrorKind::NotFound,
                      "{}: the program `{}` is not installed, or lies where this program may write", request.what,
                      request.words[0]);
  Descriptor directory = HARN_TRY(working_directory(run, request));
  net::ProcessSpec spec{.words = request.words,
                        .directory = request.directory,
                        .directory_fd = directory.get(),
                        .environment = environment_of_user(run),
                        .input = request.input};
  spec.words[0] = path;
  auto id = net::start_process(std::move(spec), std::move(done));
  if (!id) return throw_text(id.error().kind, "{}: {}", request.what, id.error().message);
  return *std::move(id);
}

Outcome<net::ProcessId> start_child(Run& run, const RunProcess& request, ChildStreams streams,
                                    std::function<void(net::ProcessResult)> done) {
  Descriptor directory = HARN_TRY(working_directory(run, request));
  net::ProcessSpec spec{.words = request.words,
                        .directory = request.directory,
                        .directory_fd = directory.get(),
                        .environment = environment_of(run, request),
                        .input = request.input,
                        .input_fd = streams.input_fd,
                        .output_fd = streams.output_fd,
                        .kept_errors = streams.kept_errors,
                        .confinement = confinement_of(run),
                        .must_be_confined = run.must_confine() || when_unconfined(run) == "enforce"};
  auto id = net::start_process(std::move(spec), std::move(done));
  if (!id)
    return with_facts(throw_text(id.error().kind, "{} failed: {}", request.what, id.error().message), "process",
                      {{"program", text_value(request.program)}});
  warn_once(run, id->unconfined);
  return *std::move(id);
}

}  // namespace harn::effects
