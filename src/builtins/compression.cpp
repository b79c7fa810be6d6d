// Compressed bytes and archives (src/compress) for programs.
#include <mutex>
#include <optional>

#include "base/mutex.h"
#include "base/result.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "compress/archive.h"
#include "compress/pieces.h"
#include "data/pieces.h"
#include "effects/file_content.h"
#include "vm/aside.h"
#include "vm/fiber.h"
#include "vm/handle.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;

// A library that compresses cannot be stopped in the middle, and the best levels take milliseconds for a few pages.
constexpr size_t kLongWork = 4 * 1024;

// Unpacking takes about a nanosecond for a byte: some eight of them are a step.
void look_up_after(size_t bytes) { step(bytes / 8); }

// What a program calls it: functions of std/fs are made of rows with their name and two underscores.
std::string_view shown_name(const Call& call) {
  std::string_view name = call.row().name;
  return name.starts_with("__") ? name.substr(2) : name;
}

std::unexpected<Thrown> failed(std::string_view who, const Error& error) {
  return runtime_error(error.kind, "{}: {}", who, error.message);
}
std::unexpected<Thrown> failed(const Call& call, const Error& error) { return failed(shown_name(call), error); }

// ---- arguments ----

Outcome<std::string_view> content_arg(const Call& call, uint32_t i) {
  const Value& value = call.arg(i);
  if (value.is(Kind::Bytes)) return value.as_bytes()->view();
  if (value.is_string()) return value.as_string()->view();
  return runtime_error(ErrorKind::Type, "{}: expected bytes or string at argument {}, got {}", call.row().name, i + 1,
                       type_name(value));
}

Outcome<std::string_view> bytes_arg(const Call& call, uint32_t i) {
  const Value& value = call.arg(i);
  if (value.is(Kind::Bytes)) return value.as_bytes()->view();
  return runtime_error(ErrorKind::Type, "{}: expected bytes at argument {}, got {}", call.row().name, i + 1,
                       type_name(value));
}

Outcome<int> level_arg(const Call& call, uint32_t i, const compress::Codec& codec) {
  const Value& level = call.arg(i);
  if (level.is_nil()) return codec.usual;
  std::string_view what = codec.name == "brotli" ? "quality" : "level";
  if (!level.is_int()) {
    return runtime_error(ErrorKind::Type, "{}: {} must be an int, got {}", shown_name(call), what, type_name(level));
  }
  if (level.as_int() < codec.lowest || level.as_int() > codec.highest) {
    return runtime_error(ErrorKind::Invalid, "{}: {} must be between {} and {}, got {}", shown_name(call), what,
                         codec.lowest, codec.highest, level.as_int());
  }
  return static_cast<int>(level.as_int());
}

// Text and logs become some 20 times smaller, a page of zeros 1000 times. Who expects that says so.
Outcome<compress::Allowance> allowance_arg(Call& call, uint32_t i, size_t input) {
  constexpr uint64_t kAlways = 64 << 20, kNever = 1 << 30, kRatio = 250;
  const Value& options = call.arg(i);
  if (options.is_nil()) {
    uint64_t most = std::clamp<uint64_t>(input * kRatio, kAlways, kNever);
    return compress::Allowance{most, "which is suspicious for so few; `{max_bytes: n}` allows more"};
  }
  if (!options.is_dict()) {
    return runtime_error(ErrorKind::Type, "{}: expected a dict of options, got {}", call.row().name,
                         type_name(options));
  }
  const Value* most = HARN_TRY(options_of(call, i))->find("max_bytes");
  if (!most || !most->is_int() || most->as_int() < 0) {
    return runtime_error(ErrorKind::Invalid, "{}: max_bytes must be an int of at least 0", call.row().name);
  }
  return compress::Allowance{static_cast<uint64_t>(most->as_int()), "and max_bytes allows no more"};
}

// ---- formats ----

template <const compress::Codec& kCodec>
Outcome<Value> encode(Call& call) {
  std::string_view bytes = HARN_TRY(content_arg(call, 0));
  int level = HARN_TRY(level_arg(call, 1, kCodec));
  auto packed = std::make_shared<Result<std::string>>();
  auto work = [=] { *packed = kCodec.encode(bytes, level); };
  if (bytes.size() < kLongWork) work();
  else run_aside(work, call.arg(0));
  if (!*packed) return failed(call, packed->error());
  return new_bytes(**packed);
}

