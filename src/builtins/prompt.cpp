// What typed prompts (src/std/prompt.harn) need to be fast or exact: facts about structs, placeholders, and the text of a whole tree
// of sections in one pass.
#include "base/placeholders.h"
#include "base/result.h"
#include "builtins/families.h"
#include "data/json.h"
#include "data/loose_json.h"
#include "vm/dict.h"
#include "vm/function.h"
#include "vm/ops.h"
#include "vm/pace.h"
#include "vm/vm.h"

namespace harn::builtins {
namespace {

using namespace vm;

Value count_value(size_t count) { return Value::integer(static_cast<int64_t>(count)); }

// ---- structs ----

// Whether it is a prompt of std/prompt: a struct of that module, whatever its name is elsewhere.
Outcome<Value> is_prompt(Call& call) {
  StructTypeObject* type = call.arg(0).is(Kind::Struct) ? struct_type(call.arg(0).as_dict()) : nullptr;
  return Value::boolean(type && type->name->view() == "Prompt" && type->module->view() == "std/prompt");
}

Outcome<Value> closure_arity(Call& call) {
  if (!call.arg(0).is(Kind::Closure)) return Value();
  const Prototype& proto = *call.arg(0).as_closure()->proto;
  return count_value(proto.params);
}

// ---- placeholders ----

// (template): {text, skipped_lines}
Outcome<Value> dedented(Call& call) {
  auto text = HARN_TRY(call.text(0));
  step_bytes(text.size());
  Dedented made = dedent(text);
  return DictBuilder().add("text", text_value(made.text)).add("skipped_lines", count_value(made.skipped_lines)).done();
}

// (template): [{name?, line}]; without a name: a dollar sign that begins nothing.
Outcome<Value> placeholders(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto found = new_list();
  PlaceholderScanner scanner(text);
  while (scanner.next()) {
    const PlaceholderPiece& piece = scanner.piece();
    step(1);
    bool is_name = piece.kind == PlaceholderPiece::Kind::Name;
    if (!is_name && piece.kind != PlaceholderPiece::Kind::Bad) continue;
    DictBuilder entry;
    if (is_name) entry.add("name", text_value(piece.text));
    found->push(entry.add("line", count_value(piece.line + 1)).done());
  }
  return Value(std::move(found));
}

// ---- rendering ----

const Value* field_of(const Value& record, std::string_view name) {
  const Value* found = record.as_dict()->find(name);
  return found && !found->is_nil() ? found : nullptr;
}

std::string_view text_field(const Value& record, std::string_view name) {
  const Value* found = field_of(record, name);
  return found && found->is_string() ? found->as_string()->view() : std::string_view();
}

int64_t count_field(const Value& record, std::string_view name) {
  const Value* found = field_of(record, name);
  return found && found->is_int() ? found->as_int() : 0;
}

// A prompt that is being written. Sections are records in the order of the tree (`compiled` in src/std/prompt.harn); `end` of a record
// is the number of the first one that is not below it.
class PromptText {
 public:
  // What changes from one rendering to the next, by path or struct id.
  struct Given {
    const DictObject* bound;      // struct id -> instance
    const DictObject* fallbacks;  // struct id -> instance
    const DictObject* states;     // path -> "off", "full", "summary"
    const DictObject* texts;      // path -> text that replaces the template and is not looked through
  };

  PromptText(const Given& given, bool wants_map) : given_(given), wants_map_(wants_map) {}

  void write(std::span<const Value> records, size_t from, size_t to) {
    for (size_t i = from; i < to && error_.is_nil();) {
      const Value& record = records[i];
      step(4);
      std::string_view state = state_of(record);
      bool is_full = state == "full";
      if (state != "off") section(record, is_full);
      if (is_full) note_tools(record, i);
      auto end = static_cast<size_t>(count_field(record, "end"));
      i = is_full ? i + 1 : std::max(end, i + 1);
    }
  }

  Value done() {
    DictBuilder out;
    if (!error_.is_nil()) return out.add("error", std::move(error_)).done();
    out.add("text", text_value(text_)).add("with_tools", Value(std::move(with_tools_)));
    out.add("to_open", Value(std::move(to_open_))).add("to_read", Value(std::move(to_read_)));
    if (wants_map_) out.add("spans", Value(std::move(spans_)));
    return out.done();
  }

 private:
  std::string_view state_of(const Value& record) const {
    if (const Value* own = given_.states->find(text_field(record, "path")); own && own->is_string())
      return own->as_string()->view();
    return text_field(record, "visibility");
  }

