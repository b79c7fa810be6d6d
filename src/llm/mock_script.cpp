#include "llm/mock_script.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "data/json.h"
#include "data/toml.h"
#include "llm/fields.h"
#include "vm/ops.h"

namespace harn::llm {

namespace {

constexpr size_t kEchoedChars = 100;

struct ErrorRow {
  std::string_view category;
  int status;
  std::string_view type;
};
constexpr ErrorRow kErrors[] = {
    {"rate_limit", 429, "rate_limit_error"},
    {"timeout", 504, "timeout_error"},
    {"auth", 401, "authentication_error"},
    {"overloaded", 529, "overloaded_error"},
    {"server_error", 500, "api_error"},
    {"not_found", 404, "not_found_error"},
    {"context_length", 400, "context_length_exceeded"},
    {"content_filter", 400, "content_policy_violation"},
    {"generic", 400, "invalid_request_error"},
};

std::string_view type_of(int status) {
  for (const ErrorRow& row : kErrors) {
    if (row.status == status) return row.type;
  }
  return status >= 500 ? "api_error" : "invalid_request_error";
}

enum class Is : uint8_t { Text, Texts, Calls, Count, Flag, Table };
struct Key {
  std::string_view name;
  Is kind;
};
constexpr Key kKeys[] = {
    {"text", Is::Text},
    {"thinking", Is::Text},
    {"tool_calls", Is::Calls},
    {"chunks", Is::Texts},
    {"stop_reason", Is::Text},
    {"model", Is::Text},
    {"match", Is::Text},
    {"consume_match", Is::Flag},
    {"error", Is::Table},
    {"input_tokens", Is::Count},
    {"output_tokens", Is::Count},
    {"cache_read_tokens", Is::Count},
    {"cache_write_tokens", Is::Count},
    {"usage", Is::Table},
    {"delay_ms", Is::Count},
    {"chunk_delay_ms", Is::Count},
    {"cut_after", Is::Count},
};

// What is expected where the value is something else; empty: it is that.
std::string_view expected_instead(Is kind, const Value& value) {
  auto all = [&](auto is_good) { return value.is_list() && std::ranges::all_of(items(value), is_good); };
  switch (kind) {
    case Is::Text: return value.is_string() ? "" : "a text";
    case Is::Texts: return all([](const Value& one) { return one.is_string(); }) ? "" : "a list of texts";
    case Is::Calls:
      return all([](const Value& one) {
        return one.is_dict() && (!has_field(one, "arguments") || field(one, "arguments").is_dict());
      })
                 ? ""
                 : "a list of {name, arguments?}";
    case Is::Count: return value.is_int() && value.as_int() >= 0 ? "" : "a whole number of 0 or more";
    case Is::Flag: return value.is_bool() ? "" : "true or false";
    case Is::Table: return value.is_dict() ? "" : "an object";
  }
  return "";
}

std::expected<void, std::string> check_keys(const Value& entry) {
  for (auto [key, value] : entry.as_dict()->entries()) {
    auto known = std::ranges::find(kKeys, key->view(), &Key::name);
    if (known == std::end(kKeys)) {
      std::vector<std::string_view> names;
      for (const Key& one : kKeys) names.push_back(one.name);
      auto close = text::close_names(key->view(), names);
      return std::unexpected(fmt::format("there is no `{}` in a reply{}", key->view(),
                                         close.empty() ? "" : fmt::format("; did you mean `{}`?", close[0])));
    }
    if (std::string_view instead = expected_instead(known->kind, *value); !instead.empty() && !value->is_nil())
      return std::unexpected(fmt::format("`{}` is {}, expected {}", key->view(), vm::shown(*value), instead));
  }
  return {};
}

// A category that the connection shows, not a status.
bool is_cut(const Value& error) { return text_field(error, "category") == "transient_network"; }

std::expected<ScriptedError, std::string> read_error(const Value& value) {
  ScriptedError error;
  std::string_view category = text_field(value, "category");
  auto status = int_field(value, "status");
  if (category.empty() && !status) return std::unexpected("an error needs a `category` or a `status`");
  for (const ErrorRow& row : kErrors) {
    if (row.category == category) error.status = row.status, error.type = row.type;
  }
  if (!category.empty() && error.type.empty()) {
    std::vector<std::string_view> names;
    for (const ErrorRow& row : kErrors) names.push_back(row.category);
    auto close = text::close_names(category, names);
    return std::unexpected(fmt::format("`{}` is no category of errors{}", category,
                                       close.empty() ? "" : fmt::format("; did you mean `{}`?", close[0])));
  }
  if (status && (*status < 400 || *status > 599))
    return std::unexpected(fmt::format("`status` is {}, expected 400 to 599", *status));
  if (status) error.status = static_cast<int>(*status);
  if (error.type.empty()) error.type = type_of(error.status);
  error.message = text_field(value, "message");
  if (error.message.empty()) error.message = "scripted failure";
  error.retry_after_ms = int_field(value, "retry_after_ms").value_or(-1);
  return error;
}

// Every string in it, a line each.
void gather(const Value& value, std::string& all) {
  if (value.is_string()) {
    if (!all.empty()) all += "\n";
    all += text_of(value);
  }
  for (const Value& item : items(value)) gather(item, all);
  if (!value.is_dict()) return;
  for (auto [key, part] : value.as_dict()->entries()) gather(*part, all);
}

std::string words_of(const Value& message) {
  const Value& content = field(message, "content");
  if (content.is_string()) return std::string(text_of(content));
  std::string all;
  for (const Value& block : items(content)) {
    std::string_view words = text_field(block, "text");
    if (!words.empty()) all += fmt::format("{}{}", all.empty() ? "" : " ", words);
  }
  return all;
}

size_t count_words(std::string_view text) {
  size_t count = 0;
  bool is_inside = false;
  for (char c : text) {
    bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    count += !is_space && !is_inside;
    is_inside = !is_space;
  }
  return count;
}

ScriptedReply echo(const Value& messages) {
  std::string last = messages.is_string() ? std::string(text_of(messages)) : "";
  for (const Value& message : items(messages)) {
    std::string words = words_of(message);
    if (!text::trim(words).empty()) last = std::move(words);
  }
  ScriptedReply reply;
  std::string_view shown = std::string_view(last).substr(0, text::char_offset(last, kEchoedChars));
  reply.text =
      last.empty() ? "Mock LLM response" : fmt::format("Mock response to {}-word prompt: {}", count_words(last), shown);
  return reply;
}

}  // namespace

std::expected<void, std::string> MockScript::add(const Value& value) {
  if (!value.is_dict()) return std::unexpected("a reply is no object");
  HARN_CHECK(check_keys(value));
  Entry entry;
  ScriptedReply& reply = entry.reply;
  if (has_field(value, "match")) entry.match = std::string(text_field(value, "match"));
  entry.is_consumed = !entry.match || flag_field(value, "consume_match");
  reply.text = text_field(value, "text");
  reply.thinking = text_field(value, "thinking");
  reply.stop_reason = text_field(value, "stop_reason");
  reply.model = text_field(value, "model");
  for (const Value& chunk : items_field(value, "chunks")) reply.chunks.emplace_back(text_of(chunk));
  if (reply.text.empty()) {
    for (const std::string& chunk : reply.chunks) reply.text += chunk;
  }
  for (const Value& call : items_field(value, "tool_calls")) {
    if (text_field(call, "name").empty()) return std::unexpected("a tool call needs a `name`");
    Value arguments = field(call, "arguments");
    reply.calls.push_back({std::string(text_field(call, "id")), std::string(text_field(call, "name")),
                           arguments.is_dict() ? arguments : Value(vm::new_dict())});
  }
  const Value& usage = has_field(value, "usage") ? field(value, "usage") : value;
  reply.input_tokens = int_field(usage, "input_tokens").value_or(-1);
  reply.output_tokens = int_field(usage, "output_tokens").value_or(-1);
  reply.cache_read_tokens = count_field(usage, "cache_read_tokens");
  reply.cache_write_tokens = count_field(usage, "cache_write_tokens");
  reply.delay_ms = count_field(value, "delay_ms");
  reply.chunk_delay_ms = count_field(value, "chunk_delay_ms");
  reply.cut_after = int_field(value, "cut_after").value_or(-1);
  const Value& error = field(value, "error");
  if (is_cut(error)) reply.cut_after = 0;
  else if (!error.is_nil()) reply.error = HARN_TRY(read_error(error));
  entries_.push_back(std::move(entry));
  return {};
}

std::expected<MockScript, std::string> MockScript::read(std::string_view name, std::string_view text) {
  MockScript script;
  if (name.ends_with(".toml")) {
    auto parsed = data::parse_toml(vm::text_value(text));
    if (!parsed) return std::unexpected(fmt::format("{}: {}", name, parsed.error().text()));
    size_t number = 0;
    for (const Value& entry : items_field(*parsed, "replies")) {
      ++number;
      if (auto added = script.add(entry); !added)
        return std::unexpected(fmt::format("{}: reply {}: {}", name, number, added.error()));
    }
    if (number == 0) return std::unexpected(fmt::format("{}: there are no [[replies]]", name));
    return script;
  }
  size_t number = 0;
  for (std::string_view line : text::split(text, "\n")) {
    ++number;
    if (text::trim(line).empty()) continue;
    auto parsed = data::parse_json(line);
    if (!parsed) return std::unexpected(fmt::format("{}:{}: {}", name, number, parsed.error().detail));
    if (auto added = script.add(*parsed); !added)
      return std::unexpected(fmt::format("{}:{}: {}", name, number, added.error()));
  }
  return script;
}

ScriptedReply MockScript::next(const Value& messages) {
  std::string subject;
  gather(messages, subject);
  auto found = std::find_if(entries_.begin(), entries_.end(), [](const Entry& one) { return !one.match; });
  if (found == entries_.end()) {
    found = std::find_if(entries_.begin(), entries_.end(),
                         [&](const Entry& one) { return text::matches_stars(*one.match, subject); });
  }
  ScriptedReply reply = found == entries_.end() ? echo(messages) : found->reply;
  if (found != entries_.end() && found->is_consumed) entries_.erase(found);
  for (ScriptedCall& call : reply.calls) {
    if (call.id.empty()) call.id = fmt::format("mock_call_{}", ++calls_);
  }
  if (reply.input_tokens < 0) reply.input_tokens = static_cast<int64_t>((subject.size() + 3) / 4);
  if (reply.output_tokens < 0) reply.output_tokens = static_cast<int64_t>((reply.text.size() + 3) / 4);
  return reply;
}

}  // namespace harn::llm