template <const compress::Codec& kCodec>
Outcome<Value> decode(Call& call) {
  std::string_view bytes = HARN_TRY(bytes_arg(call, 0));
  auto allowed = HARN_TRY(allowance_arg(call, 1, bytes.size()));
  auto plain = kCodec.decode(bytes, allowed, look_up_after);
  if (!plain) return failed(call, plain.error());
  return new_bytes(*plain);
}

// ---- files, and what comes in pieces ----

Outcome<Value> convert_file(Call& call, effects::PackFile request) {
  request.from = HARN_TRY(call.text(0));
  request.to = HARN_TRY(call.text(1));
  return Value::integer(HARN_TRY(effects::perform(effects::Run::current(call.vm()), request)));
}

Outcome<Value> gzip_file(Call& call) {
  int level = HARN_TRY(level_arg(call, 2, compress::kGzip));
  return convert_file(call, {{"gzip_file"}, {}, {}, false, level});
}

Outcome<Value> gunzip_file(Call& call) {
  const Value& most = call.arg(2);
  if (!most.is_nil() && (!most.is_int() || most.as_int() < 1)) {
    return runtime_error(ErrorKind::Invalid, "gunzip_file: max_bytes is {}, expected an int of at least 1",
                         display(most));
  }
  return convert_file(call, {{"gunzip_file"}, {}, {}, true, 0, most.is_nil() ? 0 : most.as_int()});
}

// A packer or an unpacker that is given its bytes bit by bit.
struct Gzip : HandleObject {
  Mutex lock;
  std::optional<compress::GzipWriter> writer;
  std::optional<compress::GzipReader> reader;
};

constinit const HandleType kGzipType = {
    .name = "gzip",
    .destroy = destroy_handle<Gzip>,
    .display = [](std::string& out, const HandleObject*) { out += "<gzip>"; },
};

Outcome<Value> gzip_stream(Call& call) {
  auto writer = compress::GzipWriter::create(HARN_TRY(level_arg(call, 0, compress::kGzip)));
  if (!writer) return failed(call, writer.error());
  auto made = new_handle<Gzip>(kGzipType);
  made->writer.emplace(std::move(*writer));
  return Value(std::move(made));
}

Outcome<Value> gunzip_stream(Call& call) {
  auto reader = compress::GzipReader::create();
  if (!reader) return failed(call, reader.error());
  auto made = new_handle<Gzip>(kGzipType);
  made->reader.emplace(std::move(*reader));
  return Value(std::move(made));
}

Result<void> add_to(Gzip& gzip, std::string_view bytes, const compress::Sink& sink) {
  std::lock_guard guard(gzip.lock);
  return gzip.writer ? gzip.writer->add(bytes, sink) : gzip.reader->add(bytes, sink);
}

Result<void> finish(Gzip& gzip, const compress::Sink& sink) {
  std::lock_guard guard(gzip.lock);
  return gzip.writer ? gzip.writer->finish(sink) : gzip.reader->finish();
}

// What comes out as a list of pieces. Nil is the end of the bytes.
Outcome<Value> gzip_add(Call& call) {
  auto* gzip = as_handle<Gzip>(call.arg(0), kGzipType);
  if (!gzip) return call.wrong_type(0, "a stream of gzip");
  auto pieces = new_list();
  auto sink = [&](std::string_view piece) {
    pieces->push(new_bytes(piece));
    return Result<void>();
  };
  std::string_view who = gzip->writer ? "gzip_stream" : "gunzip_stream";
  const Value& data = call.arg(1);
  Result<void> done;
  if (data.is_nil()) done = finish(*gzip, sink);
  else if (!data.is(Kind::Bytes) && !data.is_string()) {
    return runtime_error(ErrorKind::Type, "{}: expected pieces that are bytes or strings, got {}", who,
                         type_name(data));
  } else {
    data::in_pieces(HARN_TRY(content_arg(call, 1)), 1, [&](std::string_view piece) {
      if (done) done = add_to(*gzip, piece, sink);
    });
  }
  if (!done) return failed(who, done.error());
  return pieces;
}

// ---- archives ----

class EntryReader {
 public:
  explicit EntryReader(Call& call) : call_(call) {}

  Outcome<std::vector<compress::Entry>> read() {
    const Value& list = call_.arg(0);
    if (!is_list_like(list)) {
      return runtime_error(ErrorKind::Type, "{}: entries must be a list, got {}", call_.row().name, type_name(list));
    }
    std::vector<compress::Entry> entries;
    for (; number_ < list_size(list); ++number_) entries.push_back(HARN_TRY(read(list_item(list, number_))));
    return entries;
  }

