// What is in files.
#include "effects/files.h"

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "effects/file_stream.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::perform;

effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

// ---- reading ----

size_t first_broken_byte(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t size = text::char_size(text, at);
    if (!text::is_valid_utf8(text.substr(at, size))) break;
    at += size;
  }
  return at;
}

// `failure` begins the message, before the path.
Outcome<Value> read_text(Call& call, std::string_view failure) {
  std::string path(HARN_TRY(call.text(0)));
  std::string text = HARN_TRY(perform(run_of(call), effects::ReadFile{{call.row().name}, path, std::string(failure)}));
  step_bytes(text.size());
  if (text::is_valid_utf8(text)) return text_value(text);
  size_t at = first_broken_byte(text);
  return with_facts(
      throw_text(ErrorKind::Invalid, "{} {}: not UTF-8 at byte {}; read_file_bytes reads any file", failure,
                 text::to_valid_utf8(path), at),
      "not_utf8",
      {{"path", text_value(text::to_valid_utf8(path))}, {"offset", Value::integer(static_cast<int64_t>(at))}});
}

Outcome<Value> read_file(Call& call) { return read_text(call, "Failed to read file"); }

Outcome<Value> read_file_result(Call& call) {
  auto text = read_file(call);
  return text ? new_ok(std::move(*text)) : new_err(caught_value(*text.error()));
}

Outcome<Value> read_file_bytes(Call& call) {
  effects::ReadFile request{{call.row().name}, std::string(HARN_TRY(call.text(0)))};
  return new_bytes(HARN_TRY(perform(run_of(call), request)));
}

Outcome<Value> read_lines(Call& call) {
  Value text = HARN_TRY(read_text(call, "read_lines:"));
  std::string_view rest = text.as_string()->view();
  auto lines = new_list();
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    step_bytes(64 + line.size());
    lines->push(text_value(line));
  }
  return lines;
}

// ---- in pieces ----

Outcome<int64_t> piece_size(Call& call, uint32_t i) {
  constexpr int64_t kUsual = 64 * 1024, kMost = 16 << 20;
  int64_t size = HARN_TRY(call.integer_or(i, kUsual));
  if (size >= 1) return std::min(size, kMost);
  return throw_text(ErrorKind::Invalid, "read_file_stream: the size of a piece is {}, expected 1 or more", size);
}

Outcome<Value> file_open(Call& call) {
  HARN_CHECK(piece_size(call, 1));
  effects::OpenFile request{{"read_file_stream"}, std::string(HARN_TRY(call.text(0)))};
  return Value::integer(static_cast<int64_t>(HARN_TRY(perform(run_of(call), request))));
}

Outcome<Value> file_piece(Call& call) {
  auto file = static_cast<uint64_t>(HARN_TRY(call.integer(0)));
  auto most = static_cast<uint64_t>(HARN_TRY(piece_size(call, 1)));
  std::string piece = HARN_TRY(perform(run_of(call), effects::ReadPiece{file, most}));
  return piece.empty() ? Value() : Value(new_bytes(piece));
}

Outcome<Value> file_close(Call& call) {
  HARN_CHECK(perform(run_of(call), effects::CloseFile{static_cast<uint64_t>(HARN_TRY(call.integer(0)))}));
  return Value();
}

// ---- writing ----

// Bytes as they are, anything else as the text it is shown as.
std::string content_of(const Value& value) {
  return value.is(Kind::Bytes) ? std::string(value.as_bytes()->view()) : display(value);
}

Outcome<Value> write(Call& call, std::string bytes, bool appends) {
  effects::WriteFile request{{call.row().name}, std::string(HARN_TRY(call.text(0))), std::move(bytes), appends};
  HARN_CHECK(perform(run_of(call), request));
  return Value();
}

Outcome<Value> write_file(Call& call) { return write(call, content_of(call.arg(1)), false); }
Outcome<Value> append_file(Call& call) { return write(call, content_of(call.arg(1)), true); }

Outcome<Value> write_file_bytes(Call& call) {
  const Value& content = call.arg(1);
  if (content.is(Kind::Bytes)) return write(call, std::string(content.as_bytes()->view()), false);
  return throw_text(ErrorKind::Type, "write_file_bytes expects bytes content, got {}", type_name(content));
}

// ---- asking ----

Outcome<Value> file_exists(Call& call) {
  effects::PathExists request{{call.row().name}, std::string(HARN_TRY(call.text(0)))};
  return Value::boolean(HARN_TRY(perform(run_of(call), request)));
}

