#include "syntax/parser.h"

#include <utility>

#include "base/text.h"

namespace harn::syntax {

bool Parser::starts_declaration() const {
  switch (kind()) {
    case TokenKind::KwFn: return is_word(kind(1));
    case TokenKind::Identifier: return kind(1) == TokenKind::KwFn && !token(1).starts_line() && at_word("gen");
    case TokenKind::KwPipeline:
    case TokenKind::KwOverride:
    case TokenKind::KwTool:
    case TokenKind::KwSkill:
    case TokenKind::KwEvalPack:
    case TokenKind::KwType:
    case TokenKind::KwEnum:
    case TokenKind::KwStruct:
    case TokenKind::KwImpl:
    case TokenKind::KwInterface:
    case TokenKind::KwImport: return true;
    default: return false;
  }
}

Declaration* Parser::parse_declaration(uint32_t start) {
  // A declaration inside of another is on its own: it needs the attribute, too.
  bool outer = std::exchange(in_natural_, std::exchange(next_is_natural_, false));
  Declaration* declaration = parse_declaration_of_kind(start);
  in_natural_ = outer;
  return declaration;
}

Declaration* Parser::parse_declaration_of_kind(uint32_t start) {
  switch (kind()) {
    case TokenKind::KwPipeline: return parse_pipeline(start);
    case TokenKind::KwOverride: return parse_override(start);
    case TokenKind::KwTool: return parse_tool(start);
    case TokenKind::KwSkill: return parse_skill(start);
    case TokenKind::KwEvalPack: return parse_eval_pack(start);
    case TokenKind::KwType: return parse_type_alias(start);
    case TokenKind::KwEnum: return parse_enum(start);
    case TokenKind::KwStruct: return parse_struct(start);
    case TokenKind::KwImpl: return parse_impl(start);
    case TokenKind::KwInterface: return parse_interface(start);
    case TokenKind::KwImport: return parse_import(start);
    default: return parse_function(start, false);
  }
}

Node* Parser::parse_pub() {
  uint32_t start = this->start();
  advance();
  if (at(TokenKind::KwLet) || at(TokenKind::KwVar)) return parse_let(start, true);
  if (at(TokenKind::KwConst)) return parse_const(start, true);
  if (!starts_declaration()) {
    fail(
        "`fn`, `tool`, `skill`, `eval_pack`, `struct`, `enum`, `type`, `interface`, `pipeline`, "
        "`let`, `const` or `import` after `pub`");
    return error_node(start);
  }
  Declaration* decl = parse_declaration(start);
  decl->is_pub = true;
  return decl;
}

// At `fn` or `gen`.
Function* Parser::parse_function(uint32_t start, bool in_interface) {
  auto* fn = node<Function>(NodeKind::Function, start);
  if (at_word("gen")) {
    fn->is_gen = true;
    advance();
  }
  expect(TokenKind::KwFn);
  fn->name = expect_declared("a function name");
  fn->generics = parse_generics();
  fn->params = parse_params();
  if (accept(TokenKind::Arrow)) fn->return_type = parse_type();
  if (at_word("where")) fn->where = parse_where();
  if (in_interface && !at(TokenKind::LeftBrace)) return done(fn);
  fn->body = parse_block(fn->return_type ? "the return type" : "the parameters");
  return done(fn);
}

Declaration* Parser::parse_pipeline(uint32_t start) {
  auto* pipeline = node<Pipeline>(NodeKind::Pipeline, start);
  advance();
  pipeline->name = expect_declared("a pipeline name");
  pipeline->params = parse_params();
  if (accept(TokenKind::Arrow)) pipeline->return_type = parse_type();
  if (accept(TokenKind::KwExtends)) pipeline->extends = expect_name("a pipeline name");
  pipeline->body = parse_block("the parameters");
  return done(pipeline);
}

Declaration* Parser::parse_override(uint32_t start) {
  auto* decl = node<Override>(NodeKind::Override, start);
  advance();
  decl->name = expect_declared("a name after `override`");
  decl->params = parse_params();
  decl->body = parse_block("the parameters");
  return done(decl);
}

Declaration* Parser::parse_tool(uint32_t start) {
  auto* tool = node<Tool>(NodeKind::Tool, start);
  advance();
  tool->name = expect_declared("a tool name");
  tool->params = parse_params();
  if (accept(TokenKind::Arrow)) tool->return_type = parse_type();
  auto opener = static_cast<uint32_t>(at_);
  Deeper deeper(*this);
  if (!at(TokenKind::LeftBrace) || failed_) {
    tool->body = parse_block(tool->return_type ? "the return type" : "the parameters");
    return done(tool);
  }
  advance();
  WithContext context(*this, block_context());
  TokenKind value = kind(1);
  if (at_word("description") && !token(1).starts_line() &&
      (value == TokenKind::String || value == TokenKind::RawString || value == TokenKind::MultilineString ||
       value == TokenKind::StringOpen || value == TokenKind::MultilineOpen)) {
    advance();
    bool plain = value != TokenKind::StringOpen && value != TokenKind::MultilineOpen;
    tool->description = plain ? parse_string() : parse_interpolated();
    end_statement("statement");
    if (failed_) recover(opener + 1, opener);
  }
  tool->body = block_from_statements(opener);
  return done(tool);
}

Declaration* Parser::parse_skill(uint32_t start) {
  auto* skill = node<Skill>(NodeKind::Skill, start);
  advance();
  skill->name = expect_declared("a skill name");
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftBrace, "`{` after the skill name")) return done(skill);
  WithContext context(*this, block_context());
  size_t outer = extent_;
  extent_ = end_of(opener);
  ListBuilder<SkillField> fields(skill_fields_, tree_.arena);
  for (;;) {
    while (accept(TokenKind::Semicolon) || accept(TokenKind::Comma)) {}
    if (!in_braces(opener)) break;
    size_t first = at_;
    SkillField field{};
    field.name = expect_word("a field name");
    field.value = parse_expression();
    fields.add(field);
    if (!at(TokenKind::Comma)) end_statement("field");
    if (failed_) recover(first, opener);
    if (at_ == first) advance();
  }
  extent_ = outer;
  skill->fields = fields.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(skill);
}

