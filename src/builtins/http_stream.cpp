// HTTP answers in pieces. A stream is a name to the program; what is behind it is the effect's.
#include "base/result.h"
#include "base/shared_table.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/http_answer.h"
#include "builtins/http_options.h"
#include "effects/http_stream.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr size_t kMostStreams = 64;
constexpr int64_t kMostBytes = 16 << 20;  // of one read

struct KnownStream {
  uint64_t number = 0;
  int64_t status = 0;
  std::vector<effects::HttpHeader> headers;
  bool decompress = true;
  std::string shown;  // for messages
};

// The open streams of a program.
using KnownStreams = SharedTable<std::string, KnownStream>;
KnownStreams& known_streams(Call& call) { return call.vm().local<KnownStreams>(); }
effects::Run& run_of(Call& call) { return effects::Run::current(call.vm()); }

Outcome<KnownStream> stream_of(Call& call) {
  std::string name(HARN_TRY(call.text(0)));
  if (auto known = known_streams(call).find(name)) return *std::move(known);
  return throw_text(ErrorKind::NotFound, "{}: unknown stream '{}'", call.row().name, name);
}

Outcome<Value> http_stream_open(Call& call) {
  auto plan = HARN_TRY(http_wish(call, "GET", display(call.arg(0)), call.arg(1))).plan;
  if (known_streams(call).count() >= kMostStreams) {
    return throw_text(ErrorKind::Limit, "http_stream_open: {} streams are open; close one first", kMostStreams);
  }
  auto head = HARN_TRY(effects::open_stream(run_of(call), plan));
  std::string name = fmt::format("http-stream-{}", head.stream);
  known_streams(call).put(
      name, {head.stream, head.status, std::move(head.headers), plan.request.decompress, plan.request.shown()});
  return text_value(name);
}

Outcome<Value> http_stream_read(Call& call) {
  auto stream = HARN_TRY(stream_of(call));
  int64_t most = HARN_TRY(call.integer_or(1, 64 * 1024));
  if (most < 1) return throw_text(ErrorKind::Invalid, "http_stream_read: max is {}, expected 1 or more", most);
  effects::ReadHttp request{stream.number, static_cast<uint64_t>(std::min(most, kMostBytes))};
  auto piece = HARN_TRY(effects::perform(run_of(call), request));
  if (!piece.is_known)
    return throw_text(ErrorKind::NotFound, "http_stream_read: unknown stream '{}'", HARN_TRY(call.text(0)));
  if (piece.failure != effects::HttpFailure::None) {
    return throw_text(effects::kind_of(piece.failure), "http: request failed: {} ({})", piece.message, stream.shown);
  }
  return piece.is_end ? Value() : Value(new_bytes(piece.bytes));
}

Outcome<Value> http_stream_info(Call& call) {
  auto stream = HARN_TRY(stream_of(call));
  return DictBuilder()
      .add("status", Value::integer(stream.status))
      .add("headers", http_headers(stream.headers, stream.decompress))
      .add("ok", Value::boolean(is_ok_status(stream.status)))
      .done();
}

Outcome<Value> http_stream_close(Call& call) {
  std::string name(HARN_TRY(call.text(0)));
  auto known = known_streams(call).find(name);
  if (!known) return Value::boolean(false);
  bool was_open = HARN_TRY(effects::perform(run_of(call), effects::CloseHttp{known->number}));
  known_streams(call).take(name);
  return Value::boolean(was_open);
}

void stream_fields(park::Archive& archive, Vm& vm) {
  if (archive.is_looking() && vm.local<KnownStreams>().count() > 0) archive.refuse("an HTTP stream is open");
}

constinit const Builtin kRows[] = {
    {.name = "http_stream_close",
     .signature = "(stream: string) -> bool",
     .doc = "Ends a stream and drops what was not read; false when there is no such stream.",
     .example = "!http_stream_close(\"none\")",
     .call = http_stream_close},
    {.name = "http_stream_info",
     .signature = "(stream: string) -> dict",
     .doc = "Returns {status, headers, ok} of an open stream.",
     .example = "unwrap_err(try { http_stream_info(\"none\") }) == \"http_stream_info: unknown stream 'none'\"",
     .call = http_stream_info},
    {.name = "http_stream_open",
     .signature = "(url: string, options?: " HARN_HTTP_OPTIONS ") -> string",
     .doc = "Asks for a URL, with the options of `http_get`, and returns a stream to read the body from.",
     .example = "unwrap_err(try { http_stream_open(\"http://127.0.0.1:1\") }).starts_with(\"http: request failed\")",
     .needs = Capability::Network,
     .wait = on_fiber<http_stream_open>},
    {.name = "http_stream_read",
     .signature = "(stream: string, max?: int) -> bytes?",
     .doc = "Waits for the next bytes of a stream, at most `max`; nil at its end.",
     .example = "unwrap_err(try { http_stream_read(\"none\") }) == \"http_stream_read: unknown stream 'none'\"",
     .wait = on_fiber<http_stream_read>},
};

}  // namespace

const park::PartRow kHttpStreamsPart = {"http streams", stream_fields};

std::span<const Builtin> http_stream_rows() { return kRows; }

}  // namespace harn::builtins
