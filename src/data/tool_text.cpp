#include "data/tool_text.h"

#include <algorithm>
#include <array>

#include "base/fmt.h"
#include "base/text.h"
#include "vm/dict.h"
#include "vm/objects.h"

namespace harn::data {

using vm::Value;

namespace {

constexpr size_t kMostCalls = 256;
constexpr size_t kMostNotes = 20;
// A text argument may hold a closing tag, so a call that is not whole at one is read on to the next, so often.
constexpr int kMostEnds = 8;
constexpr std::string_view kCallEnd = "</tool_call>";
constexpr std::array<std::string_view, 4> kThinkingNames = {"think", "thinking", "reasoning", "scratchpad"};

bool is_name_start(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-'; }

class ReplyReader {
 public:
  ReplyReader(std::string_view text, const std::function<bool(std::string_view)>& is_tool)
      : text_(text), is_tool_(is_tool) {}

  ToolText read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '<' && read_tag()) continue;
      if (is_at_line_start() && read_bare_call(at_)) continue;
      ++at_;
    }
    end_outside(at_);
    return std::move(out_);
  }

 private:
  // ---- blocks ----

  bool read_tag() {
    std::string_view rest = text_.substr(at_);
    for (std::string_view name : kThinkingNames) {
      if (is_tag(rest, name, false)) return skip_thinking(name);
      if (is_tag(rest, name, true)) return drop_outside(name.size() + 3);
    }
    if (is_tag(rest, "tool_call", false)) return read_call_block();
    for (std::string_view name : {"assistant_prose", "user_response", "done"}) {
      if (is_tag(rest, name, false)) return read_text_block(name);
    }
    return read_angle_call();
  }

  static bool is_tag(std::string_view rest, std::string_view name, bool is_closing) {
    size_t head = is_closing ? 2 : 1;
    return rest.size() > head + name.size() && (!is_closing || rest[1] == '/') &&
           rest.substr(head, name.size()) == name && rest[head + name.size()] == '>';
  }

  bool skip_thinking(std::string_view name) {
    end_outside(at_);
    size_t end = text_.find(fmt::format("</{}>", name), at_);
    at_ = end == std::string_view::npos ? text_.size() : end + name.size() + 3;
    outside_ = at_;
    return true;
  }

  // Thinking whose first tag the provider has kept.
  bool drop_outside(size_t tag) {
    at_ += tag;
    outside_ = at_;
    return true;
  }

  bool read_text_block(std::string_view name) {
    end_outside(at_);
    size_t start = at_ + name.size() + 2;
    std::string closing = fmt::format("</{}>", name);
    size_t end = text_.find(closing, start);
    bool is_closed = end != std::string_view::npos;
    if (!is_closed) {
      violation(fmt::format("<{}> is not closed", name));
      end = text_.size();
    }
    std::string_view body = text::trim(text_.substr(start, end - start));
    at_ = outside_ = is_closed ? end + closing.size() : end;
    if (name == "done") return add_done(body);
    add_text(name == "user_response" ? out_.user_response : out_.assistant_prose, body);
    add_text(out_.visible_text, body);
    canonical(name, body);
    return true;
  }

  bool add_done(std::string_view body) {
    if (body.empty()) violation("<done> is empty; it must hold the text that ends the task");
    else out_.done = std::string(body);
    canonical("done", body);
    return true;
  }

  bool read_call_block() {
    end_outside(at_);
    at_ = skip_space(at_ + std::string_view("<tool_call>").size());
    int calls = 0;
    while (at_ < text_.size() && !has(at_, kCallEnd)) {
      if (!read_call()) break;
      if (++calls == 2) violation("a <tool_call> holds one call; write one block for each");
      at_ = skip_space(at_);
    }
    if (calls == 0) parse_error("<tool_call> holds no call; write name({ key: value })");
    size_t end = call_end(at_);
    if (end == std::string_view::npos) {
      violation("<tool_call> is not closed");
      at_ = calls == 0 ? text_.size() : at_;
    } else {
      if (calls > 0 && !text::trim(text_.substr(at_, end - at_)).empty())
        violation("a <tool_call> holds nothing but its call");
      at_ = end + kCallEnd.size();
    }
    outside_ = at_;
    return true;
  }

  // ---- text outside of all blocks ----

