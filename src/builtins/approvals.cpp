// Who may call which tool: permissions and approval policies. The rules are written in Harn (src/std/prelude/permissions.harn,
// approval_policy.harn); here is what they compare with.
#include "base/result.h"
#include "builtins/families.h"
#include "effects/glob.h"
#include "effects/real_path.h"
#include "vm/dict.h"
#include "vm/fiber.h"
#include "vm/ops.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// What stands behind `[`: where it ends (behind the `]`), and whether it takes a character. No end: the bracket stands for itself.
struct CharClass {
  size_t end = 0;
  bool takes = false;
};

CharClass char_class(std::string_view pattern, size_t at, char c) {
  size_t start = at + 1;
  bool is_negated = start < pattern.size() && (pattern[start] == '!' || pattern[start] == '^');
  if (is_negated) ++start;
  // A bracket right at the start is one of the characters.
  size_t end = pattern.find(']', start + 1);
  if (start >= pattern.size() || end == std::string_view::npos) return {};
  bool is_found = false;
  auto byte = [](char one) { return static_cast<unsigned char>(one); };
  for (size_t i = start; i < end; ++i) {
    bool is_range = i + 2 < end && pattern[i + 1] == '-';
    char last = is_range ? pattern[i + 2] : pattern[i];
    is_found |= byte(pattern[i]) <= byte(c) && byte(c) <= byte(last);
    if (is_range) i += 2;
  }
  return {end + 1, is_found != is_negated};
}

enum class Brackets : uint8_t { Classes, Themselves };