Declaration* Parser::parse_eval_pack(uint32_t start) {
  auto* pack = node<EvalPack>(NodeKind::EvalPack, start);
  advance();
  if (at(TokenKind::Identifier)) pack->name = take_name();
  if (at(TokenKind::String) || at(TokenKind::RawString)) {
    pack->id_text = {string_value(token()), token().span()};
    advance();
  }
  if (pack->name.empty() && pack->id_text.empty()) expect_name("a name or a string after `eval_pack`");
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftBrace)) return done(pack);
  WithContext context(*this, block_context());
  size_t outer = extent_;
  extent_ = end_of(opener);
  ListBuilder<SkillField> fields(skill_fields_, tree_.arena);
  for (;;) {
    while (accept(TokenKind::Semicolon) || accept(TokenKind::Comma)) {}
    if (!in_braces(opener)) break;
    size_t first = at_;
    SkillField field{};
    field.name = expect_word("a field name");
    expect(TokenKind::Colon, "`:` after the field name");
    field.value = parse_expression();
    fields.add(field);
    if (!at(TokenKind::Comma)) end_statement("field");
    if (failed_) recover(first, opener);
    if (at_ == first) advance();
  }
  extent_ = outer;
  pack->fields = fields.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(pack);
}

Declaration* Parser::parse_type_alias(uint32_t start) {
  auto* alias = node<TypeAlias>(NodeKind::TypeAlias, start);
  advance();
  alias->name = expect_declared("a type name");
  alias->generics = parse_generics();
  expect(TokenKind::Assign);
  accept(TokenKind::Bar);  // a leading `|` lines the alternatives up
  alias->type = parse_type();
  return done(alias);
}

Declaration* Parser::parse_enum(uint32_t start) {
  auto* decl = node<Enum>(NodeKind::Enum, start);
  advance();
  decl->name = expect_declared("an enum name");
  decl->generics = parse_generics();
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftBrace, "`{` after the enum name")) return done(decl);
  WithContext context(*this, block_context());
  ListBuilder<EnumVariant> variants(variants_, tree_.arena);
  while (in_braces(opener)) {
    size_t first = at_;
    variants.add(parse_variant());
    if (!failed_ && !accept(TokenKind::Comma) && !accept(TokenKind::Semicolon) && !at(TokenKind::RightBrace) &&
        !token().starts_line()) {
      fail("`,` or a new line after the variant");
    }
    if (failed_) recover(first, opener);
  }
  decl->variants = variants.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(decl);
}

