#include "cli/builtin_text.h"

#include "base/fmt.h"
#include "vm/handle.h"

namespace harn::cli {

using vm::Kind;

namespace {

struct KindName {
  Kind kind;
  std::string_view name;
};
// As `type_of` calls them; ranges are lists to a program.
constexpr KindName kKindNames[] = {
    {Kind::Nil, "nil"},         {Kind::Bool, "bool"},
    {Kind::Int, "int"},         {Kind::Float, "float"},
    {Kind::String, "string"},   {Kind::Bytes, "bytes"},
    {Kind::List, "list"},       {Kind::Dict, "dict"},
    {Kind::Struct, "struct"},   {Kind::Set, "set"},
    {Kind::Enum, "enum"},       {Kind::Pair, "pair"},
    {Kind::Iter, "iter"},       {Kind::Generator, "generator"},
    {Kind::Closure, "closure"}, {Kind::Builtin, "builtin"},
    {Kind::Rng, "rng"},
};

std::string receivers(const vm::Builtin& row) {
  std::string out;
  for (const KindName& known : kKindNames) {
    if (row.receiver & vm::on(known.kind)) out += fmt::format("{}{}", out.empty() ? "" : "|", known.name);
  }
  if (row.handle) out += fmt::format("{}{}", out.empty() ? "" : "|", row.handle->name);
  return out;
}

}  // namespace

bool is_internal(const vm::Builtin& row) { return row.name.starts_with("__"); }

bool is_method_of(const vm::Builtin& row, std::string_view kind) {
  for (const KindName& known : kKindNames) {
    if (known.name == kind) return row.receiver & vm::on(known.kind);
  }
  return row.handle && row.handle->name == kind;
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
