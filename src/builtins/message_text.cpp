#include "builtins/message_text.h"

#include <algorithm>
#include <unordered_map>

#include "data/json.h"
#include "vm/dict.h"
#include "vm/ops.h"

namespace harn::builtins {

using namespace vm;

namespace {

// What an image or a document costs, in bytes of text.
constexpr size_t kPictureSize = 4800;
constexpr size_t kLongestLabel = 120;

const Value* field_of(const Value& dict, std::string_view key) {
  const Value* found = dict.is_dict() ? dict.as_dict()->find(key) : nullptr;
  return found && !found->is_nil() ? found : nullptr;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_call_block(const Value& block) { return is_one_of(text_of(block, "type"), {"tool_call", "tool_use"}); }
bool is_result_block(const Value& block) { return text_of(block, "type") == "tool_result"; }
bool is_picture(std::string_view type) {
  return is_one_of(type, {"image", "image_url", "input_image", "audio", "input_audio", "document", "file"});
}

// ---- texts ----

// What a block is called by: never its data.
std::string_view label_of(const Value& block, std::string_view type) {
  for (std::string_view key : {"name", "path", "tool_use_id", "url", "id", "media_type"}) {
    std::string_view label = text_of(block, key);
    if (!label.empty() && !label.starts_with("data:")) return label.substr(0, kLongestLabel);
  }
  return type;
}

void add_block_text(std::string& out, const Value& block) {
  std::string piece;
  if (block.is_string()) {
    piece = block.as_string()->view();
  } else {
    std::string_view type = text_of(block, "type");
    if (is_one_of(type, {"reasoning", "thinking", "redacted_thinking"})) return;
    bool is_named = is_call_block(block) || is_result_block(block) || is_picture(type);
    if (is_named) piece = fmt::format("<{}:{}>", type, label_of(block, type));
    else if (std::string_view text = text_of(block, "text"); !text.empty()) piece = text;
    else if (!type.empty() && type != "text") piece = fmt::format("<{}:{}>", type, label_of(block, type));
  }
  if (piece.empty()) return;
  if (!out.empty()) out += ' ';
  out += piece;
}

Value content_text(const Value* content) {
  if (!content) return text_value("");
  if (content->is_string()) return *content;
  if (!content->is_list()) return text_value(display(*content));
  std::string out;
  for (const Value& block : content->as_list()->values()) add_block_text(out, block);
  return text_value(out);
}

Value text_block(const Value& text) { return DictBuilder().add("type", text_value("text")).add("text", text).done(); }

Value content_blocks(const Value* content, const Value& text) {
  if (content && content->is_list()) return *content;
  Value blocks = new_list();
  if (!text.as_string()->view().empty()) writable_list(blocks)->push(text_block(text));
  return blocks;
}

// ---- sizes ----

size_t json_size(const Value& value) {
  std::string out;
  (void)data::append_json(out, value);
  return out.size();
}

size_t content_size(const Value& content);

size_t block_size(const Value& block) {
  if (block.is_string()) return block.as_string()->view().size();
  std::string_view type = text_of(block, "type");
  if (is_picture(type)) return kPictureSize;
  if (type == "text") return text_of(block, "text").size();
  if (is_result_block(block)) {
    const Value* content = field_of(block, "content");
    return content ? content_size(*content) : 0;
  }
  return json_size(block);
}

size_t content_size(const Value& content) {
  if (content.is_string()) return content.as_string()->view().size();
  if (!content.is_list()) return content.is_nil() ? 0 : json_size(content);
  size_t size = 0;
  for (const Value& block : content.as_list()->values()) size += block_size(block);
  return size;
}

// ---- calls and results ----

template <class Visit>
void each_call_id(const Value& message, Visit visit) {
  const Value* content = field_of(message, "content");
  if (content && content->is_list()) {
    for (const Value& block : content->as_list()->values()) {
      if (is_call_block(block)) visit(text_of(block, "id"));
    }
  }
  const Value* calls = field_of(message, "tool_calls");
  if (!calls || !calls->is_list()) return;
  for (const Value& call : calls->as_list()->values()) visit(text_of(call, "id"));
}

template <class Visit>
void each_result_id(const Value& message, Visit visit) {
  if (is_tool_result(message)) {
    std::string_view id = text_of(message, "tool_use_id");
    visit(id.empty() ? text_of(message, "tool_call_id") : id);
  }
  const Value* content = field_of(message, "content");
  if (!content || !content->is_list()) return;
  for (const Value& block : content->as_list()->values()) {
    if (is_result_block(block)) visit(text_of(block, "tool_use_id"));
  }
}

// Models without tools of their own get results as text, behind the message that asked for them.
bool is_text_result(const Value& message) {
  return text_of(message, "role") == "user" &&
         text_of(message, "content").starts_with(R"(<runtime_feedback kind="tool_results")");
}

}  // namespace

std::string_view text_of(const Value& dict, std::string_view key) {
  const Value* found = field_of(dict, key);
  return found && found->is_string() ? found->as_string()->view() : std::string_view();
}

bool is_tool_result(const Value& message) { return is_one_of(text_of(message, "role"), {"tool_result", "tool"}); }

Value message_event(const Value& message, size_t number) {
  bool is_result = is_tool_result(message);
  const Value* content = field_of(message, "content");
  Value text = content_text(content);
  std::string_view visibility = text_of(message, "visibility");
  if (visibility.empty()) visibility = is_result ? "internal" : "public";
  DictBuilder event;
  event.add("id", text_value(fmt::format("message_{}", number)))
      .add("kind", text_value(is_result ? "tool_result" : "message"))
      .add("role", text_value(text_of(message, "role")))
      .add("visibility", text_value(visibility))
      .add("text", text)
      .add("blocks", content_blocks(content, text));
  if (const Value* metadata = field_of(message, "metadata")) event.add("metadata", *metadata);
  return event.done();
}

bool is_message_event(const Value& event) { return is_one_of(text_of(event, "kind"), {"message", "tool_result"}); }

size_t message_size(const Value& message) {
  if (message.is_string()) return message.as_string()->view().size();
  size_t size = 0;
  if (const Value* content = field_of(message, "content")) size += content_size(*content);
  if (const Value* calls = field_of(message, "tool_calls")) size += json_size(*calls);
  return size;
}

size_t tool_call_count(const Value& message) {
  size_t count = 0;
  each_call_id(message, [&](std::string_view) { ++count; });
  return count;
}

std::vector<size_t> unit_starts(const Value& messages) {
  const size_t count = list_size(messages);
  // Backwards: what a result belongs to is the next call with its id.
  std::vector<size_t> ends(count);  // one past the last message that must stay with this one
  std::unordered_map<std::string_view, size_t> waiting;
  for (size_t i = count; i-- > 0;) {
    const Value& message = messages.as_list()->values()[i];
    ends[i] = i + 1;
    each_result_id(message, [&](std::string_view id) { waiting.try_emplace(id, i); });
    each_call_id(message, [&](std::string_view id) {
      auto found = waiting.find(id);
      if (found == waiting.end()) return;
      ends[i] = std::max(ends[i], found->second + 1);
      waiting.erase(found);
    });
    if (i + 1 < count && is_text_result(messages.as_list()->values()[i + 1])) ends[i] = std::max(ends[i], i + 2);
  }
  std::vector<size_t> starts;
  size_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i >= end) starts.push_back(i);
    end = std::max(end, ends[i]);
  }
  return starts;
}

}  // namespace harn::builtins
