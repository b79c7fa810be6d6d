// `harn mock-server`: a provider of models that says what a script says, for tests of programs that talk to one.
#include <pthread.h>
#include <signal.h>

#include <chrono>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/output.h"
#include "base/fmt.h"
#include "llm/mock_wire.h"
#include "net/http_server.h"

namespace harn::cli {

namespace {

int64_t now_s() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

net::ServedAnswer served(llm::MockAnswer answer) {
  net::ServedAnswer out{.status = answer.status, .headers = std::move(answer.headers), .streams = answer.streams};
  out.is_cut = answer.is_cut;
  for (llm::MockPiece& piece : answer.pieces) out.pieces.push_back({piece.delay_ms, std::move(piece.bytes)});
  return out;
}

// One line for each request, as it is answered.
void tell(bool is_json, const net::ServedRequest& request, const std::string& kind, const llm::MockAnswer& answer) {
  if (!is_json)
    return write_error(fmt::format("{} {} -> {}{}\n", request.method, request.target, answer.status,
                                   answer.streams ? " (stream)" : ""));
  JsonWriter json;
  json.object().field("event", "request").field("method", request.method).field("path", request.target);
  json.field("wire", kind).field("status", int64_t{answer.status}).key("stream").boolean(answer.streams).end();
  write_out(json.take() + "\n");
  finish_output(kSuccess);
}

void tell_address(bool is_json, const std::string& url) {
  if (is_json) {
    JsonWriter json;
    json.object().field("event", "listening").field("url", url).end();
    write_out(json.take() + "\n");
  } else {
    write_out(fmt::format("listening on {}\n", url));
  }
  finish_output(kSuccess);
}

std::expected<llm::MockScript, std::string> script_of(const Arguments& arguments) {
  auto path = arguments.text("--script");
  if (!path) return llm::MockScript();
  auto text = read_file(std::string(*path));
  if (!text) return std::unexpected(fmt::format("`--script`: {}", text.error().message));
  return llm::MockScript::read(*path, *text);
}

int mock_server(const Arguments& arguments) {
  auto script = script_of(arguments);
  if (!script) return report_failure(arguments, "script", script.error());
  int64_t port = arguments.number("--port").value_or(0);
  if (port > 65535)
    return report_usage(arguments, {.message = fmt::format("`--port` is {}, expected 0 to 65535", port)});
  std::string host(arguments.text("--host").value_or("127.0.0.1"));

  // Threads that start from here on leave the signals to this one, which waits for them.
  sigset_t signals;
  sigemptyset(&signals);
  for (int one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, one);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  bool is_json = arguments.has("--json");
  bool is_quiet = arguments.has("--quiet");
  auto wire = std::make_shared<llm::MockWire>(*std::move(script));
  auto server = net::HttpServer::listen(host, static_cast<int>(port), [=](const net::ServedRequest& request) {
    llm::MockAnswer answer = wire->answer(request.method, request.target, request.body, now_s());
    if (!is_quiet) tell(is_json, request, wire->last_kind(), answer);
    return served(std::move(answer));
  });
  if (!server)
    return report_failure(arguments, "listen", fmt::format("cannot listen on {}:{}: {}", host, port, server.error()));
  tell_address(is_json, fmt::format("http://{}:{}", host, (*server)->port()));
  int signal = 0;
  sigwait(&signals, &signal);
  return kSuccess;
}

constexpr Option kOptions[] = {
    {.name = "--script",
     .value = "FILE",
     .kind = ValueKind::Path,
     .help = "replies: a JSON object on each line, or [[replies]] of a .toml file"},
    {.name = "--port",
     .value = "PORT",
     .kind = ValueKind::Number,
     .help = "where to listen (default 0: any port that is free)"},
    {.name = "--host", .value = "ADDRESS", .help = "on which address (default 127.0.0.1)"},
    {.name = "--quiet", .letter = 'q', .help = "do not tell about requests"},
    {.name = "--json", .help = "print events as JSON, one a line"},
};

}  // namespace

constinit const Command kMockServer = {
    .name = "mock-server",
    .summary = "Serve scripted model replies over HTTP",
    .options = kOptions,
    .notes =
        R"(Speaks the wire formats of Anthropic (/v1/messages), OpenAI (/v1/chat/completions, /v1/responses) and Ollama (/api/chat),
streaming and not. Point a client at the address that is printed: ANTHROPIC_BASE_URL, OPENAI_BASE_URL, OLLAMA_HOST. A reply has
text, thinking, tool_calls, match, consume_match, error {category or status, message, retry_after_ms}, delay_ms, chunks,
chunk_delay_ms, cut_after, stop_reason, model and token counts. Without a script, or at its end, the prompt comes back in words.
Ctrl-C ends it.)",
    .run = mock_server};

}  // namespace harn::cli
