#include "llm/projection.h"

#include <algorithm>
#include <set>

#include "base/fmt.h"
#include "base/text.h"
#include "llm/fields.h"

namespace harn::llm {

namespace {

using Part = Projected::Part;
using Turn = Projected::Turn;
using Kind = Projected::Part::Kind;

constexpr size_t kMostIdBytes = 40;
constexpr size_t kMostNameBytes = 64;
constexpr std::string_view kInterrupted = "The call was interrupted: it has no result, and may have taken effect.";
constexpr std::string_view kNoOutput = "(no output)";
constexpr std::string_view kLeftOut = "(The beginning of the conversation was left out.)";
constexpr std::string_view kGoOn = "Continue.";
constexpr std::string_view kEmpty = "(empty message)";

bool is_name_char(char c) { return text::is_identifier_part(c) || c == '-'; }

bool is_good_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostIdBytes && std::all_of(id.begin(), id.end(), is_name_char);
}

bool is_blank(std::string_view words) { return text::trim(words).empty(); }

bool is_media(std::string_view type) { return type == "image" || type == "audio" || type == "document"; }

// Pairs calls and results while it goes through the messages; puts turns in order afterwards.
class Projector {
 public:
  explicit Projector(const Value& request) : provider_(text_field(request, "provider")) {
    projected_.system = text_field(request, "system");
  }

  Projected run(std::span<const Value> messages) {
    for (const Value& message : messages) add_message(message);
    place_results();
    drop_what_is_empty();
    mend_ends();
    return std::move(projected_);
  }

 private:
  struct OpenCall {
    std::string given_id, id, name;
    std::optional<Part> result;
  };

  void add_message(const Value& message) {
    begins_message_ = true;
    std::string_view role = text_field(message, "role");
    const Value& content = field(message, "content");
    if (role == "system" || role == "developer") return add_system(content);
    if (role == "tool_result" || role == "tool") return add_result(message);
    bool is_user = role != "assistant";
    is_first_ = false;
    if (content.is_string()) add_text(is_user, text_of(content));
    else if (!content.is_list() && !content.is_nil()) add_text(is_user, json_text(content));
    for (const Value& block : items(content)) add_block(is_user, block);
    if (is_user) return;
    // As some write them: beside the content.
    for (const Value& call : items_field(message, "tool_calls")) add_call(call);
  }

  void add_system(const Value& content) {
    std::string words = plain_text(content);
    if (is_blank(words)) return;
    if (!is_first_) return add_text(true, fmt::format("<system-message>\n{}\n</system-message>", words));
    if (!projected_.system.empty()) projected_.system += "\n\n";
    projected_.system += words;
  }

  void add_block(bool is_user, const Value& block) {
    if (block.is_string()) return add_text(is_user, text_of(block));
    std::string_view type = text_field(block, "type");
    if (type == "tool_result") return add_result(block);
    if (type == "tool_call" && !is_user) return add_call(block);
    if (type == "reasoning") return is_user ? void() : add_reasoning(block);
    if (is_media(type) && is_user) return add_part(true, {.kind = Kind::Media, .value = block});
    if (is_media(type)) return add_text(false, media_words(block));
    add_text(is_user, text_field(block, "text"));
  }

  void add_text(bool is_user, std::string_view words) {
    if (!is_blank(words)) add_part(is_user, {.kind = Kind::Text, .text = std::string(words)});
  }

  void add_reasoning(const Value& block) {
    const Value& opaque = field(block, "opaque");
    bool is_ours = opaque.is_dict() && opaque.as_dict()->size() > 0 && text_field(block, "provider") == provider_;
    if (is_ours) add_part(false, {.kind = Kind::Reasoning, .value = block});
  }

  void add_call(const Value& block) {
    std::string given(text_field(block, "id"));
    OpenCall call{.given_id = given, .id = free_id(given), .name = sendable_name(text_field(block, "name"))};
    Value arguments = field(block, "arguments");
    if (!arguments.is_dict()) arguments = vm::new_dict();
    add_part(false, {.kind = Kind::Call, .id = call.id, .name = call.name, .value = std::move(arguments)});
    calls_.push_back(std::move(call));
  }

  void add_result(const Value& message) {
    is_first_ = false;
    std::string_view id = text_field(message, "tool_use_id");
    if (id.empty()) id = text_field(message, "tool_call_id");
    Part result{.kind = Kind::Result, .is_error = flag_field(message, "is_error")};
    const Value& content = field(message, "content");
    result.text = plain_text(content);
    result.value = media_of(content);
    if (is_blank(result.text)) result.text = list_size(result.value) > 0 ? "" : kNoOutput;
    // The nearest call before it that still waits: programs use an id again in a later turn.
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
      if (call->given_id != id || call->result) continue;
      result.id = call->id, result.name = call->name;
      call->result = std::move(result);
      return;
    }
    add_text(true, fmt::format("Result of an earlier tool call: {}", result.text));
    for (const Value& media : items(result.value)) add_part(true, {.kind = Kind::Media, .value = media});
  }

