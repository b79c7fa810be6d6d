#include "cli/builtin_text.h"

#include <algorithm>

#include "base/fmt.h"
#include "builtins/registry.h"

namespace harn::cli {

namespace {

std::string receivers(const vm::Builtin& row) { return fmt::format("{}", fmt::join(builtins::receivers(row), "|")); }

}  // namespace

bool is_internal(const vm::Builtin& row) { return row.name.starts_with("__"); }

bool is_method_of(const vm::Builtin& row, std::string_view kind) {
  auto all = builtins::receivers(row);
  return std::find(all.begin(), all.end(), kind) != all.end();
}

std::string heading(const vm::Builtin& row) {
  if (row.receiver == 0) return row.signature.shown(row.name);
  return row.signature.shown(fmt::format("{}.{}", receivers(row), row.name));
}

std::string description(const vm::Builtin& row) {
  std::string out = fmt::format("{}\n\n  {}\n", heading(row), row.doc);
  if (!row.example.empty()) out += fmt::format("\n  example: {}\n", row.example);
  if (row.needs != vm::Capability::None) out += fmt::format("  needs: {}\n", vm::capability_name(row.needs));
  return out;
}

void write_row(JsonWriter& json, const vm::Builtin& row) {
  json.object().field("name", row.name);
  json.field("kind", row.receiver ? "method" : "function");
  if (row.receiver) json.field("receiver", receivers(row));
  json.field("signature", row.signature.text()).field("doc", row.doc).field("example", row.example);
  json.field("needs", vm::capability_name(row.needs)).end();
}

}  // namespace harn::cli
