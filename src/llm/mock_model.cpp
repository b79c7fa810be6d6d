#include "llm/mock_model.h"

#include <algorithm>

#include "base/error_categories.h"
#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "llm/fields.h"
#include "llm/wire.h"
#include "vm/ops.h"
#include "vm/transfer.h"

namespace harn::llm {

using namespace vm;

// ---- texts of a request ----

static void collect_texts(const Value& value, std::vector<std::string_view>& out) {
  if (value.is(Kind::String)) out.push_back(value.as_string()->view());
  if (value.is(Kind::List)) {
    for (const Value& item : value.as_list()->values()) collect_texts(item, out);
  }
  if (value.is_dict()) {
    for (auto [key, item] : value.as_dict()->entries()) collect_texts(*item, out);
  }
}

static std::string joined(const std::vector<std::string_view>& texts, char separator) {
  std::string out;
  for (std::string_view text : texts) {
    if (!out.empty()) out += separator;
    out += text;
  }
  return out;
}

static std::string subject_of(const Value& messages) {
  std::vector<std::string_view> texts;
  collect_texts(messages, texts);
  return joined(texts, '\n');
}

static std::string content_text(const Value& content) {
  if (content.is(Kind::String)) return std::string(text_of(content));
  std::vector<std::string_view> texts;
  for (const Value& block : items(content)) {
    if (has_field(block, "text")) texts.push_back(text_field(block, "text"));
  }
  return joined(texts, '\n');
}

// Of the last message that says something.
static std::string last_text(const Value& messages) {
  auto all = items(messages);
  for (size_t i = all.size(); i-- > 0;) {
    std::string text = content_text(field(all[i], "content"));
    if (!text::trim(text).empty()) return text;
  }
  return "";
}

static std::string_view first_chars(std::string_view text, size_t count) {
  return text.substr(0, text::char_offset(text, count));
}

// ---- what can be queued ----

static std::string tool_calls_problem(const Value& calls) {
  if (calls.is_nil()) return "";
  if (!calls.is(Kind::List)) return "tool_calls must be a list of {name, arguments?}";
  for (const Value& call : items(calls)) {
    if (!field(call, "name").is(Kind::String)) return "each of tool_calls needs a `name`";
    Value arguments = field(call, "arguments");
    if (!arguments.is_nil() && !arguments.is_dict()) return "`arguments` of a tool call must be a dict";
  }
  return "";
}

static std::string error_problem(const Value& error) {
  if (error.is_nil()) return "";
  Value category = field(error, "category");
  if (!category.is(Kind::String)) return "error needs a `category`";
  if (!is_error_category(text_of(category))) return fmt::format("unknown error category '{}'", text_of(category));
  Value after = field(error, "retry_after_ms");
  bool is_good = after.is_nil() || (after.is_int() && after.as_int() >= 0);
  return is_good ? "" : "error.retry_after_ms must be an int of 0 or more";
}

std::string entry_problem(const Value& entry) {
  if (!entry.is_dict()) return fmt::format("expected a dict, got {}", type_name(entry));
  constexpr std::string_view kKnown[] = {"text",
                                         "tool_calls",
                                         "match",
                                         "consume_match",
                                         "input_tokens",
                                         "output_tokens",
                                         "thinking",
                                         "thinking_summary",
                                         "cache_read_tokens",
                                         "stop_reason",
                                         "cache_write_tokens",
                                         "cache_creation_input_tokens",
                                         "model",
                                         "error",
                                         "provider",
                                         "delay_ms"};
  for (auto [key, value] : entry.as_dict()->entries()) {
    if (std::ranges::find(kKnown, key->view()) == std::end(kKnown))
      return fmt::format("unknown field '{}'", key->view());
  }
  for (std::string_view name : {"text", "match", "thinking", "thinking_summary", "stop_reason", "model", "provider"}) {
    Value value = field(entry, name);
    if (!value.is_nil() && !value.is(Kind::String))
      return fmt::format("{} must be a string, got {}", name, type_name(value));
  }
  for (std::string_view name : {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
                                "cache_creation_input_tokens", "delay_ms"}) {
    Value value = field(entry, name);
    if (!value.is_nil() && !(value.is_int() && value.as_int() >= 0))
      return fmt::format("{} must be an int of 0 or more", name);
  }
  if (Value flag = field(entry, "consume_match"); !flag.is_nil() && !flag.is_bool())
    return fmt::format("consume_match must be a bool, got {}", type_name(flag));
  std::string problem = tool_calls_problem(field(entry, "tool_calls"));
  return problem.empty() ? error_problem(field(entry, "error")) : problem;
}

// Calls `use(number, line)` for each line that is not empty.
static void for_each_line(std::string_view lines, auto use) {
  size_t number = 0;
  for (std::string_view line : text::split(lines, "\n")) {
    ++number;
    if (!text::trim(line).empty()) use(number, line);
  }
}

std::string script_problem(std::string_view lines) {
  std::string problem;
  for_each_line(lines, [&](size_t number, std::string_view line) {
    if (!problem.empty()) return;
    auto entry = data::parse_json(line);
    std::string why = entry ? entry_problem(*entry) : entry.error().detail;
    if (!why.empty()) problem = fmt::format("{}: {}", number, why);
  });
  return problem;
}

// ---- the queue ----

void MockModel::set_script(std::string lines) {
  std::lock_guard guard(lock_);
  state_.script = std::move(lines);
  state_.is_strict = true;
}

// Under the lock.
Outcome<void> MockModel::read_script() {
  std::string lines = std::exchange(state_.script, {});
  std::vector<Value> entries;
  for_each_line(lines, [&](size_t, std::string_view line) {
    if (auto entry = data::parse_json(line)) entries.push_back(*std::move(entry));
  });
  for (Value& entry : entries) state_.scopes.front().entries.push_back(HARN_TRY(transfer(std::move(entry))));
  return {};
}

void MockModel::add(Value entry) {
  std::lock_guard guard(lock_);
  state_.scopes.back().entries.push_back(std::move(entry));
}

void MockModel::clear() {
  Scope old;  // dies when the lock is free again: it may hold anything
  std::lock_guard guard(lock_);
  std::swap(state_.scopes.back(), old);
}

void MockModel::push_scope() {
  std::lock_guard guard(lock_);
  state_.scopes.emplace_back();
}

bool MockModel::pop_scope() {
  Scope old;
  std::lock_guard guard(lock_);
  if (state_.scopes.size() == 1) return false;
  std::swap(state_.scopes.back(), old);
  state_.scopes.pop_back();
  return true;
}

bool MockModel::has_replies() {
  std::lock_guard guard(lock_);
  return state_.is_strict || !state_.scopes.back().entries.empty();
}

std::vector<Value> MockModel::calls() {
  std::lock_guard guard(lock_);
  return state_.scopes.back().calls;
}

void MockModel::set_strict(bool is_strict) {
  std::lock_guard guard(lock_);
  state_.is_strict = is_strict;
}

// The first in the queue that waits for no text; else the first whose pattern fits.
std::optional<Value> MockModel::take(const std::string& subject) {
  auto& entries = state_.scopes.back().entries;
  auto plain = std::ranges::find_if(entries, [](const Value& entry) { return field(entry, "match").is_nil(); });
  auto found = plain;
  if (plain == entries.end()) {
    found = std::ranges::find_if(
        entries, [&](const Value& entry) { return text::matches_stars(text_field(entry, "match"), subject); });
  }
  if (found == entries.end()) return std::nullopt;
  Value entry = *found;
  if (plain != entries.end() || flag_field(entry, "consume_match")) entries.erase(found);
  return entry;
}

// ---- replies ----

static Value call_block(const Value& id, const Value& name, const Value& arguments) {
  return DictBuilder()
      .add("type", text_value("tool_call"))
      .add("id", id)
      .add("name", name)
      .add("arguments", arguments)
      .done();
}

// The parts of an answer that every reply has.
struct Draft {
  std::string text;
  Value tool_calls = new_list();
  std::string model;
  int64_t input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0;
  Value stop_reason;
  Value thinking, thinking_summary;

