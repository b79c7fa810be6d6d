#include "vm/error_text.h"

#include "vm/dict.h"
#include "vm/memory.h"
#include "vm/ops.h"
#include "vm/transfer.h"

namespace harn::vm {

namespace {

// Whoever holds the text may be on another thread.
Value frozen(const Value& value) {
  if (freeze(value)) return value;
  Value shown = text_value(display(value));
  freeze(shown);
  return shown;
}

// "Runtime error: text" -> "text"
std::string_view message_of(std::string_view text) {
  for (std::string_view prefix : {"Runtime error: ", "Type error: "}) {
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  }
  return text;
}

constexpr ErrorKind kKinds[] = {
#define HARN_ERROR_KIND(name, kind, type, category, doc) ErrorKind::name,
#include "base/error_kinds.def"
#undef HARN_ERROR_KIND
};

// The first of that category.
ErrorKind kind_of_category(std::string_view category) {
  for (ErrorKind kind : kKinds) {
    if (row(kind).category == category) return kind;
  }
  return ErrorKind::None;
}

const StringObject* text_in(const DictObject* dict, std::string_view name) {
  const Value* found = dict->find(name);
  return found && found->is_string() ? found->as_string() : nullptr;
}

}  // namespace

Value new_error_text(const ErrorObject& error, std::string_view content) {
  Ref<StringObject> text = new_string_with_facts(content);
  text->known_type = static_cast<uint16_t>(error.error_kind);
  Value held(text);
  freeze(held);
  if (error.facts) {
    *text->facts_slot() = new ErrorFacts{error.facts->code, frozen(error.facts->details), frozen(error.facts->cause)};
  }
  return held;
}

void destroy_error_facts(StringObject* text) { delete *text->facts_slot(); }

ErrorKind kind_of_caught(const Value& caught) {
  if (caught.is_string()) return kind_of_text(*caught.as_string());
  if (!caught.is(Kind::Dict) && !caught.is(Kind::Struct)) return ErrorKind::None;
  const DictObject* record = caught.as_dict();
  if (const StringObject* kind = text_in(record, "kind")) {
    if (auto known = error_kind_named(kind->view())) return *known;
  }
  const StringObject* category = text_in(record, "category");
  if (!category || category->view() == "generic") return ErrorKind::None;
  return kind_of_category(category->view());
}

bool error_property(const StringObject& text, std::string_view name, Value& to) {
  if (!text.is_error()) return false;
  const ErrorFacts* facts = *text.facts_slot();
  const ErrorKindRow& kind = row(kind_of_text(text));
  if (name == "kind") to = text_value(kind.kind);
  else if (name == "category") to = text_value(kind.category);
  else if (name == "message") to = text_value(message_of(text.view()));
  else if (name == "code") to = text_value(facts && !facts->code.empty() ? std::string_view(facts->code) : kind.kind);
  else if (name == "details") to = facts ? facts->details : Value();
  else if (name == "cause") to = facts ? facts->cause : Value();
  else return false;
  return true;
}

Value error_info(const Value& caught) {
  DictBuilder info;
  bool is_record = caught.is(Kind::Dict) || caught.is(Kind::Struct);
  for (std::string_view name : {"kind", "code", "category", "message", "details", "cause"}) {
    Value value;
    const Value* own = is_record ? caught.as_dict()->find(name) : nullptr;
    if (own) value = *own;
    else if (caught.is_string()) error_property(*caught.as_string(), name, value);
    info.add(name, std::move(value));
  }
  Value made = info.done();
  ErrorKind kind = kind_of_caught(caught);
  auto or_else = [&](std::string_view name, Value value) {
    if (made.as_dict()->find(name)->is_nil()) dict_set(made, name, std::move(value));
  };
  or_else("kind", text_value(kind == ErrorKind::None ? std::string_view("thrown") : row(kind).kind));
  or_else("code", *made.as_dict()->find("kind"));
  or_else("category", text_value(row(kind).category));
  or_else("message", text_value(display(caught)));
  return made;
}

// `  category: auth, provider: openai`: what a record says besides its message.
static std::string beside_message(const Value& record) {
  std::string out;
  for (auto [key, value] : record.as_dict()->entries()) {
    if (key->view() == "message" || value->is_nil()) continue;
    out += fmt::format("{}{}: {}", out.empty() ? "\n  " : ", ", key->view(), display(*value));
  }
  return out;
}

std::string told(const Value& value) {
  Value message;
  if (value.is_string() && error_property(*value.as_string(), "message", message)) return display(message);
  if (!value.is(Kind::Dict) && !value.is(Kind::Struct)) return display(value);
  const Value* said = value.as_dict()->find("message");
  if (!said || !said->is_string() || said->as_string()->view().empty()) return display(value);
  return display(*said) + beside_message(value);
}

}  // namespace harn::vm
