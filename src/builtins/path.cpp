#include <algorithm>
#include <string>
#include <vector>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/path_text.h"
#include "vm/builtin.h"

// Paths as text: no function here looks at the disk. `dirname`, `basename`, `extname` and
// `path_join` read paths as this platform does; the others read them the same way everywhere.
namespace harn::builtins {
namespace {

using namespace vm;

// Without trailing slashes and trailing `/.`; the root itself stays.
std::string_view without_tail(std::string_view path) {
  for (;;) {
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    else if (path.size() > 1 && path.ends_with("/.")) path.remove_suffix(1);
    else return path;
  }
}

std::string_view parent(std::string_view path) {
  path = without_tail(path);
  std::string_view root = root_of(path);
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.size() <= root.size()) return {};
  return slash < root.size() ? root : without_tail(path.substr(0, slash));
}

std::string_view file_name(std::string_view path) {
  path = without_tail(path);
  path.remove_prefix(std::min(path.size(), root_of(path).size()));
  auto name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name == ".." || name == "." ? std::string_view() : name;
}

// The last extension with its dot; a leading dot does not start one.
std::string_view extension(std::string_view name) {
  size_t dot = name.rfind('.');
  bool none = dot == std::string_view::npos || dot == 0 || dot + 1 == name.size();
  return none ? std::string_view() : name.substr(dot);
}

std::string_view stem(std::string_view name) { return name.substr(0, name.size() - extension(name).size()); }

Value text_list(const std::vector<std::string_view>& parts) {
  auto list = new_list(parts.size());
  for (std::string_view part : parts) {
    step();
    list->push(text_value(part));
  }
  return list;
}

// ---- this platform's paths ----

Outcome<Value> dirname(Call& call) { return text_value(parent(HARN_TRY(call.text(0)))); }
Outcome<Value> basename(Call& call) { return text_value(file_name(HARN_TRY(call.text(0)))); }
Outcome<Value> extname(Call& call) { return text_value(extension(file_name(HARN_TRY(call.text(0))))); }

Outcome<Value> path_join(Call& call) {
  std::string out;
  for (uint32_t i = 0; i < call.count(); ++i) {
    auto part = HARN_TRY(call.text(i));
    if (part.starts_with('/')) out.clear();
    else if (!out.empty() && !part.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return text_value(out);
}

// ---- paths as text ----

Outcome<std::string> posix(Call& call, uint32_t i = 0) { return to_posix(HARN_TRY(call.text(i))); }

Outcome<Value> path_parent(Call& call) { return text_value(parent(HARN_TRY(posix(call)))); }

using Part = std::string_view (*)(std::string_view);

Outcome<Value> path_basename(Call& call) {
  auto path = HARN_TRY(posix(call));
  return text_value(file_name(path));
}

template <Part part>
Outcome<Value> name_part(Call& call) {
  auto path = HARN_TRY(posix(call));
  return text_value(part(file_name(path)));
}

Outcome<Value> path_segments(Call& call) {
  auto path = HARN_TRY(posix(call));
  return text_list(segments_of(path));
}

Outcome<Value> path_parts(Call& call) {
  auto path = HARN_TRY(posix(call));
  auto name = file_name(path);
  return DictBuilder()
      .add("dir", text_value(parent(path)))
      .add("file", text_value(name))
      .add("stem", text_value(stem(name)))
      .add("ext", text_value(extension(name)))
      .add("segments", text_list(segments_of(path)))
      .done();
}

// The path with another file name in its last segment.
Value renamed(std::string_view path, std::string_view name) {
  std::string out(parent(path));
  if (!out.empty() && out.back() != '/') out += '/';
  return text_value(out.append(name));
}

Outcome<Value> path_with_extension(Call& call) {
  auto path = HARN_TRY(posix(call));
  auto wanted = HARN_TRY(call.text(1));
  std::string name(stem(file_name(path)));
  if (name.empty()) return text_value(path);
  if (!wanted.empty() && !wanted.starts_with('.')) name += '.';
  return renamed(path, name.append(wanted));
}

Outcome<Value> path_with_stem(Call& call) {
  auto path = HARN_TRY(posix(call));
  std::string name(HARN_TRY(call.text(1)));
  return renamed(path, name.append(extension(file_name(path))));
}

Outcome<Value> path_is_absolute(Call& call) { return Value::boolean(is_absolute(HARN_TRY(posix(call)))); }
Outcome<Value> path_is_relative(Call& call) { return Value::boolean(!is_absolute(HARN_TRY(posix(call)))); }

Outcome<Value> path_normalize(Call& call) { return text_value(normalize(HARN_TRY(posix(call)))); }
Outcome<Value> path_to_posix(Call& call) { return text_value(HARN_TRY(posix(call))); }

Outcome<Value> path_relative_to(Call& call) {
  auto path = normalize(HARN_TRY(posix(call, 0)));
  auto base = normalize(HARN_TRY(posix(call, 1)));
  std::string way;
  return relative_to(path, base, way) ? text_value(way) : Value();
}

constexpr std::string_view kText = "(path: string) -> string";
constexpr std::string_view kTest = "(path: string) -> bool";

constinit const Builtin kRows[] = {
    {.name = "basename",
     .signature = kText,
     .doc = "Returns the last component of the path.",
     .example = R"(basename("a/b.txt") == "b.txt")",
     .call = basename},
    {.name = "dirname",
     .signature = kText,
     .doc = "Returns the path without its last component.",
     .example = R"(dirname("a/b.txt") == "a")",
     .call = dirname},
    {.name = "extname",
     .signature = kText,
     .doc = "Returns the last extension with its dot, or an empty string.",
     .example = R"(extname("a/b.txt") == ".txt")",
     .call = extname},
    {.name = "path_basename",
     .signature = kText,
     .doc = "Returns the last segment of the path.",
     .example = R"(path_basename("a\\b.txt") == "b.txt")",
     .call = path_basename},
    {.name = "path_extension",
     .signature = kText,
     .doc = "Returns the last extension with its dot, or an empty string.",
     .example = R"(path_extension("a/b.txt") == ".txt")",
     .call = name_part<extension>},
    {.name = "path_is_absolute",
     .signature = kTest,
     .doc = "Says whether the path starts at a root.",
     .example = R"(path_is_absolute("/a"))",
     .call = path_is_absolute},
    {.name = "path_is_relative",
     .signature = kTest,
     .doc = "Says whether the path does not start at a root.",
     .example = R"(path_is_relative("a"))",
     .call = path_is_relative},
    {.name = "path_join",
     .signature = "(...parts: string) -> string",
     .doc = "Joins the parts; an absolute part replaces what came before.",
     .example = R"(path_join("a", "b") == "a/b")",
     .call = path_join},
    {.name = "path_normalize",
     .signature = kText,
     .doc = "Returns the path with `.` and `..` folded.",
     .example = R"(path_normalize("a/./b/../c") == "a/c")",
     .call = path_normalize},
    {.name = "path_parent",
     .signature = kText,
     .doc = "Returns the path without its last segment.",
     .example = R"(path_parent("/a") == "/")",
     .call = path_parent},
    {.name = "path_parts",
     .signature = "(path: string) -> dict",
     .doc = "Returns {dir, file, stem, ext, segments}.",
     .example = R"(path_parts("a/b.txt").stem == "b")",
     .call = path_parts},
    {.name = "path_relative_to",
     .signature = "(path: string, base: string) -> string?",
     .doc = "Returns the way from `base` to `path`, or nil when only one of them is absolute.",
     .example = R"(path_relative_to("a/b", "a/c") == "../b")",
     .call = path_relative_to},
    {.name = "path_segments",
     .signature = "(path: string) -> list<string>",
     .doc = "Returns the segments of the path.",
     .example = R"(path_segments("/a/b") == ["a", "b"])",
     .call = path_segments},
    {.name = "path_stem",
     .signature = kText,
     .doc = "Returns the last segment without its extension.",
     .example = R"(path_stem("a/b.txt") == "b")",
     .call = name_part<stem>},
    {.name = "path_to_native",
     .signature = kText,
     .doc = "Returns the path with this platform's separators.",
     .example = R"(path_to_native("a/b") == "a/b")",
     .call = path_to_posix},
    {.name = "path_to_posix",
     .signature = kText,
     .doc = "Returns the path with slashes for backslashes.",
     .example = R"(path_to_posix("a\\b") == "a/b")",
     .call = path_to_posix},
    {.name = "path_with_extension",
     .signature = "(path: string, ext: string) -> string",
     .doc = "Returns the path with another extension; its dot may be left out.",
     .example = R"(path_with_extension("a/b.txt", "md") == "a/b.md")",
     .call = path_with_extension},
    {.name = "path_with_stem",
     .signature = "(path: string, stem: string) -> string",
     .doc = "Returns the path with another name before the extension.",
     .example = R"(path_with_stem("a/b.txt", "c") == "a/c.txt")",
     .call = path_with_stem},
};

}  // namespace

std::span<const vm::Builtin> path_rows() { return kRows; }

}  // namespace harn::builtins
