// Tool calls that models write as text: the parser is data/tool_text.h, the text that tells a model how to write them is in
// src/std/prelude/tool_contract.harn.
#include <mutex>

#include "base/fmt.h"
#include "base/mutex.h"
#include "base/result.h"
#include "builtins/families.h"
#include "data/tool_text.h"
#include "data/tool_text_stream.h"
#include "vm/dict.h"
#include "vm/handle.h"
#include "vm/ops.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

Value text_list(const std::vector<std::string>& texts) {
  Value list = new_list();
  for (const std::string& text : texts) writable_list(list)->push(text_value(text));
  return list;
}

Value repair_list(const std::vector<data::Repair>& repairs) {
  Value list = new_list();
  for (const data::Repair& one : repairs) {
    Value entry = DictBuilder()
                      .add("kind", text_value(one.kind))
                      .add("offset", Value::integer(static_cast<int64_t>(one.offset)))
                      .done();
    writable_list(list)->push(std::move(entry));
  }
  return list;
}

Value call_value(data::TextCall& call) {
  DictBuilder made;
  made.add("name", text_value(call.name)).add("raw", text_value(call.raw));
  made.add("arguments", call.arguments ? std::move(*call.arguments) : Value(new_dict()));
  if (!call.error.empty()) made.add("error", text_value(call.error));
  if (!call.repairs.empty()) made.add("repairs", repair_list(call.repairs));
  return made.done();
}

// (text, names of tools)
Outcome<Value> parse_reply(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto names = HARN_TRY(call.list(1));
  auto is_tool = [&](std::string_view name) {
    for (const Value& known : names->values()) {
      if (known.is_string() && known.as_string()->view() == name) return true;
    }
    return false;
  };
  data::ToolText reply = data::read_tool_text(text, is_tool);
  Value calls = new_list();
  for (data::TextCall& one : reply.calls) writable_list(calls)->push(call_value(one));
  const std::string& prose = reply.user_response.empty() ? reply.assistant_prose : reply.user_response;
  return DictBuilder()
      .add("calls", std::move(calls))
      .add("prose", text_value(prose))
      .add("visible_text", text_value(reply.visible_text))
      .add("user_response", reply.user_response.empty() ? Value() : text_value(reply.user_response))
      .add("done", reply.done ? text_value(*reply.done) : Value())
      .add("violations", text_list(reply.violations))
      .add("parse_errors", text_list(reply.parse_errors))
      .add("canonical_text", text_value(reply.canonical_text))
      .done();
}

struct ReplyStream : HandleObject {
  Mutex lock;
  data::ToolTextStream stream{{}};
};

constinit const HandleType kReplyStreamType = {
    .name = "reply_stream",
    .destroy = destroy_handle<ReplyStream>,
    .display = [](std::string& out, const HandleObject*) { out += "<reply stream>"; },
};

// (names of tools)
Outcome<Value> reply_stream(Call& call) {
  auto names = HARN_TRY(call.list(0));
  std::vector<std::string> tools;
  for (const Value& name : names->values()) {
    if (name.is_string()) tools.emplace_back(name.as_string()->view());
  }
  Value made(new_handle<ReplyStream>(kReplyStreamType));
  as_handle<ReplyStream>(made, kReplyStreamType)->stream = data::ToolTextStream(std::move(tools));
  return made;
}

// As they come from providers with a wire format for tools.
Value delta_value(const data::ToolTextStream::Delta& delta) {
  using Kind = data::ToolTextStream::Delta::Kind;
  DictBuilder made;
  if (delta.kind == Kind::Text) return made.add("type", text_value("text")).add("text", text_value(delta.text)).done();
  made.add("type", text_value("tool_call")).add("index", Value::integer(static_cast<int64_t>(delta.index)));
  if (delta.kind == Kind::Call)
    made.add("id", text_value(fmt::format("call_{}", delta.index + 1))).add("name", text_value(delta.text));
  made.add("arguments_text", text_value(delta.kind == Kind::Call ? "" : delta.text));
  return made.done();
}

// (stream, piece?): without one the reply has ended.
Outcome<Value> add_piece(Call& call) {
  auto* reply = as_handle<ReplyStream>(call.arg(0), kReplyStreamType);
  if (!reply) return call.wrong_type(0, "a reply stream");
  bool is_end = call.arg(1).is_nil();
  std::string_view piece = is_end ? std::string_view() : HARN_TRY(call.text(1));
  Value deltas = new_list();
  std::lock_guard guard(reply->lock);
  for (const auto& delta : is_end ? reply->stream.finish() : reply->stream.add(piece))
    writable_list(deltas)->push(delta_value(delta));
  return deltas;
}

constinit const Builtin kRows[] = {
    {.name = "__reply_stream",
     .signature = "(tool_names: list<string>) -> any",
     .doc = "A reader of a reply in the text protocol that comes in pieces.",
     .call = reply_stream},
    {.name = "__reply_stream_add",
     .signature = "(stream: any, piece: string?) -> list",
     .doc = "What one more piece tells for certain, as deltas; nil: the reply has ended.",
     .example = R"(__reply_stream_add(__reply_stream([]), "<done>x</done>Hi <")[0].text == "Hi")",
     .call = add_piece},
    {.name = "__text_tool_contract",
     .signature = "(tools: any, options?: dict) -> string",
     .doc = "The text that tells a model how to write tool calls, and which tools there are.",
     .prelude = "tool_contract:text_tool_contract"},
    {.name = "__tool_text_parse",
     .signature = "(text: string, tool_names: list<string>) -> dict",
     .doc = "Reads a reply in the text protocol: {calls, prose, visible_text, user_response, done, violations, "
            "parse_errors, canonical_text}.",
     .example = R"(__tool_text_parse("<tool_call>f({a: 1})</tool_call>", ["f"]).calls[0].arguments == {a: 1})",
     .call = parse_reply},
};

}  // namespace

std::span<const Builtin> tool_text_rows() { return kRows; }

}  // namespace harn::builtins