  void section(const Value& record, bool is_full) {
    if (!text_.empty()) text_ += "\n\n";
    size_t start = text_.size();
    text_ += text_field(record, "heading");
    note(record, start, "heading", 0);
    std::string_view path = text_field(record, "path");
    const Value* own = is_full ? given_.texts->find(path) : nullptr;
    if (own && own->is_string()) {
      body(record, own->as_string()->view());
      return;
    }
    const Value* params = params_of(record);
    if (!params || !has_needed(record, *params)) return;
    substitute(record, text_field(record, is_full ? "template" : "summary"), *params, is_full ? "text" : "summary");
    if (!is_full) suffix(record);
  }

  void body(const Value& record, std::string_view text) {
    if (text.empty()) return;
    text_ += "\n\n";
    size_t start = text_.size();
    text_ += text;
    note(record, start, "text", 0);
  }

  void suffix(const Value& record) {
    text_ += "\n\n";
    size_t start = text_.size();
    text_ += text_field(record, "suffix");
    note(record, start, "suffix", 0);
    const Value* has_tools = field_of(record, "tree_has_tools");
    auto& list = has_tools && truthy(*has_tools) ? to_open_ : to_read_;
    list->push(*field_of(record, "path"));
  }

  const Value* params_of(const Value& record) {
    std::string_view id = text_field(record, "params");
    if (const Value* bound = given_.bound->find(id)) return bound;
    if (const Value* own = field_of(record, "default_params")) return own;
    const Value* made = given_.fallbacks->find(id);
    if (!made) fail(record, "no_params", "", 0);
    return made;
  }

  bool has_needed(const Value& record, const Value& params) {
    const Value* needed = field_of(record, "needed");
    if (!needed || !needed->is_list()) return true;
    for (const Value& name : needed->as_list()->values()) {
      const Value* value = params.as_dict()->find(name.as_string()->view());
      if (value && !value->is_nil()) continue;
      fail(record, "missing", name.as_string()->view(), 0);
      return false;
    }
    return true;
  }

  // A value is written once and never looked at again.
  void substitute(const Value& record, std::string_view text, const Value& params, std::string_view kind) {
    if (text.empty()) return;
    text_ += "\n\n";
    int64_t first = count_field(record, kind == "text" ? "first_line" : "summary_line");
    step_bytes(text.size());
    PlaceholderScanner scanner(text);
    while (scanner.next()) {
      const PlaceholderPiece& piece = scanner.piece();
      size_t start = text_.size();
      int64_t line = first + static_cast<int64_t>(piece.line);
      switch (piece.kind) {
        case PlaceholderPiece::Kind::Bad: return fail(record, "dollar", piece.text, line);
        case PlaceholderPiece::Kind::Text:
        case PlaceholderPiece::Kind::Dollar: text_ += piece.text; break;
        case PlaceholderPiece::Kind::Name: {
          const Value* value = params.as_dict()->find(piece.text);
          if (!value) return fail(record, "placeholder", piece.text, line);
          if (!value->is_nil()) display_to(text_, *value);
          note(record, start, "param", line, piece.text);
          continue;
        }
      }
      note(record, start, kind, line);
    }
  }

  void note_tools(const Value& record, size_t number) {
    const Value* has_tools = field_of(record, "has_tools");
    if (has_tools && truthy(*has_tools)) with_tools_->push(count_value(number));
  }

  void note(const Value& record, size_t start, std::string_view kind, int64_t line, std::string_view name = {}) {
    if (!wants_map_ || start == text_.size()) return;
    DictBuilder span;
    span.add("start", count_value(start)).add("end", count_value(text_.size()));
    span.add("section", *field_of(record, "path")).add("kind", text_value(kind)).add("line", Value::integer(line));
    if (!name.empty()) span.add("placeholder", text_value(name));
    spans_->push(span.done());
  }

  void fail(const Value& record, std::string_view reason, std::string_view name, int64_t line) {
    error_ = DictBuilder()
                 .add("reason", text_value(reason))
                 .add("section", *field_of(record, "path"))
                 .add("placeholder", text_value(name))
                 .add("line", Value::integer(line))
                 .done();
  }

