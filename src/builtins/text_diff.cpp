// What became of each line of a text (std/diff, artifacts).
#include "base/line_diff.h"
#include "base/result.h"
#include "builtins/families.h"

namespace harn::builtins {

using namespace vm;

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  if (text.empty()) return out;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Each with the line break that ends it, so that a last line without one is another line.
std::vector<std::string_view> ended_lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out.push_back(text.substr(at, end - at));
  }
  return out;
}

std::string_view kind_of(line_diff::Mark mark) {
  switch (mark) {
    case line_diff::Mark::Same: return "equal";
    case line_diff::Mark::Removed: return "delete";
    case line_diff::Mark::Added: break;
  }
  return "insert";
}

Outcome<Value> diff_lines(Call& call) {
  auto split = truthy(call.arg(2)) ? ended_lines_of : lines_of;
  auto before = split(HARN_TRY(call.text(0)));
  auto after = split(HARN_TRY(call.text(1)));
  auto edits = line_diff::edits(before, after);
  auto ops = new_list(edits.size());
  int64_t old_line = 0, new_line = 0, insertions = 0, deletions = 0;
  for (const line_diff::Edit& edit : edits) {
    step();
    bool is_old = edit.mark != line_diff::Mark::Added, is_new = edit.mark != line_diff::Mark::Removed;
    old_line += is_old, new_line += is_new;
    insertions += !is_old, deletions += !is_new;
    ops->push(DictBuilder()
                  .add("kind", text_value(kind_of(edit.mark)))
                  .add("line", text_value(edit.line))
                  .add("old_line", is_old ? Value::integer(old_line) : Value())
                  .add("new_line", is_new ? Value::integer(new_line) : Value())
                  .done());
  }
  return DictBuilder()
      .add("changed", Value::boolean(insertions + deletions > 0))
      .add("insertions", Value::integer(insertions))
      .add("deletions", Value::integer(deletions))
      .add("ops", std::move(ops))
      .add("old_lines", Value::integer(old_line))
      .add("new_lines", Value::integer(new_line))
      .done();
}

constinit const Builtin kRows[] = {
    {.name = "__diff_lines",
     .signature = "(before: string, after: string, with_ends?: bool) -> dict",
     .doc = "What became of each line: {changed, insertions, deletions, ops, old_lines, new_lines}. With ends, lines "
            "have their line breaks.",
     .example = R"(__diff_lines("a", "b").insertions == 1)",
     .call = diff_lines},
    {.name = "__patch",
     .signature = "(path: string, before: string, after: string) -> string",
     .doc = "A patch for `git apply`, with three lines around each change; empty when nothing differs.",
     .example = R"(__patch("a.txt", "1\n", "2\n").contains("@@ -1 +1 @@\n-1\n+2\n"))",
     .prelude = "diffs:patch"},
    {.name = "__unified_diff",
     .signature = "(before: string, after: string, options: dict) -> string",
     .doc = "The text of a difference: {path, from_label, to_label, context}.",
     .example = R"(__unified_diff("a", "a", {}) == "")",
     .prelude = "diffs:unified_diff"},
};

}  // namespace

std::span<const Builtin> text_diff_rows() { return kRows; }

}  // namespace harn::builtins
