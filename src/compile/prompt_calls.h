#pragma once

#include <string_view>

#include "compile/bindings.h"
#include "syntax/ast.h"

// Calls that make typed prompts (`std/prompt`), as far as they are written out in the source: what the checker and the lints look at.
//
//   markdown_section(Task, {title: "Task", key: "task", template: "Plan: $goal"})
//
// Reads the tree and the names; owns nothing.
namespace harn::compile {

struct PromptCall {
  enum class Kind : unsigned char { None, Template, MarkdownSection, Section };
  Kind kind = Kind::None;
  const syntax::DictLiteral* fields = nullptr;  // null: they are not written out
  const syntax::Struct* params = nullptr;       // of a section, where a declared struct is named; else null

  bool is_section() const { return kind == Kind::MarkdownSection || kind == Kind::Section; }
  // The value of a field that is written out; null: there is none.
  const syntax::Node* field(std::string_view name) const;
  // The same, when it is a plain string.
  const syntax::StringLiteral* text(std::string_view name) const;
};

// `None` for every other node.
PromptCall prompt_call(const syntax::Node& node, const Bindings& bindings);

}  // namespace harn::compile