  void add_call(int64_t number, const Value& name, const Value& arguments) {
    push(tool_calls, DictBuilder()
                         .add("id", text_value(fmt::format("mock_call_{}", number)))
                         .add("name", name)
                         .add("arguments", arguments.is_nil() ? Value(new_dict()) : arguments)
                         .done());
  }

  Value done() const {
    Value blocks = new_list();
    if (thinking.is(Kind::String)) {
      push(blocks, DictBuilder()
                       .add("type", text_value("reasoning"))
                       .add("text", thinking)
                       .add("provider", text_value("mock"))
                       .done());
    }
    if (!text.empty()) push(blocks, text_block(text));
    for (const Value& call : items(tool_calls))
      push(blocks, call_block(field(call, "id"), field(call, "name"), field(call, "arguments")));
    bool calls_tools = tool_calls.as_list()->size > 0;
    return DictBuilder()
        .add("text", text_value(text))
        .add("blocks", blocks)
        .add("tool_calls", tool_calls)
        .add("thinking", thinking)
        .add("thinking_summary", thinking_summary)
        .add("stop_reason", stop_reason.is_nil() ? text_value(calls_tools ? "tool_use" : "end_turn") : stop_reason)
        .add("model", text_value(model))
        .add("provider", text_value("mock"))
        .add("input_tokens", Value::integer(input_tokens))
        .add("output_tokens", Value::integer(output_tokens))
        .add("cache_read_tokens", Value::integer(cache_read_tokens))
        .add("cache_write_tokens", Value::integer(cache_write_tokens))
        .done();
  }
};

static std::string text_or(const Value& dict, std::string_view name, std::string_view otherwise) {
  return std::string(has_field(dict, name) ? text_field(dict, name) : otherwise);
}

static Value queued_failure(const Value& error, const Value& request) {
  Value failed = failure(text_or(request, "provider", "mock"), text_or(request, "model", "mock"),
                         text_field(error, "category"), text_or(error, "message", "mock error"));
  if (has_field(error, "retry_after_ms")) dict_set(failed, "retry_after_ms", field(error, "retry_after_ms"));
  return failed;
}

// In pieces that together are the text: as a stream has them.
static std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find_first_of(" \n\t", at);
    end = end == text.npos ? text.size() : end + 1;
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

static StandInReply queued_reply(const Value& entry, const Value& request, const std::string& subject,
                                 int64_t& tool_calls) {
  if (has_field(entry, "error")) return {.failure = queued_failure(field(entry, "error"), request)};
  Draft draft{.text = text_or(entry, "text", ""), .model = text_or(entry, "model", "mock")};
  for (const Value& call : items_field(entry, "tool_calls"))
    draft.add_call(++tool_calls, field(call, "name"), field(call, "arguments"));
  bool tells_input = has_field(entry, "input_tokens"), tells_output = has_field(entry, "output_tokens");
  draft.input_tokens = tells_input ? count_field(entry, "input_tokens") : static_cast<int64_t>(subject.size());
  draft.output_tokens = tells_output ? count_field(entry, "output_tokens") : 30;
  draft.cache_read_tokens = count_field(entry, "cache_read_tokens");
  draft.cache_write_tokens =
      std::max(count_field(entry, "cache_write_tokens"), count_field(entry, "cache_creation_input_tokens"));
  draft.stop_reason = field(entry, "stop_reason");
  draft.thinking = field(entry, "thinking");
  draft.thinking_summary = field(entry, "thinking_summary");
  return {.answer = draft.done(), .pieces = pieces_of(draft.text)};
}

static Value placeholder(const Value& schema) {
  std::string_view type = text_field(schema, "type");
  if (type == "integer") return Value::integer(0);
  if (type == "number") return Value::number(0.0);
  if (type == "boolean") return Value::boolean(false);
  if (type == "array") return new_list();
  if (type == "object") return new_dict();
  return text_value("");
}

static Value placeholder_arguments(const Value& tool) {
  const Value& schema = field(tool, "input_schema");
  Value arguments = new_dict();
  for (const Value& name : items_field(schema, "required"))
    dict_set(arguments, text_of(name), placeholder(field(field(schema, "properties"), text_of(name))));
  return arguments;
}

static std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& piece : pieces_of(text)) {
    if (std::string_view word = text::trim(piece); !word.empty()) words.emplace_back(word);
  }
  return words;
}