EnumVariant Parser::parse_variant() {
  EnumVariant variant{};
  variant.name = expect_declared("a variant name");
  auto opener = static_cast<uint32_t>(at_);
  if (token().starts_line() || !accept(TokenKind::LeftParen)) return variant;
  variant.has_payload = true;
  WithContext context(*this, bracket_context());
  ListBuilder<Param> fields(params_, tree_.arena);
  parse_comma_list(TokenKind::RightParen, opener, [&] {
    Param field{.id = new_id()};
    if (is_word(kind()) && kind(1) == TokenKind::Colon) {
      field.name = take_name();
      advance();
    }
    field.type = parse_type();
    if (accept(TokenKind::Assign)) field.default_value = parse_expression();
    fields.add(field);
  });
  variant.fields = fields.finish();
  return variant;
}

Declaration* Parser::parse_struct(uint32_t start) {
  auto* decl = node<Struct>(NodeKind::Struct, start);
  advance();
  decl->name = expect_declared("a struct name");
  decl->generics = parse_generics();
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftBrace, "`{` after the struct name")) return done(decl);
  WithContext context(*this, block_context());
  ListBuilder<StructField> fields(struct_fields_, tree_.arena);
  while (in_braces(opener)) {
    size_t first = at_;
    StructField field{};
    field.name = expect_word("a field name");
    field.optional = accept(TokenKind::Question);
    expect(TokenKind::Colon, "`:` after the field name");
    field.type = parse_type();
    fields.add(field);
    if (!failed_ && !accept(TokenKind::Comma) && !accept(TokenKind::Semicolon) && !at(TokenKind::RightBrace) &&
        !token().starts_line()) {
      fail("`,` or a new line after the field");
    }
    if (failed_) recover(first, opener);
  }
  decl->fields = fields.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(decl);
}

Declaration* Parser::parse_impl(uint32_t start) {
  auto* impl = node<Impl>(NodeKind::Impl, start);
  advance();
  impl->name = expect_name("a struct name after `impl`");
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftBrace, "`{` after the struct name")) return done(impl);
  WithContext context(*this, block_context());
  ListBuilder<const Function*> methods(functions_, tree_.arena);
  for (;;) {
    while (accept(TokenKind::Semicolon)) {}
    if (!in_braces(opener)) break;
    size_t first = at_;
    uint32_t method_start = this->start();
    ListBuilder<Attribute> attributes(attributes_, tree_.arena);
    in_natural_ = parse_attributes(attributes);
    bool is_pub = accept(TokenKind::KwPub);
    if (!at(TokenKind::KwFn) && !(at_word("gen") && kind(1) == TokenKind::KwFn)) {
      fail("a method (`fn`)");
    } else if (!failed_) {
      Function* method = parse_function(method_start, false);
      method->is_pub = is_pub;
      method->attributes = attributes.finish();
      methods.add(method);
    }
    if (failed_) recover(first, opener);
  }
  impl->methods = methods.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(impl);
}

Declaration* Parser::parse_interface(uint32_t start) {
  auto* decl = node<Interface>(NodeKind::Interface, start);
  advance();
  decl->name = expect_declared("an interface name");
  decl->generics = parse_generics();
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftBrace, "`{` after the interface name")) return done(decl);
  WithContext context(*this, block_context());
  ListBuilder<AssociatedType> types(associated_, tree_.arena);
  ListBuilder<const Function*> methods(functions_, tree_.arena);
  for (;;) {
    while (accept(TokenKind::Semicolon) || accept(TokenKind::Comma)) {}
    if (!in_braces(opener)) break;
    size_t first = at_;
    if (accept(TokenKind::KwType)) {
      AssociatedType type{};
      type.name = expect_name("a type name");
      if (accept(TokenKind::Assign)) type.default_type = parse_type();
      types.add(type);
    } else if (at(TokenKind::KwFn)) {
      methods.add(parse_function(this->start(), true));
    } else {
      fail("a method (`fn`) or an associated type (`type`)");
    }
    if (failed_) recover(first, opener);
  }
  decl->types = types.finish();
  decl->methods = methods.finish();
  expect_close(TokenKind::RightBrace, opener);
  return done(decl);
}