  Given given_;
  bool wants_map_;
  std::string text_;
  Ref<ListObject> spans_ = new_list();
  Ref<ListObject> with_tools_ = new_list();
  Ref<ListObject> to_open_ = new_list();
  Ref<ListObject> to_read_ = new_list();
  Value error_;
};

// (records, {bound, fallbacks, states, texts, map?, from?, to?})
Outcome<Value> render_sections(Call& call) {
  auto records = HARN_TRY(call.list(0));
  HARN_CHECK(call.dict(1));
  const Value& options = call.arg(1);
  auto part = [&](std::string_view name) { return field_of(options, name)->as_dict(); };
  for (std::string_view name : {"bound", "fallbacks", "states", "texts"}) {
    const Value* found = field_of(options, name);
    if (!found || !found->is_dict()) return call.wrong_type(1, "a dict with bound, fallbacks, states and texts");
  }
  const Value* map = field_of(options, "map");
  auto count = static_cast<int64_t>(records->values().size());
  int64_t to = field_of(options, "to") ? count_field(options, "to") : count;
  int64_t from = count_field(options, "from");
  if (from < 0 || to > count) return call.wrong_type(1, "a dict whose from and to are within the records");
  PromptText text({part("bound"), part("fallbacks"), part("states"), part("texts")}, map && truthy(*map));
  text.write(records->values(), static_cast<size_t>(from), static_cast<size_t>(to));
  return text.done();
}

// ---- answers ----

// The JSON that a text has: {value?, error?}. A fenced block first, then the whole text, then the longest object or list in it. Nothing
// is mended: a text that breaks the rules of JSON is not what was asked for.
Value found_json(std::string_view text) {
  auto parsed = [](std::string_view piece) -> Value {
    auto value = data::parse_json(piece);
    if (value) return DictBuilder().add("value", std::move(*value)).done();
    return Value();
  };
  constexpr std::string_view kFence = "```json";
  if (size_t fence = text.find(kFence); fence != std::string_view::npos) {
    std::string_view inner = text.substr(fence + kFence.size());
    // A text in JSON has no raw line breaks, so that this cannot be within one.
    inner = inner.substr(0, std::min(inner.find("\n```"), inner.rfind("```")));
    Value found = parsed(inner);
    if (!found.is_nil()) return found;
    return DictBuilder().add("error", text_value("the fenced block is no JSON")).done();
  }
  Value whole = parsed(text);
  if (!whole.is_nil()) return whole;
  size_t start = text.find_first_of("{[");
  if (start == std::string_view::npos) return DictBuilder().add("error", text_value("there is no JSON in it")).done();
  data::LooseValue loose = data::read_loose(text);
  if (!loose.value) return DictBuilder().add("error", text_value("there is no JSON in it")).done();
  for (const data::Repair& one : loose.repairs) {
    bool is_around = one.kind == "code_fence" || one.kind == "surrounding_text" || one.kind == "thinking";
    if (is_around) continue;
    return DictBuilder()
        .add("error", text_value(fmt::format("the JSON in it is malformed at byte {} ({})", one.offset, one.kind)))
        .done();
  }
  return DictBuilder().add("value", std::move(*loose.value)).done();
}

Outcome<Value> answer_json(Call& call) { return found_json(HARN_TRY(call.text(0))); }

constinit const Builtin kRows[] = {
    {.name = "__closure_arity",
     .signature = "(value: any) -> int?",
     .doc = "How many parameters a closure has; nil for other values.",
     .example = "__closure_arity({ a, b -> a }) == 2",
     .call = closure_arity},
    {.name = "__is_prompt",
     .signature = "(value: any) -> bool",
     .doc = "Whether a value is a prompt of std/prompt.",
     .example = R"(!__is_prompt({ns: "a"}))",
     .call = is_prompt},
    {.name = "__prompt_dedent",
     .signature = "(template: string) -> dict",
     .doc = "A template without its common indentation and the space around it: {text, skipped_lines}.",
     .example = R"(__prompt_dedent("\n  a\n    b\n") == {text: "a\n  b", skipped_lines: 1})",
     .call = dedented},
    {.name = "__prompt_json",
     .signature = "(text: string) -> dict",
     .doc = "The JSON that an answer has, {value} or {error}: in a fence, else all of it, else within its prose.",
     .example = R"(__prompt_json("Here: {\"a\": 1}").value == {a: 1})",
     .call = answer_json},
    {.name = "__prompt_placeholders",
     .signature = "(template: string) -> list<dict>",
     .doc = "The placeholders of a template, [{name, line}]; without a name: a dollar sign that begins nothing.",
     .example = R"(__prompt_placeholders("$$ $a").map({ one -> one.name }) == ["a"])",
     .call = placeholders},
    {.name = "__prompt_render",
     .signature = "(records: list, given: dict) -> dict",
     .doc = "The text of sections: {text, with_tools, to_open, to_read, spans?}, or {error}.",
     .example = R"(__prompt_render([], {bound: {}, fallbacks: {}, states: {}, texts: {}}).text == "")",
     .call = render_sections},
};

}  // namespace

std::span<const Builtin> prompt_rows() { return kRows; }

}  // namespace harn::builtins
