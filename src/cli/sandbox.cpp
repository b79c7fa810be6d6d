#include "cli/sandbox.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/files.h"

namespace harn::cli {

using effects::Sandbox;

namespace {

// A slip in what is to be denied would deny nothing.
UsageError no_such_builtin(std::string_view option, std::string_view name) {
  auto known = builtins::catalog().names();
  auto close = text::close_names(name, known, 1);
  std::string help = close.empty() ? "`harn builtins` lists them" : fmt::format("did you mean `{}`?", close[0]);
  return UsageError{fmt::format("`{} {}`: there is no builtin `{}`", option, name, name), help};
}

std::expected<void, UsageError> check_denied(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!builtins::table().find(name)) return std::unexpected(no_such_builtin("--deny", name));
  }
  return {};
}

// The capability that is meant, by its own name or that of a builtin that needs it.
std::expected<std::string, UsageError> asked_capability(const std::string& name) {
  if (effects::capabilities_named(name)) return name;
  const vm::Builtin* row = builtins::table().find(name);
  if (!row) return std::unexpected(no_such_builtin("--ask", name));
  if (row->needs != vm::Capability::None) return std::string(vm::capability_name(row->needs));
  return std::unexpected(UsageError{fmt::format("`--ask {}`: `{}` does nothing to the world outside", name, name), ""});
}

// What is taken away by the environment: a slip there would take away nothing.
std::expected<void, UsageError> read_environment(Sandbox& sandbox) {
  if (const char* denied = std::getenv("HARN_DENY")) {
    for (std::string& name : text::comma_list(denied)) {
      if (!effects::capabilities_named(name))
        return std::unexpected(UsageError{fmt::format("HARN_DENY: there is no capability `{}`", name),
                                          "docs/cli.md lists them; `*` is all of them"});
      sandbox.deny.push_back(std::move(name));
    }
  }
  std::string_view confined = std::getenv("HARN_HANDLER_SANDBOX") ? std::getenv("HARN_HANDLER_SANDBOX") : "warn";
  if (confined == "warn" || confined == "enforce" || confined == "off") return {};
  return std::unexpected(
      UsageError{fmt::format("HARN_HANDLER_SANDBOX is `{}`, expected `warn`, `enforce` or `off`", confined), ""});
}

// HARN_ASK says the same for all runs.
std::expected<void, UsageError> read_ask(const Arguments& arguments, Sandbox& sandbox) {
  std::vector<std::string> names;
  if (const char* everywhere = std::getenv("HARN_ASK")) names = text::comma_list(everywhere);
  for (std::string_view list : arguments.texts("--ask")) {
    for (std::string& name : text::comma_list(list)) names.push_back(std::move(name));
  }
  for (const std::string& name : names) {
    auto capability = asked_capability(name);
    if (!capability) return std::unexpected(std::move(capability).error());
    sandbox.ask.push_back(*std::move(capability));
  }
  return {};
}

std::expected<void, UsageError> read_builtins(const Arguments& arguments, Sandbox& sandbox) {
  auto allow = arguments.text("--allow"), deny = arguments.text("--deny");
  if (allow && deny) return std::unexpected(UsageError{"`--allow` and `--deny` exclude each other", ""});
  for (std::string_view option : {"--allow", "--deny"}) {
    for (std::string_view list : arguments.texts(option)) {
      for (std::string& name : text::comma_list(list)) sandbox.names.push_back(std::move(name));
    }
  }
  if (allow) sandbox.builtins = Sandbox::Builtins::Only;
  if (!deny) return {};
  sandbox.builtins = Sandbox::Builtins::Except;
  return check_denied(sandbox.names);
}

}  // namespace

std::expected<Sandbox, UsageError> sandbox_of(const Arguments& arguments, const Project& project) {
  Sandbox sandbox{.is_on = !arguments.has("--no-sandbox"), .workspace = {.roots = {project.root}, .read_only = {}}};
  if (auto read = read_builtins(arguments, sandbox); !read) return std::unexpected(std::move(read).error());
  if (auto read = read_ask(arguments, sandbox); !read) return std::unexpected(std::move(read).error());
  if (auto read = read_environment(sandbox); !read) return std::unexpected(std::move(read).error());
  for (std::string_view root : arguments.texts("--read-only-root")) {
    if (!sandbox.is_on) {
      return std::unexpected(UsageError{"`--read-only-root` and `--no-sandbox` exclude each other",
                                        "without the sandbox a program may read everything"});
    }
    auto real = real_path(std::string(root));
    if (!real)
      return std::unexpected(UsageError{fmt::format("`--read-only-root {}`: there is no such directory", root), ""});
    bool is_inside = *real == project.root || real->starts_with(project.root + "/");
    if (is_inside) {
      return std::unexpected(UsageError{fmt::format("`--read-only-root {}`: it is inside of the project", root),
                                        "the program may write to all files of its project"});
    }
    sandbox.workspace.read_only.push_back(*real);
  }
  return sandbox;
}

std::string sandbox_warning(const Sandbox& sandbox) {
  if (sandbox.is_on) return "";
  return "warning: running without the sandbox: the program may use all files and the network\n";
}

std::unique_ptr<builtins::Library> library_of(const Sandbox& sandbox) {
  if (sandbox.builtins == Sandbox::Builtins::All) return nullptr;
  return std::make_unique<builtins::Library>(std::span<const vm::Builtin* const>(),
                                             [&](std::string_view name) { return sandbox.denies_builtin(name); });
}

const compile::Catalog& catalog_of(const builtins::Library* library) {
  return library ? library->catalog() : builtins::catalog();
}

// With --allow: what no builtin that is left needs is denied altogether, so that nothing else gets there either.
static void deny_unneeded(const Sandbox& sandbox, effects::Policy& policy) {
  uint32_t needed = 0;
  for (const vm::Builtin* row : builtins::table().rows()) {
    if (row->receiver == 0 && !row->name.starts_with("__") && !sandbox.denies_builtin(row->name))
      needed |= effects::bit_of(row->needs);
  }
  for (std::string_view name :
       {"fs.info", "fs.read", "fs.write", "env.read", "env.write", "system.info", "process.exec", "network.access",
        "event_log.append", "event_log.read", "state.read", "state.write", "stdio.read", "host.call"}) {
    if (!(effects::capabilities_named(name) & needed)) policy.deny.emplace_back(name);
  }
}

void apply(const Sandbox& sandbox, const builtins::Library* library, engine::Settings& settings) {
  settings.library = library;
  sandbox.narrow(settings.sandbox);
  if (sandbox.builtins == Sandbox::Builtins::Only) deny_unneeded(sandbox, settings.sandbox);
}

}  // namespace harn::cli