// `*` stands for any characters, `?` for one, `[a-z]` and `[!a-z]` for one of these and one of the others; the rest for itself. Two
// places are enough to remember, so the time is at most the product of the lengths.
bool matches_name(std::string_view pattern, std::string_view name, Brackets brackets) {
  size_t p = 0, n = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    size_t step = 0;  // past what takes the character; 0: nothing does
    if (p < pattern.size() && pattern[p] == '[' && brackets == Brackets::Classes) {
      CharClass found = char_class(pattern, p, name[n]);
      if (found.end > 0) step = found.takes ? found.end - p : 0;
      else step = name[n] == '[';
    } else if (p < pattern.size() && pattern[p] != '*') {
      step = pattern[p] == '?' || pattern[p] == name[n];
    }
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (step > 0) {
      p += step;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Brackets may be meant as such, in addresses (`http://[::1]/*`) and commands: a rule against those must not lose its force.
bool matches_name(std::string_view pattern, std::string_view name) {
  if (matches_name(pattern, name, Brackets::Themselves)) return true;
  return pattern.find('[') != std::string_view::npos && matches_name(pattern, name, Brackets::Classes);
}

Outcome<Value> name_matches(Call& call) {
  auto pattern = HARN_TRY(call.text(0));
  return Value::boolean(matches_name(pattern, HARN_TRY(call.text(1))));
}

// {path} or {why}: nobody can say where it leads.
Outcome<Value> real_path(Call& call) {
  effects::FindRealPath request{std::string(HARN_TRY(call.text(0)))};
  auto found = HARN_TRY(effects::perform(effects::Run::current(call.vm()), request));
  return DictBuilder()
      .add("path", found.path.empty() ? Value() : text_value(found.path))
      .add("why", text_value(found.why))
      .done();
}

// A pattern that is no pattern matches nothing: what it was to allow stays closed.
Outcome<Value> path_matches(Call& call) {
  auto pattern = HARN_TRY(call.text(0));
  auto path = HARN_TRY(call.text(1));
  auto glob = effects::Glob::parse(pattern, effects::Glob::Hidden::Yes);
  return Value::boolean(glob && glob->matches(path));
}

constinit const Builtin kRows[] = {
    {.name = "__approval_ask",
     .signature = "(decision: dict, call: dict, context?: dict) -> string?",
     .doc = "Asks the host or a person about a tool call: nil when it is approved, else why not.",
     .prelude = "approval_policy:asked"},
    {.name = "__approval_decision",
     .signature = "(policy: dict?, call: dict, context?: dict) -> dict",
     .doc = "What an approval policy says of a tool call: {action, rule, reason, receipt}.",
     .prelude = "approval_policy:approval_decision"},
    {.name = "__command_places",
     .signature = "(command: string) -> dict",
     .doc = "The files and hosts that the text of a command names: {paths, names, urls, domains}.",
     .example = R"(__command_places("cat a/b").paths == ["a/b"])",
     .prelude = "command_places:command_places"},
    {.name = "__file_url_path",
     .signature = "(url: string) -> string?",
     .doc = "The path that a `file:` URL names; nil: it is none.",
     .example = R"(__file_url_path("file:///a%20b") == "/a b")",
     .prelude = "command_places:file_path"},
    {.name = "__host_of",
     .signature = "(url: string) -> string?",
     .doc = "The host of a URL, in small letters.",
     .example = R"(__host_of("https://User@API.example.com:1/x") == "api.example.com")",
     .prelude = "command_places:host_of"},
    {.name = "__is_secret_path",
     .signature = "(path: string) -> bool",
     .doc = "Whether a file looks like one that holds secrets, by its name or by where it leads.",
     .example = R"(__is_secret_path("a/.env") && !__is_secret_path("a/.env.example"))",
     .needs = Capability::FileInfo,
     .prelude = "approval_policy:is_secret_path"},
    {.name = "__name_matches",
     .signature = "(pattern: string, name: string) -> bool",
     .doc = "Whether a name has the form of a pattern with `*`, `?`, `[a-z]` and `[!a-z]`.",
     .example = R"(__name_matches("read_*", "read_file") && !__name_matches("read_?", "read_file"))",
     .call = name_matches},
    {.name = "__path_matches",
     .signature = "(pattern: string, path: string) -> bool",
     .doc = "Whether a path has the form of a pattern with `*`, `**`, `?` and the like.",
     .example = R"(__path_matches("src/**", "src/vm/value.h") && !__path_matches("*.h", "src/value.h"))",
     .call = path_matches},
    {.name = "__permission_decision",
     .signature = "(permissions: dict?, call: dict, context?: dict) -> dict",
     .doc = "What permissions say of a tool call: {allowed, reason, events, rule?}.",
     .prelude = "permissions:permission_decision"},
    {.name = "__real_path",
     .signature = "(path: string) -> dict",
     .doc = "Where a path leads, without links: {path, why}; no path: nobody can say, and why.",
     .example = R"(__real_path("/").path == "/")",
     .needs = Capability::FileInfo,
     .wait = on_fiber<real_path>},
    {.name = "__approval_gate",
     .signature = "(entry: dict?, call: dict, context?: dict) -> dict",
     .doc = "Whether approval policies let something happen that is no tool: {allowed, reason?, receipt?, events}.",
     .prelude = "approval_policy:approval_gate"},
    {.name = "__tool_gate",
     .signature = "(entry: dict?, call: dict, context?: dict) -> dict",
     .doc = "Permissions and approval policies together: {allowed, reason?, receipt?, events}.",
     .prelude = "approval_policy:tool_gate"},
    {.name = "with_approval_policy",
     .signature = "<T>(policy: dict, body: fn() -> T) -> T",
     .doc = "Calls `body`; the tools that are used meanwhile need what an approval policy says.",
     .example = R"(with_approval_policy({auto_deny: ["rm_*"]}, { -> 1 }) == 1)",
     .prelude = "approval_policy:with_approval_policy"},
    {.name = "with_autonomy_policy",
     .signature = "<T>(policy: dict | string, body: fn() -> T) -> T",
     .doc = "Calls `body` at an autonomy tier: shadow, suggest, act_with_approval or act_auto.",
     .example = R"(with_autonomy_policy("suggest", { -> 1 }) == 1)",
     .prelude = "approval_policy:with_autonomy_policy"},
    {.name = "with_dynamic_permissions",
     .signature = "<T>(permissions: dict, body: fn() -> T) -> T",
     .doc = "Calls `body`; the tools that are used meanwhile are those that permissions allow.",
     .example = R"(with_dynamic_permissions({allow: ["read_*"]}, { -> 1 }) == 1)",
     .prelude = "permissions:with_dynamic_permissions"},
};

}  // namespace

std::span<const Builtin> approval_rows() { return kRows; }

}  // namespace harn::builtins