Outcome<Value> stat(Call& call) {
  effects::AskFile request{{call.row().name}, std::string(HARN_TRY(call.text(0)))};
  auto info = HARN_TRY(perform(run_of(call), request));
  return DictBuilder()
      .add("size", Value::integer(info.size))
      .add("is_file", Value::boolean(info.is_file))
      .add("is_dir", Value::boolean(info.is_directory))
      .add("readonly", Value::boolean(info.is_read_only))
      .add("modified", Value::number(static_cast<double>(info.modified_ns) / 1e9))
      .done();
}

constinit const Builtin kRows[] = {
    {.name = "__file_close",
     .signature = "(file: int) -> nil",
     .doc = "Closes a file that is read in pieces.",
     .wait = on_fiber<file_close>},
    {.name = "__file_open",
     .signature = "(path: string, size?: int) -> int",
     .doc = "The number of a file that is read in pieces.",
     .wait = on_fiber<file_open>},
    {.name = "__file_piece",
     .signature = "(file: int, size?: int) -> bytes?",
     .doc = "The next bytes, or nil at the end.",
     .wait = on_fiber<file_piece>},
    {.name = "append_file",
     .signature = "(path: string, content: any) -> nil",
     .doc = "Adds text, or bytes, to the end of a file, which is made if it is not there.",
     .example = R"(append_file("/dev/null", "more") == nil)",
     .needs = Capability::FileWrite,
     .wait = on_fiber<append_file>},
    {.name = "file_exists",
     .signature = "(path: string) -> bool",
     .doc = "Whether there is a file or directory of that path.",
     .example = R"(file_exists("/") && !file_exists("/no/such/file"))",
     .needs = Capability::FileInfo,
     .wait = on_fiber<file_exists>},
    {.name = "read_file",
     .signature = "(path: string) -> string",
     .doc = "Returns the text of a file, which must be UTF-8.",
     .example = R"(unwrap_err(try { read_file("/no/such/file") }).starts_with("Failed to read file /no/such/file"))",
     .needs = Capability::FileRead,
     .wait = on_fiber<read_file>},
    {.name = "read_file_bytes",
     .signature = "(path: string) -> bytes",
     .doc = "Returns what is in a file.",
     .example = R"(bytes_len(read_file_bytes("/dev/null")) == 0)",
     .needs = Capability::FileRead,
     .wait = on_fiber<read_file_bytes>},
    {.name = "read_file_result",
     .signature = "(path: string) -> Result<string, string>",
     .doc = "Returns the text of a file as Result.Ok, or why it cannot be read as Result.Err.",
     .example = R"(is_err(read_file_result("/no/such/file")) && is_ok(read_file_result("/dev/null")))",
     .needs = Capability::FileRead,
     .wait = on_fiber<read_file_result>},
    {.name = "read_file_stream",
     .signature = "(path: string, size?: int) -> Stream<bytes>",
     .doc =
         "Yields what is in a file in pieces of at most `size` bytes (64 KiB), for files that are larger than memory.",
     .example = R"(read_file_stream("/dev/null").to_list() == [])",
     .needs = Capability::FileRead,
     .prelude = "files:read_file_stream"},
    {.name = "read_lines",
     .signature = "(path: string) -> list<string>",
     .doc = "Returns the lines of a file, without their ends.",
     .example = R"(read_lines("/dev/null") == [])",
     .needs = Capability::FileRead,
     .wait = on_fiber<read_lines>},
    {.name = "stat",
     .signature = "(path: string) -> dict",
     .doc = "Returns {size, is_file, is_dir, readonly, modified}, `modified` in seconds since 1970.",
     .example = R"(stat("/").is_dir)",
     .needs = Capability::FileInfo,
     .wait = on_fiber<stat>},
    {.name = "write_file",
     .signature = "(path: string, content: any) -> nil",
     .doc = "Puts text, or bytes, in a file: all of it or, when that fails, none. The directory must be there.",
     .example = R"(write_file("/dev/null", "text") == nil)",
     .needs = Capability::FileWrite,
     .wait = on_fiber<write_file>},
    {.name = "write_file_bytes",
     .signature = "(path: string, content: any) -> nil",
     .doc = "Puts bytes in a file, as write_file does.",
     .example = R"(write_file_bytes("/dev/null", bytes_from_string("text")) == nil)",
     .needs = Capability::FileWrite,
     .wait = on_fiber<write_file_bytes>},
};

void open_files_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && effects::has_open_files(vm)) archive.refuse("it is reading a file in pieces");
}

}  // namespace

const park::PartRow kOpenFilesPart = {"open files", open_files_fields};

std::span<const Builtin> file_rows() { return kRows; }

}  // namespace harn::builtins