  void end_outside(size_t end) {
    std::string_view body = text::trim(text_.substr(outside_, end - outside_));
    outside_ = end;
    if (body.empty() || body == "```") return;
    violation("text outside of all blocks; write <assistant_prose> ... </assistant_prose>");
    add_text(out_.visible_text, body);
    add_text(out_.assistant_prose, body);
    canonical("assistant_prose", body);
  }

  bool is_at_line_start() const {
    if (!is_name_start(text_[at_])) return false;
    size_t before = at_;
    while (before > outside_ && (text_[before - 1] == ' ' || text_[before - 1] == '\t')) --before;
    return before == outside_ || text_[before - 1] == '\n';
  }

  // From `at_` on there is nothing but the call.
  bool read_bare_call(size_t start) {
    size_t end = name_end(start);
    if (end >= text_.size() || text_[end] != '(' || !is_tool_(text_.substr(start, end - start))) return false;
    end_outside(at_);
    at_ = start;
    read_call();
    violation("a call outside of its block; write <tool_call> name({ ... }) </tool_call>");
    outside_ = at_;
    return true;
  }

  // `<name({ ... })>`
  bool read_angle_call() {
    size_t start = at_ + 1;
    if (start >= text_.size() || !is_name_start(text_[start])) return false;
    if (!read_bare_call(start)) return false;
    size_t end = skip_space(at_);
    if (end < text_.size() && text_[end] == '/') ++end;
    if (end < text_.size() && text_[end] == '>') at_ = end + 1;
    outside_ = at_;
    return true;
  }

  // ---- calls ----

  // At its first character; behind its last when it was one.
  bool read_call() {
    size_t start = at_;
    at_ = skip_fence(at_);
    if (at_ < text_.size() && text_[at_] == '{') return read_json_call(start);
    size_t end = name_end(at_);
    if (end == at_) return false;
    TextCall call{
        .name = std::string(text_.substr(at_, end - at_)), .arguments = {}, .raw = {}, .error = {}, .repairs = {}};
    at_ = skip_space(end);
    bool has_paren = at_ < text_.size() && text_[at_] == '(';
    if (has_paren) at_ = skip_space(at_ + 1);
    else if (at_ >= text_.size() || text_[at_] != '{') return false;
    if (has_paren && at_ < text_.size() && text_[at_] == ')') {
      call.arguments = vm::new_dict();
      ++at_;
    } else {
      read_arguments(call);
      if (has_paren) close_paren(call);
    }
    add_call(std::move(call), start);
    return true;
  }

  void read_arguments(TextCall& call) {
    if (at_ >= text_.size() || text_[at_] != '{') {
      call.error = fmt::format("{}: the arguments must be one object: {}({{ key: value }})", call.name, call.name);
      at_ = std::min(call_end(at_), line_end(at_));
      return;
    }
    call.arguments = read_object(call);
  }

  std::optional<Value> read_object(TextCall& call) {
    size_t start = at_;
    LooseReader reader(LooseReader::Wanted::Object);
    size_t fed = start;
    for (int ends = 0; ends < kMostEnds && fed < text_.size() && !reader.is_whole(); ++ends) {
      size_t end = std::min(call_end(fed == start ? start : fed + 1), text_.size());
      // In pieces: what is behind the last bracket is read for nothing.
      for (size_t piece = 256; fed < end && !reader.is_whole(); piece *= 2) {
        size_t count = std::min(piece, end - fed);
        reader.add(text_.substr(fed, count));
        fed += count;
      }
    }
    // One that begins later belongs to another call.
    if (!reader.is_whole() || reader.start() != 0) return read_cut_object(call, start);
    at_ = start + reader.end();
    call.repairs = reader.repairs();
    return checked(call, reader);
  }

  // Its last bracket is missing: as far as the block goes.
  std::optional<Value> read_cut_object(TextCall& call, size_t start) {
    size_t end = std::min(call_end(start), text_.size());
    bool is_cut = end == text_.size();
    LooseReader reader(LooseReader::Wanted::Object);
    reader.add(text_.substr(start, end - start));
    reader.finish();
    at_ = end;
    call.repairs = reader.repairs();
    if (is_cut) {
      call.error = fmt::format("{}: the arguments are cut off; send the whole call again", call.name);
      return std::nullopt;
    }
    return checked(call, reader);
  }

