#include "llm/mock_wire.h"

#include <ctime>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "llm/encode.h"

namespace harn::llm {

namespace {

// {"a": 1, "b": text}: the shortest way to write these formats down.
Value obj(std::initializer_list<std::pair<std::string_view, Value>> fields) {
  DictBuilder out;
  for (const auto& [name, value] : fields) out.add(name, value);
  return out.done();
}
Value str(std::string_view text) { return vm::text_value(text); }
Value num(int64_t number) { return Value::integer(number); }
Value list(std::initializer_list<Value> values) {
  Value out = vm::new_list();
  for (const Value& value : values) push(out, value);
  return out;
}

// A text as a stream has it: as the script says, or a word each with the space behind it.
std::vector<std::string> chunks_of(const ScriptedReply& reply) {
  if (!reply.chunks.empty()) return reply.chunks;
  std::vector<std::string> out;
  std::string_view rest = reply.text;
  while (!rest.empty()) {
    size_t end = rest.find(' ');
    size_t size = end == rest.npos ? rest.size() : end + 1;
    out.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return out;
}

struct Context {
  const ScriptedReply& reply;
  std::string id;
  std::string model;
  int64_t now_s;
  Value request;
};

// Puts a stream together; every piece but the first waits.
class Stream {
 public:
  explicit Stream(const ScriptedReply& reply) : reply_(reply) {}
  void event(std::string_view name, const Value& data) {
    add(name.empty() ? fmt::format("data: {}\n\n", json_text(data))
                     : fmt::format("event: {}\ndata: {}\n\n", name, json_text(data)));
  }
  void add(std::string bytes) {
    int64_t delay = pieces_.empty() ? 0 : reply_.chunk_delay_ms;
    // What comes without a pause goes together.
    if (!pieces_.empty() && delay == 0 && reply_.cut_after < 0) pieces_.back().bytes += bytes;
    else pieces_.push_back({delay, std::move(bytes)});
  }
  std::vector<MockPiece> done() { return std::move(pieces_); }

 private:
  const ScriptedReply& reply_;
  std::vector<MockPiece> pieces_;
};

// ---- Anthropic ----

std::string anthropic_stop(const ScriptedReply& reply) {
  return !reply.stop_reason.empty() ? reply.stop_reason : reply.calls.empty() ? "end_turn" : "tool_use";
}

Value anthropic_usage(const ScriptedReply& reply) {
  return obj({{"input_tokens",
               num(std::max<int64_t>(reply.input_tokens - reply.cache_read_tokens - reply.cache_write_tokens, 0))},
              {"cache_creation_input_tokens", num(reply.cache_write_tokens)},
              {"cache_read_input_tokens", num(reply.cache_read_tokens)},
              {"output_tokens", num(reply.output_tokens)}});
}

Value anthropic_message(const Context& context, Value content, Value stop) {
  return obj({{"id", str(context.id)},
              {"type", str("message")},
              {"role", str("assistant")},
              {"model", str(context.model)},
              {"content", std::move(content)},
              {"stop_reason", std::move(stop)},
              {"stop_sequence", Value()},
              {"usage", anthropic_usage(context.reply)}});
}

Value anthropic_whole(const Context& context) {
  Value content = vm::new_list();
  const ScriptedReply& reply = context.reply;
  if (!reply.thinking.empty())
    push(content, obj({{"type", str("thinking")}, {"thinking", str(reply.thinking)}, {"signature", str("mock")}}));
  if (!reply.text.empty()) push(content, text_block(reply.text));
  for (const ScriptedCall& call : reply.calls)
    push(content,
         obj({{"type", str("tool_use")}, {"id", str(call.id)}, {"name", str(call.name)}, {"input", call.arguments}}));
  return anthropic_message(context, std::move(content), str(anthropic_stop(reply)));
}

void anthropic_stream(const Context& context, Stream& out) {
  const ScriptedReply& reply = context.reply;
  int64_t index = 0;
  auto block = [&](Value start, const std::vector<Value>& deltas) {
    out.event("content_block_start",
              obj({{"type", str("content_block_start")}, {"index", num(index)}, {"content_block", std::move(start)}}));
    for (const Value& delta : deltas)
      out.event("content_block_delta",
                obj({{"type", str("content_block_delta")}, {"index", num(index)}, {"delta", delta}}));
    out.event("content_block_stop", obj({{"type", str("content_block_stop")}, {"index", num(index)}}));
    ++index;
  };
  out.event("message_start",
            obj({{"type", str("message_start")}, {"message", anthropic_message(context, vm::new_list(), Value())}}));
  if (!reply.thinking.empty()) {
    block(obj({{"type", str("thinking")}, {"thinking", str("")}, {"signature", str("")}}),
          {obj({{"type", str("thinking_delta")}, {"thinking", str(reply.thinking)}}),
           obj({{"type", str("signature_delta")}, {"signature", str("mock")}})});
  }
  if (!reply.text.empty()) {
    std::vector<Value> deltas;
    for (const std::string& chunk : chunks_of(reply))
      deltas.push_back(obj({{"type", str("text_delta")}, {"text", str(chunk)}}));
    block(text_block(""), deltas);
  }
  for (const ScriptedCall& call : reply.calls) {
    block(obj({{"type", str("tool_use")}, {"id", str(call.id)}, {"name", str(call.name)}, {"input", vm::new_dict()}}),
          {obj({{"type", str("input_json_delta")}, {"partial_json", str(json_text(call.arguments))}})});
  }
  out.event("message_delta",
            obj({{"type", str("message_delta")},
                 {"delta", obj({{"stop_reason", str(anthropic_stop(reply))}, {"stop_sequence", Value()}})},
                 {"usage", obj({{"output_tokens", num(reply.output_tokens)}})}}));
  out.event("message_stop", obj({{"type", str("message_stop")}}));
}

// ---- OpenAI Chat ----

std::string chat_stop(const ScriptedReply& reply) {
  if (reply.stop_reason == "max_tokens") return "length";
  if (reply.stop_reason == "content_filter") return "content_filter";
  return reply.calls.empty() ? "stop" : "tool_calls";
}

Value chat_usage(const ScriptedReply& reply) {
  return obj({{"prompt_tokens", num(reply.input_tokens)},
              {"completion_tokens", num(reply.output_tokens)},
              {"total_tokens", num(reply.input_tokens + reply.output_tokens)},
              {"prompt_tokens_details", obj({{"cached_tokens", num(reply.cache_read_tokens)}})},
              {"completion_tokens_details", obj({{"reasoning_tokens", num(0)}})}});
}

Value chat_call(const ScriptedCall& call) {
  return obj({{"id", str(call.id)},
              {"type", str("function")},
              {"function", obj({{"name", str(call.name)}, {"arguments", str(json_text(call.arguments))}})}});
}

Value chat_whole(const Context& context) {
  const ScriptedReply& reply = context.reply;
  Value message = obj({{"role", str("assistant")},
                       {"content", reply.text.empty() && !reply.calls.empty() ? Value() : str(reply.text)},
                       {"refusal", Value()}});
  if (!reply.thinking.empty()) set(message, "reasoning_content", reply.thinking);
  Value calls = vm::new_list();
  for (const ScriptedCall& call : reply.calls) push(calls, chat_call(call));
  if (!reply.calls.empty()) set(message, "tool_calls", std::move(calls));
  return obj({{"id", str(context.id)},
              {"object", str("chat.completion")},
              {"created", num(context.now_s)},
              {"model", str(context.model)},
              {"choices", list({obj({{"index", num(0)},
                                     {"message", std::move(message)},
                                     {"logprobs", Value()},
                                     {"finish_reason", str(chat_stop(reply))}})})},
              {"usage", chat_usage(reply)}});
}

void chat_stream(const Context& context, Stream& out) {
  const ScriptedReply& reply = context.reply;
  bool wants_usage = flag_field(field(context.request, "stream_options"), "include_usage");
  auto frame = [&](Value choices, Value usage) {
    Value chunk = obj({{"id", str(context.id)},
                       {"object", str("chat.completion.chunk")},
                       {"created", num(context.now_s)},
                       {"model", str(context.model)},
                       {"choices", std::move(choices)}});
    if (wants_usage) set(chunk, "usage", std::move(usage));
    out.event("", chunk);
  };
  auto send = [&](Value delta, Value reason) {
    frame(list({obj({{"index", num(0)},
                     {"delta", std::move(delta)},
                     {"logprobs", Value()},
                     {"finish_reason", std::move(reason)}})}),
          Value());
  };
  send(obj({{"role", str("assistant")}, {"content", str("")}}), Value());
  if (!reply.thinking.empty()) send(obj({{"reasoning_content", str(reply.thinking)}}), Value());
  if (!reply.text.empty()) {
    for (const std::string& chunk : chunks_of(reply)) send(obj({{"content", str(chunk)}}), Value());
  }
  int64_t index = 0;
  for (const ScriptedCall& call : reply.calls) {
    Value made = chat_call(call);
    set(made, "index", num(index++));
    send(obj({{"tool_calls", list({made})}}), Value());
  }
  send(vm::new_dict(), str(chat_stop(reply)));
  if (wants_usage) frame(vm::new_list(), chat_usage(reply));
  out.add("data: [DONE]\n\n");
}

// ---- OpenAI Responses ----

Value responses_items(const Context& context) {
  const ScriptedReply& reply = context.reply;
  Value items = vm::new_list();
  if (!reply.thinking.empty()) {
    push(items, obj({{"type", str("reasoning")},
                     {"id", str("rs_" + context.id)},
                     {"summary", list({obj({{"type", str("summary_text")}, {"text", str(reply.thinking)}})})}}));
  }
  if (!reply.text.empty()) {
    push(items,
         obj({{"type", str("message")},
              {"id", str("msg_" + context.id)},
              {"status", str("completed")},
              {"role", str("assistant")},
              {"content",
               list({obj(
                   {{"type", str("output_text")}, {"text", str(reply.text)}, {"annotations", vm::new_list()}})})}}));
  }
  for (const ScriptedCall& call : reply.calls) {
    push(items, obj({{"type", str("function_call")},
                     {"id", str("fc_" + call.id)},
                     {"call_id", str(call.id)},
                     {"name", str(call.name)},
                     {"arguments", str(json_text(call.arguments))},
                     {"status", str("completed")}}));
  }
  return items;
}

Value responses_object(const Context& context, Value output, bool is_done) {
  const ScriptedReply& reply = context.reply;
  bool is_short = is_done && reply.stop_reason == "max_tokens";
  Value usage = obj({{"input_tokens", num(reply.input_tokens)},
                     {"input_tokens_details", obj({{"cached_tokens", num(reply.cache_read_tokens)}})},
                     {"output_tokens", num(reply.output_tokens)},
                     {"output_tokens_details", obj({{"reasoning_tokens", num(0)}})},
                     {"total_tokens", num(reply.input_tokens + reply.output_tokens)}});
  return obj({{"id", str(context.id)},
              {"object", str("response")},
              {"created_at", num(context.now_s)},
              {"status", str(is_short  ? "incomplete"
                             : is_done ? "completed"
                                       : "in_progress")},
              {"error", Value()},
              {"incomplete_details", is_short ? obj({{"reason", str("max_output_tokens")}}) : Value()},
              {"instructions", Value()},
              {"metadata", vm::new_dict()},
              {"model", str(context.model)},
              {"output", std::move(output)},
              {"parallel_tool_calls", Value::boolean(true)},
              {"temperature", Value::number(1.0)},
              {"tool_choice", str("auto")},
              {"tools", vm::new_list()},
              {"top_p", Value::number(1.0)},
              {"usage", is_done ? std::move(usage) : Value()}});
}

Value responses_whole(const Context& context) { return responses_object(context, responses_items(context), true); }

class ResponsesStream {
 public:
  ResponsesStream(const Context& context, Stream& out) : context_(context), out_(out) {}

  void run() {
    send("response.created", {{"response", responses_object(context_, vm::new_list(), false)}});
    send("response.in_progress", {{"response", responses_object(context_, vm::new_list(), false)}});
    Value all = responses_items(context_);
    for (const Value& item : items(all)) {
      add_item(item);
      ++index_;
    }
    bool is_short = context_.reply.stop_reason == "max_tokens";
    send(is_short ? "response.incomplete" : "response.completed",
         {{"response", responses_object(context_, all, true)}});
  }

 private:
  void send(std::string_view type, std::initializer_list<std::pair<std::string_view, Value>> fields) {
    Value event = obj(fields);
    set(event, "type", type);
    set(event, "sequence_number", num(number_++));
    out_.event(type, event);
  }

  void add_item(const Value& item) {
    std::string_view type = text_field(item, "type");
    Value started = item;
    if (type == "message") set(started, "content", Value(vm::new_list()));
    if (type == "function_call") set(started, "arguments", "");
    if (type != "reasoning") set(started, "status", "in_progress");
    send("response.output_item.added", {{"output_index", num(index_)}, {"item", started}});
    Value id = field(item, "id");
    if (type == "message") add_text(id, items_field(item, "content")[0]);
    if (type == "function_call") {
      Value arguments = field(item, "arguments");
      send("response.function_call_arguments.delta",
           {{"item_id", id}, {"output_index", num(index_)}, {"delta", arguments}});
      send("response.function_call_arguments.done",
           {{"item_id", id}, {"output_index", num(index_)}, {"arguments", arguments}, {"name", field(item, "name")}});
    }
    if (type == "reasoning") {
      send("response.reasoning_summary_text.delta", {{"item_id", id},
                                                     {"output_index", num(index_)},
                                                     {"summary_index", num(0)},
                                                     {"delta", str(context_.reply.thinking)}});
    }
    send("response.output_item.done", {{"output_index", num(index_)}, {"item", item}});
  }

  void add_text(const Value& id, const Value& part) {
    Value empty = part;
    set(empty, "text", "");
    send("response.content_part.added",
         {{"item_id", id}, {"output_index", num(index_)}, {"content_index", num(0)}, {"part", empty}});
    for (const std::string& chunk : chunks_of(context_.reply)) {
      send("response.output_text.delta", {{"item_id", id},
                                          {"output_index", num(index_)},
                                          {"content_index", num(0)},
                                          {"delta", str(chunk)},
                                          {"logprobs", vm::new_list()}});
    }
    send("response.output_text.done", {{"item_id", id},
                                       {"output_index", num(index_)},
                                       {"content_index", num(0)},
                                       {"text", field(part, "text")},
                                       {"logprobs", vm::new_list()}});
    send("response.content_part.done",
         {{"item_id", id}, {"output_index", num(index_)}, {"content_index", num(0)}, {"part", part}});
  }

  const Context& context_;
  Stream& out_;
  int64_t number_ = 0;
  int64_t index_ = 0;
};

void responses_stream(const Context& context, Stream& out) { ResponsesStream(context, out).run(); }

// ---- Ollama ----

std::string time_text(int64_t now_s) {
  time_t seconds = now_s;
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  size_t size = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

Value ollama_line(const Context& context, Value message) {
  return obj({{"model", str(context.model)},
              {"created_at", str(time_text(context.now_s))},
              {"message", std::move(message)},
              {"done", Value::boolean(false)}});
}

void add_ollama_end(const Context& context, Value& line) {
  const ScriptedReply& reply = context.reply;
  set(line, "done", Value::boolean(true));
  set(line, "done_reason", reply.stop_reason == "max_tokens" ? "length" : "stop");
  set(line, "total_duration", num(1));
  set(line, "load_duration", num(1));
  set(line, "prompt_eval_count", num(reply.input_tokens));
  set(line, "prompt_eval_duration", num(1));
  set(line, "eval_count", num(reply.output_tokens));
  set(line, "eval_duration", num(1));
}

Value ollama_calls(const ScriptedReply& reply) {
  Value calls = vm::new_list();
  for (const ScriptedCall& call : reply.calls)
    push(calls, obj({{"function", obj({{"name", str(call.name)}, {"arguments", call.arguments}})}}));
  return calls;
}

Value ollama_whole(const Context& context) {
  const ScriptedReply& reply = context.reply;
  Value message = obj({{"role", str("assistant")}, {"content", str(reply.text)}});
  if (!reply.thinking.empty()) set(message, "thinking", reply.thinking);
  if (!reply.calls.empty()) set(message, "tool_calls", ollama_calls(reply));
  Value line = ollama_line(context, std::move(message));
  add_ollama_end(context, line);
  return line;
}

void ollama_stream(const Context& context, Stream& out) {
  const ScriptedReply& reply = context.reply;
  auto send = [&](Value message, bool is_end = false) {
    set(message, "role", "assistant");
    if (!has_field(message, "content")) set(message, "content", "");
    Value line = ollama_line(context, std::move(message));
    if (is_end) add_ollama_end(context, line);
    out.add(json_text(line) + "\n");
  };
  if (!reply.thinking.empty()) send(obj({{"thinking", str(reply.thinking)}}));
  if (!reply.text.empty()) {
    for (const std::string& chunk : chunks_of(reply)) send(obj({{"content", str(chunk)}}));
  }
  if (!reply.calls.empty()) send(obj({{"tool_calls", ollama_calls(reply)}}));
  send(vm::new_dict(), true);
}

// ---- routes ----

struct Format {
  Wire wire;
  std::string_view id_start;
  Value (*whole)(const Context& context);
  void (*stream)(const Context& context, Stream& out);
};

constexpr Format kFormats[] = {
    {Wire::Anthropic, "msg_mock_", anthropic_whole, anthropic_stream},
    {Wire::OpenAiChat, "chatcmpl-mock-", chat_whole, chat_stream},
    {Wire::OpenAiResponses, "resp_mock_", responses_whole, responses_stream},
    {Wire::Ollama, "", ollama_whole, ollama_stream},
};

const Format* format_of(std::string_view path) {
  if (path.ends_with("/messages")) return &kFormats[0];
  if (path.ends_with("/chat/completions")) return &kFormats[1];
  if (path.ends_with("/responses")) return &kFormats[2];
  if (path == "/api/chat") return &kFormats[3];
  return nullptr;
}

MockAnswer json_answer(int status, const Value& body) {
  MockAnswer answer{.status = status, .headers = {{"content-type", "application/json"}}};
  answer.pieces.push_back({0, json_text(body)});
  return answer;
}

Value error_body(Wire wire, std::string_view type, std::string_view message) {
  Value error = obj({{"type", str(type)}, {"message", str(message)}});
  if (wire == Wire::Anthropic) return obj({{"type", str("error")}, {"error", std::move(error)}});
  if (wire == Wire::Ollama) return obj({{"error", str(message)}});
  set(error, "code", type);
  set(error, "param", Value());
  return obj({{"error", std::move(error)}});
}

MockAnswer error_answer(Wire wire, const ScriptedReply& reply) {
  const ScriptedError& error = *reply.error;
  MockAnswer answer = json_answer(error.status, error_body(wire, error.type, error.message));
  answer.pieces[0].delay_ms = reply.delay_ms;
  if (error.retry_after_ms >= 0) {
    answer.headers.push_back({"retry-after-ms", std::to_string(error.retry_after_ms)});
    answer.headers.push_back({"retry-after", std::to_string((error.retry_after_ms + 999) / 1000)});
  }
  return answer;
}

MockAnswer reply_answer(const Format& format, const Context& context, bool streams) {
  const ScriptedReply& reply = context.reply;
  MockAnswer answer{.streams = streams};
  if (streams) {
    bool is_lines = format.wire == Wire::Ollama;
    answer.headers = {{"content-type", is_lines ? "application/x-ndjson" : "text/event-stream"}};
    Stream out(reply);
    format.stream(context, out);
    answer.pieces = out.done();
  } else {
    answer = json_answer(200, format.whole(context));
  }
  if (reply.cut_after >= 0) {
    auto kept = std::min(answer.pieces.size(), static_cast<size_t>(reply.cut_after));
    answer.pieces.resize(kept);
    answer.is_cut = true;
  }
  if (!answer.pieces.empty()) answer.pieces[0].delay_ms += reply.delay_ms;
  return answer;
}

constexpr std::string_view kMockModel = "mock";

std::optional<MockAnswer> plain_answer(std::string_view path, int64_t now_s) {
  if (path == "/api/version") return json_answer(200, obj({{"version", str("0.0.0-mock")}}));
  if (path == "/api/tags") {
    return json_answer(200, obj({{"models", list({obj({{"name", str(kMockModel)},
                                                       {"model", str(kMockModel)},
                                                       {"modified_at", str(time_text(now_s))},
                                                       {"size", num(0)},
                                                       {"digest", str("mock")},
                                                       {"details", vm::new_dict()}})})}}));
  }
  if (path.ends_with("/models")) {
    Value model = obj({{"id", str(kMockModel)},
                       {"object", str("model")},
                       {"type", str("model")},
                       {"display_name", str("Mock")},
                       {"created", num(now_s)},
                       {"created_at", str(time_text(now_s))},
                       {"owned_by", str("harn")}});
    return json_answer(200, obj({{"object", str("list")},
                                 {"data", list({model})},
                                 {"has_more", Value::boolean(false)},
                                 {"first_id", str(kMockModel)},
                                 {"last_id", str(kMockModel)}}));
  }
  if (path == "/" || path == "/health") return json_answer(200, obj({{"status", str("ok")}}));
  return std::nullopt;
}

MockAnswer refusal(Wire wire, int status, std::string_view type, std::string_view message) {
  return json_answer(status, error_body(wire, type, message));
}

}  // namespace

MockAnswer MockWire::answer(std::string_view method, std::string_view path, std::string_view body, int64_t now_s) {
  path = path.substr(0, path.find('?'));
  const Format* format = format_of(path);
  last_kind_ = format ? wire_name(format->wire) : "";
  if (!format) {
    if (auto plain = plain_answer(path, now_s)) {
      last_kind_ = path;
      return *std::move(plain);
    }
    return refusal(Wire::OpenAiChat, 404, "not_found_error", fmt::format("there is nothing at {}", path));
  }
  if (method != "POST") return refusal(format->wire, 405, "invalid_request_error", "ask with POST");
  auto request = data::parse_json(body);
  if (!request || !request->is_dict())
    return refusal(format->wire, 400, "invalid_request_error", "the body is no JSON object");
  const Value& messages = field(*request, format->wire == Wire::OpenAiResponses ? "input" : "messages");
  if (messages.is_nil()) return refusal(format->wire, 400, "invalid_request_error", "there are no messages");
  ScriptedReply reply = script_.next(messages);
  if (reply.error) return error_answer(format->wire, reply);
  std::string model = reply.model.empty() ? std::string(text_field(*request, "model")) : reply.model;
  // Ollama streams unless it is told not to.
  const Value& stream = field(*request, "stream");
  bool streams = stream.is_bool() ? stream.as_bool() : format->wire == Wire::Ollama;
  Context context{reply, fmt::format("{}{}", format->id_start, ++count_), model, now_s, *request};
  return reply_answer(*format, context, streams);
}

}  // namespace harn::llm
