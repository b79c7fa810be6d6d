#include "cli/sandbox.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/files.h"

namespace harn::cli {

using effects::Sandbox;

namespace {

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (std::string_view name : text::split(list, ",")) {
    if (name = text::trim(name); !name.empty()) names.emplace_back(name);
  }
  return names;
}

// A slip in what is to be denied would deny nothing.
std::expected<void, UsageError> check_denied(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (builtins::table().find(name)) continue;
    auto known = builtins::catalog().names();
    auto close = text::close_names(name, known, 1);
    std::string help = close.empty() ? "`harn builtins` lists them" : fmt::format("did you mean `{}`?", close[0]);
    return std::unexpected(UsageError{fmt::format("`--deny {}`: there is no builtin `{}`", name, name), help});
  }
  return {};
}

std::expected<void, UsageError> read_builtins(const Arguments& arguments, Sandbox& sandbox) {
  auto allow = arguments.text("--allow"), deny = arguments.text("--deny");
  if (allow && deny) return std::unexpected(UsageError{"`--allow` and `--deny` exclude each other", ""});
  for (std::string_view option : {"--allow", "--deny"}) {
    for (std::string_view list : arguments.texts(option)) {
      for (std::string& name : names_in(list)) sandbox.names.push_back(std::move(name));
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
  for (std::string_view root : arguments.texts("--read-only-root")) {
    if (!sandbox.is_on) {
      return std::unexpected(UsageError{"`--read-only-root` and `--no-sandbox` exclude each other",
                                        "without the sandbox a program may read everything"});
    }
    auto real = real_path(std::string(root));
    if (!real)
      return std::unexpected(UsageError{fmt::format("`--read-only-root {}`: there is no such directory", root), ""});
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

void apply(const Sandbox& sandbox, const builtins::Library* library, engine::Settings& settings) {
  settings.library = library;
  sandbox.narrow(settings.sandbox);
}

}  // namespace harn::cli