 private:
  template <class... Args>
  std::unexpected<Thrown> wrong(ErrorKind kind, fmt::format_string<Args...> what, Args&&... args) {
    return runtime_error(kind, "{}: entry {} {}", call_.row().name, number_ + 1,
                         fmt::format(what, std::forward<Args>(args)...));
  }

  Outcome<compress::Entry> read(const Value& value) {
    if (!value.is_dict()) return wrong(ErrorKind::Type, "must be a dict, got {}", type_name(value));
    // What `tar_extract` gives is made into an archive again, so a zip may say a mode that it does not keep.
    constexpr std::string_view kKeys[] = {"path", "content", "mode"};
    HARN_CHECK(check_names(fmt::format("{}: entry {}", call_.row().name, number_ + 1), "key", value.as_dict(), kKeys));
    const Value* path = value.as_dict()->find("path");
    if (!path || path->is_nil()) return wrong(ErrorKind::Invalid, "is missing path");
    if (!path->is_string()) return wrong(ErrorKind::Type, "path must be a string, got {}", type_name(*path));
    if (path->as_string()->size == 0) return wrong(ErrorKind::Invalid, "path must not be empty");
    compress::Entry entry{.path = std::string(path->as_string()->view())};
    HARN_CHECK(read_content(value, entry));
    HARN_CHECK(read_mode(value, entry));
    return entry;
  }

  Outcome<void> read_content(const Value& value, compress::Entry& entry) {
    const Value* content = value.as_dict()->find("content");
    bool is_bytes = content && content->is(Kind::Bytes);
    if (!is_bytes && !(content && content->is_string())) {
      return wrong(ErrorKind::Type, "content must be bytes or string, got {}", content ? type_name(*content) : "nil");
    }
    entry.content = is_bytes ? content->as_bytes()->view() : content->as_string()->view();
    step_bytes(entry.content.size());
    return {};
  }

  Outcome<void> read_mode(const Value& value, compress::Entry& entry) {
    const Value* mode = value.as_dict()->find("mode");
    if (!mode || mode->is_nil()) return {};
    if (!mode->is_int()) return wrong(ErrorKind::Type, "mode must be an int, got {}", type_name(*mode));
    if (mode->as_int() < 0 || mode->as_int() > 07777) {
      return wrong(ErrorKind::Invalid, "mode must be between 0 and 4095, got {}", mode->as_int());
    }
    entry.mode = mode->as_int();
    return {};
  }

  Call& call_;
  size_t number_ = 0;
};

template <auto kCreate>
Outcome<Value> create(Call& call) {
  struct Work {
    std::vector<compress::Entry> entries;
    Result<std::string> archive;
  };
  auto work = std::make_shared<Work>();
  work->entries = HARN_TRY(EntryReader(call).read());
  run_aside([work] { work->archive = kCreate(work->entries, [](size_t) {}); }, Value());
  if (!work->archive) return failed(call, work->archive.error());
  return new_bytes(*work->archive);
}

enum class WithMode : uint8_t { No, Yes };

Value entries_value(const std::vector<compress::Entry>& entries, WithMode with_mode) {
  auto list = new_list(entries.size());
  for (const compress::Entry& entry : entries) {
    step_bytes(entry.content.size());
    DictBuilder dict;
    dict.add("path", text_value(entry.path)).add("content", new_bytes(entry.content));
    if (with_mode == WithMode::Yes) dict.add("mode", Value::integer(entry.mode));
    list->push(dict.done());
  }
  return Value(std::move(list));
}

Outcome<Value> tar_extract(Call& call) {
  auto entries = compress::tar_extract(HARN_TRY(bytes_arg(call, 0)), look_up_after);
  if (!entries) return failed(call, entries.error());
  return entries_value(*entries, WithMode::Yes);
}

Outcome<Value> zip_extract(Call& call) {
  std::string_view bytes = HARN_TRY(bytes_arg(call, 0));
  auto entries = compress::zip_extract(bytes, HARN_TRY(allowance_arg(call, 1, bytes.size())), look_up_after);
  if (!entries) return failed(call, entries.error());
  return entries_value(*entries, WithMode::No);
}