static StandInReply default_reply(const Value& request, int64_t& tool_calls) {
  std::string last = last_text(field(request, "messages"));
  Draft draft{.model = text_or(request, "model", "mock"), .input_tokens = static_cast<int64_t>(last.size())};
  if (auto tools = items_field(request, "tools"); !tools.empty()) {
    draft.add_call(++tool_calls, field(tools[0], "name"), placeholder_arguments(tools[0]));
    draft.output_tokens = 20;
    return {.answer = draft.done()};
  }
  draft.output_tokens = 30;
  auto words = words_of(last);
  draft.text = last.empty() ? "Mock LLM response"
                            : fmt::format("Mock response to {}-word prompt: {}", words.size(), first_chars(last, 100));
  if (text_field(request, "system").find("<done>") != std::string::npos)
    draft.text = fmt::format("<assistant_prose>\n{}\n</assistant_prose>\n<done>##DONE##</done>", draft.text);
  return {.answer = draft.done(), .pieces = std::move(words)};
}

// The first request of a kind that asks for caching fills the cache, the others read from it.
void MockModel::note_cache(const Value& request, Value& answer) {
  if (!flag_field(request, "cache")) return;
  std::string key = json_text(DictBuilder()
                                  .add("model", field(request, "model"))
                                  .add("system", field(request, "system"))
                                  .add("messages", field(request, "messages"))
                                  .done());
  bool is_first = state_.scopes.back().cached.insert(std::move(key)).second;
  dict_set(answer, is_first ? "cache_write_tokens" : "cache_read_tokens", field(answer, "input_tokens"));
}