  void add_part(bool is_user, Part part) {
    is_first_ = false;
    // A message with calls is a turn of its own: its results come next.
    auto& turns = projected_.turns;
    bool is_new =
        turns.empty() || turns.back().is_user != is_user || (begins_message_ && !is_user && calls_of(turns.back()) > 0);
    if (is_new) turns.push_back({.is_user = is_user, .parts = {}});
    begins_message_ = false;
    turns.back().parts.push_back(std::move(part));
  }

  static size_t calls_of(const Turn& turn) {
    return static_cast<size_t>(
        std::count_if(turn.parts.begin(), turn.parts.end(), [](const Part& part) { return part.kind == Kind::Call; }));
  }

  void place_results() {
    std::vector<Turn> turns;
    size_t next = 0;
    for (Turn& turn : projected_.turns) {
      size_t count = turn.is_user ? 0 : calls_of(turn);
      append(turns, std::move(turn));
      if (count == 0) continue;
      Turn results{.is_user = true, .parts = {}};
      for (size_t i = 0; i < count; ++i) results.parts.push_back(result_of(calls_[next++]));
      append(turns, std::move(results));
    }
    projected_.turns = std::move(turns);
  }

  static Part result_of(OpenCall& call) {
    if (call.result) return *std::move(call.result);
    return {.kind = Kind::Result,
            .text = std::string(kInterrupted),
            .id = call.id,
            .name = call.name,
            .value = vm::new_list(),
            .is_error = true};
  }

  // Two turns of one side are one.
  static void append(std::vector<Turn>& turns, Turn turn) {
    if (turns.empty() || turns.back().is_user != turn.is_user) return turns.push_back(std::move(turn));
    auto& parts = turns.back().parts;
    std::move(turn.parts.begin(), turn.parts.end(), std::back_inserter(parts));
  }

  void drop_what_is_empty() {
    std::vector<Turn> turns;
    for (Turn& turn : projected_.turns) {
      while (!turn.parts.empty() && turn.parts.back().kind == Kind::Reasoning) turn.parts.pop_back();
      if (!turn.parts.empty()) append(turns, std::move(turn));
    }
    projected_.turns = std::move(turns);
  }

  void mend_ends() {
    auto& turns = projected_.turns;
    auto user = [](std::string_view words) {
      return Turn{.is_user = true, .parts = {{.kind = Kind::Text, .text = std::string(words)}}};
    };
    if (turns.empty()) return turns.push_back(user(kEmpty));
    if (!turns.front().is_user) turns.insert(turns.begin(), user(kLeftOut));
    if (!turns.back().is_user) turns.push_back(user(kGoOn));
  }

  std::string free_id(const std::string& given) {
    std::string id = given;
    for (size_t number = calls_.size() + 1; !is_good_id(id) || used_.contains(id); ++number)
      id = fmt::format("call_{}", number);
    used_.insert(id);
    return id;
  }

  static std::string plain_text(const Value& content) {
    if (content.is_string()) return std::string(text_of(content));
    if (!content.is_list()) return content.is_nil() ? "" : json_text(content);
    std::string all;
    for (const Value& block : items(content)) {
      std::string_view words = block.is_string() ? text_of(block) : text_field(block, "text");
      if (words.empty()) continue;
      if (!all.empty()) all += "\n";
      all += words;
    }
    return all;
  }

  static Value media_of(const Value& content) {
    Value media = vm::new_list();
    for (const Value& block : items(content)) {
      if (is_media(text_field(block, "type"))) push(media, block);
    }
    return media;
  }

  std::string_view provider_;
  Projected projected_;
  std::vector<OpenCall> calls_;
  std::set<std::string> used_;
  bool is_first_ = true;
  bool begins_message_ = true;
};

}  // namespace

std::string media_words(const Value& block) {
  std::string_view url = text_field(block, "url");
  return fmt::format("({} that cannot be shown here{}{})", text_field(block, "type"), url.empty() ? "" : ": ", url);
}

std::string sendable_name(std::string_view name) {
  std::string out(name.substr(0, kMostNameBytes));
  for (char& c : out) {
    if (!is_name_char(c)) c = '_';
  }
  return out.empty() ? "unnamed" : out;
}

Projected project(const Value& request) { return Projector(request).run(items_field(request, "messages")); }

}  // namespace harn::llm