constinit const Builtin kRows[] = {
    {.name = "__gunzip_file",
     .signature = "(from: string, to: string, max_bytes?: int) -> int",
     .doc = "Unpacks a file into another and returns the size of that.",
     .wait = on_fiber<gunzip_file>},
    {.name = "__gunzip_stream",
     .signature = "() -> any",
     .doc = "Unpacks bytes that come in pieces.",
     .call = gunzip_stream},
    {.name = "__gzip_add",
     .signature = "(gzip: any, data: bytes | string | nil) -> list<bytes>",
     .doc = "What comes out of a packer or unpacker for more bytes; nil is the end of them.",
     .call = gzip_add},
    {.name = "__gzip_file",
     .signature = "(from: string, to: string, level?: int) -> int",
     .doc = "Packs a file into another and returns the size of that.",
     .wait = on_fiber<gzip_file>},
    {.name = "__gzip_stream",
     .signature = "(level?: int) -> any",
     .doc = "Packs bytes that come in pieces.",
     .call = gzip_stream},
    {.name = "brotli_decode",
     .signature = "(data: bytes, options?: {max_bytes?: int}) -> bytes",
     .doc = "Unpacks brotli data, into at most `max_bytes` bytes.",
     .example = "brotli_decode(brotli_encode(\"hello\")) == bytes_from_string(\"hello\")",
     .call = decode<compress::kBrotli>},
    {.name = "brotli_encode",
     .signature = "(data: bytes | string, quality?: int) -> bytes",
     .doc = "Packs bytes or text with brotli, of quality 0 to 11 (the default).",
     .example = "bytes_len(brotli_encode(\"x\".repeat(1000))) < 50",
     .call = encode<compress::kBrotli>},
    {.name = "gzip_decode",
     .signature = "(data: bytes, options?: {max_bytes?: int}) -> bytes",
     .doc = "Unpacks gzip data of any number of members, into at most `max_bytes` bytes.",
     .example = "gzip_decode(gzip_encode(\"hello\")) == bytes_from_string(\"hello\")",
     .call = decode<compress::kGzip>},
    {.name = "gzip_encode",
     .signature = "(data: bytes | string, level?: int) -> bytes",
     .doc = "Packs bytes or text with gzip, of level 0 to 9, by default 6; the same input always gives the same bytes.",
     .example = "bytes_to_hex(gzip_encode(\"hello\")).starts_with(\"1f8b080000000000\")",
     .call = encode<compress::kGzip>},
    {.name = "tar_create",
     .signature = "(entries: list<dict>) -> bytes",
     .doc = "Makes a tar archive of [{path, content, mode?}]; the same entries always give the same bytes.",
     .example = "tar_extract(tar_create([{path: \"a.txt\", content: \"hi\"}]))[0].mode == 420",
     .call = create<compress::tar_create>},
    {.name = "tar_extract",
     .signature = "(archive: bytes) -> list<dict>",
     .doc = "The files in a tar archive, [{path, content, mode}]; one with links, devices or paths that lead out is "
            "refused.",
     .example = "tar_extract(tar_create([{path: \"a.txt\", content: \"hi\"}]))[0].path == \"a.txt\"",
     .call = tar_extract},
    {.name = "zip_create",
     .signature = "(entries: list<dict>) -> bytes",
     .doc = "Makes a zip archive of [{path, content}]; the same entries always give the same bytes.",
     .example = "bytes_to_hex(zip_create([{path: \"a.txt\", content: \"hi\"}])).starts_with(\"504b0304\")",
     .call = create<compress::zip_create>},
    {.name = "zip_extract",
     .signature = "(archive: bytes, options?: {max_bytes?: int}) -> list<dict>",
     .doc = "The files in a zip archive, [{path, content}], of at most `max_bytes` bytes; one with links or paths that "
            "lead out is refused.",
     .example = "zip_extract(zip_create([{path: \"a.txt\", content: \"hi\"}]))[0].path == \"a.txt\"",
     .call = zip_extract},
    {.name = "zstd_decode",
     .signature = "(data: bytes, options?: {max_bytes?: int}) -> bytes",
     .doc = "Unpacks zstd data of any number of frames, into at most `max_bytes` bytes.",
     .example = "zstd_decode(zstd_encode(\"hello\")) == bytes_from_string(\"hello\")",
     .call = decode<compress::kZstd>},
    {.name = "zstd_encode",
     .signature = "(data: bytes | string, level?: int) -> bytes",
     .doc = "Packs bytes or text with zstd, of level -7 to 22, by default 3.",
     .example = "bytes_len(zstd_encode(\"x\".repeat(1000))) < 50",
     .call = encode<compress::kZstd>},
};

}  // namespace

std::span<const Builtin> compression_rows() { return kRows; }

}  // namespace harn::builtins