Outcome<std::optional<StandInReply>> MockModel::reply(const Value& request) {
  // Another task may read it: it is made ready for that before the lock is taken.
  Value made = HARN_TRY(transfer(DictBuilder()
                                     .add("messages", field(request, "messages"))
                                     .add("system", field(request, "system"))
                                     .add("tools", field(request, "tools"))
                                     .add("thinking", field(request, "thinking"))
                                     .done()));
  std::lock_guard guard(lock_);
  HARN_CHECK(read_script());
  Scope& scope = state_.scopes.back();
  bool is_mock = text_field(request, "provider") == "mock";
  if (!is_mock && !state_.is_strict && scope.entries.empty()) return std::nullopt;
  std::string subject = subject_of(field(request, "messages"));
  auto entry = take(subject);
  if (!entry && !is_mock && !state_.is_strict) return std::nullopt;
  scope.calls.push_back(std::move(made));
  if (entry) {
    Value known = HARN_TRY(transfer(*entry));
    StandInReply reply = queued_reply(known, request, subject, scope.tool_calls);
    bool tells_cache = has_field(known, "cache_read_tokens") || has_field(known, "cache_write_tokens");
    if (!reply.answer.is_nil() && !tells_cache) note_cache(request, reply.answer);
    return reply;
  }
  if (state_.is_strict) {
    return throw_text(ErrorKind::NotFound, "llm mock: no reply is left that fits the prompt: {}",
                      first_chars(last_text(field(request, "messages")), 200));
  }
  StandInReply reply = default_reply(request, scope.tool_calls);
  note_cache(request, reply.answer);
  return reply;
}

}  // namespace harn::llm