Declaration* Parser::parse_import(uint32_t start) {
  auto* import = node<Import>(NodeKind::Import, start);
  advance();
  if (at(TokenKind::Identifier)) {
    parse_scoped_import(import);
    return done(import);
  }
  if (at(TokenKind::LeftBrace)) {
    import->selective = true;
    import->names = parse_imported_names();
    expect(TokenKind::KwFrom, "`from` after the names");
  }
  if (at(TokenKind::String) || at(TokenKind::RawString)) {
    import->path = string_value(token());
    import->path_span = token().span();
    advance();
  } else {
    fail("the path of a module, as a string");
  }
  return done(import);
}

// `std::agents::{a, b}`
void Parser::parse_scoped_import(Import* import) {
  uint32_t start = this->start();
  std::string path;
  import->scoped = true;
  import->selective = true;
  for (;;) {
    path += expect_word("a module name").text;
    expect(TokenKind::ColonColon, "`::` and the names to import in `{ }`");
    if (failed_ || at(TokenKind::LeftBrace)) break;
    path += '/';
  }
  if (failed_) return;
  import->path = tree_.arena.copy(std::string_view(path));
  import->path_span = span_from(start);
  if (import->path_span.length() > 2) import->path_span.end -= 2;
  import->names = parse_imported_names();
}

// At `{`.
List<Name> Parser::parse_imported_names() {
  auto opener = static_cast<uint32_t>(at_);
  WithContext context(*this, bracket_context());
  advance();
  ListBuilder<Name> names(names_, tree_.arena);
  parse_comma_list(TokenKind::RightBrace, opener, [&] { names.add(expect_declared("a name to import")); });
  return names.finish();
}

List<Param> Parser::parse_params() {
  auto opener = static_cast<uint32_t>(at_);
  if (!expect(TokenKind::LeftParen, "`(` and the parameters")) return {};
  WithContext context(*this, bracket_context());
  ListBuilder<Param> params(params_, tree_.arena);
  parse_comma_list(TokenKind::RightParen, opener, [&] { params.add(parse_param()); });
  check_params(params);
  return params.finish();
}

Param Parser::parse_param() {
  Param param{.id = new_id()};
  param.rest = accept(TokenKind::Ellipsis);
  param.name = expect_name(param.rest ? "a name after `...`" : "a parameter name");
  if (accept(TokenKind::Colon)) param.type = parse_type();
  if (accept(TokenKind::Assign)) param.default_value = parse_expression();
  return param;
}

void Parser::check_params(ListBuilder<Param>& params) {
  bool has_default = false;
  for (size_t i = 0; i < params.size() && !failed_; ++i) {
    const Param& param = params[i];
    if (param.rest && i + 1 < params.size()) {
      report(diag::Code::RestNotLast, param.name.span, param.name.text);
    } else if (has_default && !param.default_value && !param.rest) {
      report(diag::Code::RequiredAfterDefault, param.name.span, param.name.text);
    }
    has_default |= param.default_value != nullptr;
  }
}

List<GenericParam> Parser::parse_generics() {
  if (!accept(TokenKind::Less)) return {};
  ListBuilder<GenericParam> generics(generics_, tree_.arena);
  do {
    if (at(TokenKind::Greater) && !generics.empty()) break;
    GenericParam generic{};
    if (accept(TokenKind::KwIn)) {
      generic.variance = Variance::In;
    } else if (at_word("out") && kind(1) == TokenKind::Identifier) {
      advance();
      generic.variance = Variance::Out;
    }
    generic.name = expect_name("a type parameter");
    generics.add(generic);
  } while (accept(TokenKind::Comma));
  accept_close_angle();
  return generics.finish();
}

// At `where`.
List<WhereBound> Parser::parse_where() {
  advance();
  ListBuilder<WhereBound> bounds(bounds_, tree_.arena);
  do {
    WhereBound bound{};
    bound.type = expect_name("a type parameter");
    expect(TokenKind::Colon);
    bound.interface = expect_name("an interface name");
    bounds.add(bound);
  } while (accept(TokenKind::Comma));
  return bounds.finish();
}

}  // namespace harn::syntax
