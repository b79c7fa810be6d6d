#include "cli/parking.h"

#include "effects/fields.h"

#include "base/fmt.h"
#include "builtins/parking.h"
#include "cli/files.h"
#include "cli/output.h"
#include "data/encoding.h"
#include "park/park.h"
#include "vm/ops.h"

namespace harn::cli {

std::expected<Parking, UsageError> parking_of(const Arguments& arguments) {
  auto to = arguments.text("--park-to");
  auto at = arguments.number("--park-at-wait");
  if (at && !to) return std::unexpected(UsageError{"`--park-at-wait` needs `--park-to STATE`", ""});
  if (!to) return Parking{};
  for (std::string_view other : {"--json", "--record"}) {
    if (!arguments.has(other)) continue;
    return std::unexpected(UsageError{fmt::format("`--park-to` and `{}` exclude each other", other), ""});
  }
  return Parking{std::string(*to), static_cast<uint64_t>(at.value_or(1))};
}

// ---- the note that a file has for us ----

namespace {

using vm::Value;

std::string to_note(const Origin& origin) {
  auto args = vm::new_list();
  for (const std::string& arg : origin.args) args->push(vm::text_value(arg));
  auto note = vm::new_list();
  for (const std::string* text : {&origin.file, &origin.name, &origin.text, &origin.task, &origin.project_root}) {
    note->push(vm::text_value(*text));
  }
  note->push(Value::integer(origin.while_limit));
  note->push(Value(std::move(args)));
  note->push(vm::new_bytes(effects::to_bytes(origin.sandbox)));
  std::string bytes;
  data::BuiltInTypes types;
  (void)data::encode(bytes, Value(std::move(note)), types);  // texts and numbers are data
  return bytes;
}

std::optional<Origin> from_note(std::string_view bytes) {
  data::BuiltInTypes types;
  auto note = data::decode(bytes, types);
  if (!note || !note->is_list() || note->as_list()->size != 8) return {};
  auto items = note->as_list()->values();
  Origin origin;
  std::string* texts[] = {&origin.file, &origin.name, &origin.text, &origin.task, &origin.project_root};
  for (size_t i = 0; i < std::size(texts); ++i) {
    if (!items[i].is_string()) return {};
    *texts[i] = items[i].as_string()->view();
  }
  if (!items[5].is_int() || !items[6].is_list() || !items[7].is(vm::Kind::Bytes)) return {};
  if (!effects::from_bytes(items[7].as_bytes()->view(), origin.sandbox)) return {};
  origin.while_limit = items[5].as_int();
  for (const Value& arg : items[6].as_list()->values()) {
    if (!arg.is_string()) return {};
    origin.args.emplace_back(arg.as_string()->view());
  }
  return origin;
}

}  // namespace

Result<SavedState> read_state(const std::string& path) {
  std::string bytes = HARN_TRY(read_file(path));
  std::string note = HARN_TRY(park::note_of(bytes));
  auto origin = from_note(note);
  if (!origin) return fail(ErrorKind::Invalid, fmt::format("{} was not written by `harn run`", path));
  return SavedState{*std::move(origin), std::move(bytes)};
}

int put_away(vm::Vm& vm, const Parking& parking, const Origin& origin) {
  auto bytes = park::put_away(vm, builtins::park_kinds(), to_note(origin));
  if (!bytes) return fail_with(bytes.error().message);
  if (auto written = write_private_file(parking.to, *bytes); !written) return fail_with(written.error().message);
  write_error(fmt::format("harn: put away in {0}; go on with: harn resume {0}\n", parking.to));
  return kPutAway;
}

}  // namespace harn::cli