  std::optional<Value> checked(TextCall& call, const LooseReader& reader) {
    auto value = reader.value();
    if (reader.is_too_deep()) call.error = fmt::format("{}: the arguments are nested too deeply", call.name);
    else if (!value || !value->is_dict() || reader.start() != 0)
      call.error = fmt::format("{}: the arguments cannot be read; write {}({{ key: value }})", call.name, call.name);
    if (!call.error.empty()) return std::nullopt;
    return value;
  }

  void close_paren(const TextCall& call) {
    if (!call.error.empty()) return;
    size_t end = skip_space(at_);
    if (end < text_.size() && text_[end] == ',') end = skip_space(end + 1);
    if (end < text_.size() && text_[end] == ')') at_ = end + 1;
    else violation(fmt::format("`)` is missing after the arguments of {}", call.name));
    size_t behind = skip_space(at_);
    if (behind < text_.size() && text_[behind] == ';') at_ = behind + 1;
    if (has(skip_space(at_), "```")) at_ = skip_space(at_) + 3;
  }

  // {"name": "read_file", "arguments": {...}}, as many models are trained to write it.
  bool read_json_call(size_t start) {
    TextCall call{.name = "", .arguments = {}, .raw = {}, .error = {}, .repairs = {}};
    auto object = read_object(call);
    const vm::DictObject* fields = object ? object->as_dict() : nullptr;
    const Value* name = fields ? fields->find("name") : nullptr;
    if (!name || !name->is_string()) {
      parse_error("the call has no name; write name({ key: value })");
      return false;
    }
    call.name = std::string(name->as_string()->view());
    violation("a call is written as name({ key: value }), not as a JSON object with its name");
    call.arguments = vm::new_dict();
    for (std::string_view key : {"arguments", "parameters", "args", "input"}) {
      const Value* given = fields->find(key);
      if (given && given->is_dict()) call.arguments = *given;
    }
    add_call(std::move(call), start);
    return true;
  }

  void add_call(TextCall call, size_t start) {
    call.raw = std::string(text::trim(text_.substr(start, at_ - start)));
    canonical("tool_call", call.raw);
    if (!call.error.empty()) parse_error(call.error);
    if (out_.calls.size() < kMostCalls) out_.calls.push_back(std::move(call));
    else parse_error(fmt::format("more than {} calls in one reply; the rest is left out", kMostCalls));
  }

  // ---- places ----

  // The next end of a block from here on. Remembered, so that a reply with many blocks that do not end is searched once.
  size_t call_end(size_t from) {
    if (from < searched_ || from > end_) {
      end_ = text_.find(kCallEnd, from);
      searched_ = from;
    }
    return end_;
  }
  bool has(size_t at, std::string_view what) const {
    return text_.substr(std::min(at, text_.size()), what.size()) == what;
  }
  size_t skip_space(size_t at) const {
    while (at < text_.size() && isspace(static_cast<unsigned char>(text_[at]))) ++at;
    return at;
  }
  size_t skip_fence(size_t at) const { return has(at, "```") ? skip_space(line_end(at)) : at; }
  size_t line_end(size_t at) const { return std::min(text_.find('\n', at), text_.size()); }
  size_t name_end(size_t at) const {
    if (at >= text_.size() || !is_name_start(text_[at])) return at;
    while (at < text_.size() && is_name_part(text_[at])) ++at;
    return at;
  }

  // ---- what is told ----

  static void add_text(std::string& to, std::string_view body) {
    if (body.empty()) return;
    if (!to.empty()) to += "\n";
    to += body;
  }
  void canonical(std::string_view name, std::string_view body) {
    add_text(out_.canonical_text, fmt::format("<{0}>\n{1}\n</{0}>", name, body));
  }
  static void note(std::vector<std::string>& notes, std::string what) {
    if (notes.size() < kMostNotes && std::ranges::find(notes, what) == notes.end()) notes.push_back(std::move(what));
  }
  void violation(std::string what) { note(out_.violations, std::move(what)); }
  void parse_error(std::string what) { note(out_.parse_errors, std::move(what)); }

  std::string_view text_;
  const std::function<bool(std::string_view)>& is_tool_;
  size_t at_ = 0;
  size_t searched_ = 1, end_ = 0;  // call_end: nothing yet
  size_t outside_ = 0;             // where the text began that no block has taken
  ToolText out_;
};

}  // namespace

ToolText read_tool_text(std::string_view text, const std::function<bool(std::string_view)>& is_tool) {
  return ReplyReader(text, is_tool).read();
}

}  // namespace harn::data
