// A function that is given a `harness: Harness` and uses a builtin that the harness has a method for: what it touches cannot be replaced
// in a test then. Elsewhere builtins are how a program touches the world, and nothing is said.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

struct Replacement {
  std::string_view builtin, method;
  size_t most_args = 1;  // more than that the method does not take
};

constexpr Replacement kClock[] = {{"now_ms", "clock.now_ms", 0},
                                  {"timestamp", "clock.timestamp", 0},
                                  {"monotonic_ms", "clock.monotonic_ms", 0},
                                  {"elapsed", "clock.elapsed", 0},
                                  {"sleep_ms", "clock.sleep_ms", 1}};
constexpr Replacement kStdio[] = {
    {"print", "stdio.print"},       {"println", "stdio.println"},        {"eprint", "stdio.eprint"},
    {"eprintln", "stdio.eprintln"}, {"read_line", "stdio.read_line", 0}, {"prompt_user", "stdio.prompt"}};
constexpr Replacement kFs[] = {{"read_file", "fs.read_text"},
                               {"write_file", "fs.write_text", 2},
                               {"append_file", "fs.append_text", 2},
                               {"file_exists", "fs.exists"},
                               {"list_dir", "fs.list_dir"}};
constexpr Replacement kEnv[] = {{"env", "env.get"}, {"env_or", "env.get", 2}};
constexpr Replacement kRandom[] = {{"uuid", "random.uuid", 0}, {"random_bytes", "random.bytes"}};
constexpr Replacement kNet[] = {{"http_get", "net.get", 2}, {"http_post", "net.post", 3}};

bool takes_harness(const Node& function) {
  for (const Param& param : params_of(function)) {
    bool is_typed = param.type && param.type->kind == TypeKind::Named && param.type->name.text == "Harness";
    if (is_typed && param.name.text == "harness") return true;
  }
  return false;
}

// The function around the node, or one around that.
bool has_harness(Pass& pass) {
  for (uint32_t at = pass.nodes()[pass.at()].function; at != Places::kTop; at = pass.nodes()[at].function) {
    if (takes_harness(*pass.nodes()[at].node)) return true;
  }
  return false;
}

template <std::span<const Replacement> (*rows)()>
void check(Pass& pass, const Node& node) {
  std::string_view name = pass.builtin(node);
  if (name.empty()) return;
  auto all = rows();
  auto found = std::find_if(all.begin(), all.end(), [&](const Replacement& row) { return row.builtin == name; });
  if (found == all.end() || !has_harness(pass)) return;
  auto& call = node.as<Call>();
  std::string written = fmt::format("harness.{}", found->method);
  auto report = pass.report(call.callee->span, name, written);
  if (call.args.size() <= found->most_args) {
    report.fix({fmt::format("use `{}`", written), call.callee->span, written, false});
  }
}

std::span<const Replacement> clock_rows() { return kClock; }
std::span<const Replacement> stdio_rows() { return kStdio; }
std::span<const Replacement> fs_rows() { return kFs; }
std::span<const Replacement> env_rows() { return kEnv; }
std::span<const Replacement> random_rows() { return kRandom; }
std::span<const Replacement> net_rows() { return kNet; }

constexpr NodeKind kKinds[] = {NodeKind::Call};

}  // namespace

extern const Rule kAmbientClockBuiltin = {
    .name = "ambient-clock-builtin",
    .code = diag::Code::AmbientClock,
    .kinds = kKinds,
    .node = check<clock_rows>,
};
extern const Rule kAmbientStdioBuiltin = {
    .name = "ambient-stdio-builtin",
    .code = diag::Code::AmbientStdio,
    .kinds = kKinds,
    .node = check<stdio_rows>,
};
extern const Rule kAmbientFsBuiltin = {
    .name = "ambient-fs-builtin",
    .code = diag::Code::AmbientFs,
    .kinds = kKinds,
    .node = check<fs_rows>,
};
extern const Rule kAmbientEnvBuiltin = {
    .name = "ambient-env-builtin",
    .code = diag::Code::AmbientEnv,
    .kinds = kKinds,
    .node = check<env_rows>,
};
extern const Rule kAmbientRandomBuiltin = {
    .name = "ambient-random-builtin",
    .code = diag::Code::AmbientRandom,
    .kinds = kKinds,
    .node = check<random_rows>,
};
extern const Rule kAmbientNetBuiltin = {
    .name = "ambient-net-builtin",
    .code = diag::Code::AmbientNet,
    .kinds = kKinds,
    .node = check<net_rows>,
};

}  // namespace harn::lint
