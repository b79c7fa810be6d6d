#include "llm/answer.h"

#include "base/fmt.h"
#include "data/loose_json.h"
#include "llm/encode.h"
#include "llm/failures.h"

namespace harn::llm {

namespace {

Value delta(std::string_view type, std::string_view text) {
  return DictBuilder().add("type", vm::text_value(type)).add("text", vm::text_value(text)).done();
}

Value told_repairs(const std::vector<data::Repair>& repairs) {
  Value list = vm::new_list();
  for (const data::Repair& one : repairs) {
    push(list, DictBuilder()
                   .add("kind", vm::text_value(one.kind))
                   .add("offset", Value::integer(static_cast<int64_t>(one.offset)))
                   .done());
  }
  return list;
}

// What was written as the arguments of a call. A model that cannot be read gets its call back as an error, and the program the text.
void read_arguments(Value& call, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return set(call, "arguments", vm::new_dict());
  if (auto exact = data::parse_json(text); exact && exact->is_dict()) return set(call, "arguments", *std::move(exact));
  data::LooseValue loose = data::read_loose(text, data::LooseReader::Wanted::Object);
  if (loose.value && loose.value->is_dict()) {
    set(call, "arguments", *std::move(loose.value));
    set(call, "raw", text);
    set(call, "repairs", told_repairs(loose.repairs));
    return;
  }
  set(call, "arguments", vm::new_dict());
  set(call, "raw", text);
  set(call, "error", loose.is_too_deep ? "the arguments nest too deeply" : "the arguments are no JSON object");
}

int64_t bytes_in(const Value& value) {
  if (value.is_string()) return static_cast<int64_t>(text_of(value).size());
  int64_t sum = 0;
  for (const Value& item : items(value)) sum += bytes_in(item);
  if (value.is_dict()) {
    for (auto [key, part] : value.as_dict()->entries()) sum += bytes_in(*part);
  }
  return sum;
}

int64_t tokens_of(int64_t bytes) { return (bytes + 3) / 4; }

}  // namespace

size_t AnswerBuilder::open(Kind kind) {
  blocks_.push_back({.kind = kind});
  return blocks_.size() - 1;
}

size_t AnswerBuilder::last_or_new(Kind kind) {
  return !blocks_.empty() && blocks_.back().kind == kind ? blocks_.size() - 1 : open(kind);
}

void AnswerBuilder::add_text(size_t block, std::string_view text, Deltas& deltas) {
  if (text.empty()) return;
  blocks_[block].text += text;
  deltas.push_back(delta("text", text));
}

void AnswerBuilder::add_thinking(size_t block, std::string_view text, Deltas& deltas) {
  if (text.empty()) return;
  blocks_[block].text += text;
  deltas.push_back(delta("thinking", text));
}

void AnswerBuilder::add_summary(size_t block, std::string_view text, Deltas& deltas) {
  if (text.empty()) return;
  blocks_[block].summary += text;
  deltas.push_back(delta("thinking", text));
}

size_t AnswerBuilder::call_index(size_t block) const {
  size_t index = 0;
  for (size_t i = 0; i < block; ++i) index += blocks_[i].kind == Kind::Call;
  return index;
}

void AnswerBuilder::begin_call(size_t block, std::string_view id, std::string_view name, Deltas& deltas) {
  blocks_[block].id = id;
  blocks_[block].name = name;
  deltas.push_back(DictBuilder()
                       .add("type", vm::text_value("tool_call"))
                       .add("index", Value::integer(static_cast<int64_t>(call_index(block))))
                       .add("id", vm::text_value(id))
                       .add("name", vm::text_value(program_name(name)))
                       .add("arguments_text", vm::text_value(""))
                       .done());
}

void AnswerBuilder::add_arguments(size_t block, std::string_view text, Deltas& deltas) {
  if (text.empty()) return;
  blocks_[block].text += text;
  deltas.push_back(DictBuilder()
                       .add("type", vm::text_value("tool_call"))
                       .add("index", Value::integer(static_cast<int64_t>(call_index(block))))
                       .add("arguments_text", vm::text_value(text))
                       .done());
}

void AnswerBuilder::set_usage(Usage usage, Deltas& deltas) {
  usage_ = usage;
  has_usage_ = true;
  deltas.push_back(DictBuilder()
                       .add("type", vm::text_value("usage"))
                       .add("input_tokens", Value::integer(usage.input))
                       .add("output_tokens", Value::integer(usage.output))
                       .add("cache_read_tokens", Value::integer(usage.cache_read))
                       .add("cache_write_tokens", Value::integer(usage.cache_write))
                       .done());
}

void AnswerBuilder::estimate_usage() {
  int64_t output = 0;
  for (const Block& block : blocks_) output += static_cast<int64_t>(block.text.size());
  usage_.input = tokens_of(bytes_in(field(request_, "messages")) + bytes_in(field(request_, "system")));
  usage_.output = tokens_of(output);
}

std::string AnswerBuilder::program_name(std::string_view sent) const {
  for (const Value& tool : items_field(request_, "tools")) {
    std::string_view name = text_field(tool, "name");
    if (name == sent || sendable_name(name) == sent) return std::string(name);
  }
  return std::string(sent);
}

bool AnswerBuilder::is_schema_tool(const Block& block) const {
  const Value& output = field(request_, "output");
  return text_field(output, "kind") == "json_schema" && items_field(request_, "tools").empty() &&
         block.name == schema_tool_name(output);
}

// Ids of providers that have none differ from turn to turn.
static std::string made_id(const Value& request, size_t number) {
  return fmt::format("call_{}_{}", items_field(request, "messages").size(), number + 1);
}

Value AnswerBuilder::call_of(const Block& block, size_t number) const {
  std::string id = block.id.empty() ? made_id(request_, number) : block.id;
  Value call = DictBuilder().add("id", vm::text_value(id)).add("name", vm::text_value(program_name(block.name))).done();
  if (block.arguments.is_dict()) set(call, "arguments", block.arguments);
  else read_arguments(call, block.text);
  return call;
}

Value AnswerBuilder::block_of(const Block& block, const Value& call) const {
  if (block.kind == Kind::Text) return text_block(block.text);
  if (block.kind == Kind::Call) {
    return DictBuilder()
        .add("type", vm::text_value("tool_call"))
        .add("id", field(call, "id"))
        .add("name", field(call, "name"))
        .add("arguments", field(call, "arguments"))
        .done();
  }
  Value out =
      DictBuilder().add("type", vm::text_value("reasoning")).add("provider", field(request_, "provider")).done();
  if (!block.text.empty()) set(out, "text", block.text);
  if (!block.summary.empty()) set(out, "summary", block.summary);
  if (!block.opaque.is_nil()) set(out, "opaque", block.opaque);
  return out;
}

static void join(std::string& all, const std::string& text) {
  if (text.empty()) return;
  if (!all.empty()) all += "\n\n";
  all += text;
}

Value AnswerBuilder::done() {
  std::string text, thinking, summary;
  Value blocks = vm::new_list(), calls = vm::new_list();
  for (Block& block : blocks_) {
    Value call;
    if (block.kind == Kind::Call && is_schema_tool(block)) {
      block.text = block.arguments.is_dict() ? json_text(block.arguments) : block.text;
      block.kind = Kind::Text;
      if (stop_reason == "tool_use") stop_reason = "end_turn";
    }
    bool is_nothing = block.kind == Kind::Opaque ? text_field(block.opaque, "type").empty()
                                                 : block.kind == Kind::Text && block.text.empty();
    if (is_nothing) continue;
    if (block.kind == Kind::Text) text += block.text;
    if (block.kind == Kind::Thinking) join(thinking, block.text), join(summary, block.summary);
    if (block.kind == Kind::Call) {
      call = call_of(block, list_size(calls));
      push(calls, call);
    }
    push(blocks, block_of(block, call));
  }
  // Some call a tool and say that their turn has ended.
  bool has_calls = list_size(calls) > 0;
  if (stop_reason.empty() || (has_calls && stop_reason == "end_turn"))
    stop_reason = has_calls ? "tool_use" : "end_turn";
  if (!has_usage_) estimate_usage();
  Value out = DictBuilder()
                  .add("text", vm::text_value(text))
                  .add("blocks", std::move(blocks))
                  .add("tool_calls", std::move(calls))
                  .add("stop_reason", vm::text_value(stop_reason))
                  .add("model", model.empty() ? field(request_, "model") : vm::text_value(model))
                  .add("provider", field(request_, "provider"))
                  .add("input_tokens", Value::integer(usage_.input))
                  .add("output_tokens", Value::integer(usage_.output))
                  .add("cache_read_tokens", Value::integer(usage_.cache_read))
                  .add("cache_write_tokens", Value::integer(usage_.cache_write))
                  .done();
  if (!thinking.empty()) set(out, "thinking", thinking);
  if (!summary.empty()) set(out, "thinking_summary", summary);
  if (usage_.reasoning >= 0) set(out, "reasoning_tokens", Value::integer(usage_.reasoning));
  if (!has_usage_) set(out, "is_estimated", Value::boolean(true));
  return out;
}

std::unexpected<vm::Thrown> AnswerBuilder::fail(std::string_view category, std::string_view message) const {
  std::string_view provider = text_field(request_, "provider");
  return vm::throw_value(
      failure(provider, text_field(request_, "model"), category, fmt::format("{}: {}", provider, message)));
}

std::unexpected<vm::Thrown> AnswerBuilder::fail_told(const Value& body) const {
  Told told{.provider = std::string(text_field(request_, "provider")),
            .model = std::string(text_field(request_, "model"))};
  read_error(body, told);
  return vm::throw_value(failure_of(told));
}

}  // namespace harn::llm
