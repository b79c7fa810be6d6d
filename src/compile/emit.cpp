#include "base/assert.h"
#include "compile/emitter.h"
#include "compile/far_registers.h"
#include "compile/sound.h"

namespace harn::compile {

using namespace bytecode;
using diag::Code;

FunctionCompiler::FunctionCompiler(ModuleContext& context, FunctionInfo& info, std::string name)
    : context_(context), info_(info), code_(std::make_shared<bytecode::Code>()), slots_(info.locals) {
  code_->name = std::move(name);
  code_->source = context.module.source;
  code_->hidden = context.hidden;
}

void FunctionCompiler::emit(Op op, uint32_t a, uint32_t b, uint32_t c) {
  if ((a | b | c) > 0xFF) wide_[here()] = {a, b, c};
  code_->words.push_back(encode(op, a & 0xFF, b & 0xFF, c & 0xFF));
}

void FunctionCompiler::emit_bx(Op op, uint32_t a, uint32_t bx) {
  if (a > 0xFF || bx > 0xFFFF) wide_[here()] = {a, bx, 0};
  code_->words.push_back(static_cast<Word>(op) | (a & 0xFF) << 8 | (bx & 0xFFFF) << 16);
}

void FunctionCompiler::emit_x(Op op, uint32_t a, uint32_t b, uint32_t c, uint32_t x) {
  emit(op, a, b, c);
  code_->words.push_back(x);
}

void FunctionCompiler::emit_jump(Op op, uint32_t a, uint32_t b, uint32_t c, Label& label) {
  emit(op, a, b, c);
  code_->words.push_back(0);
  uint32_t word = here() - 1;
  if (label.at >= 0) code_->words[word] = static_cast<Word>(label.at - here());
  else label.jumps.push_back(word);
}

void FunctionCompiler::emit_xjump(Op op, uint32_t a, uint32_t x, Label& label) {
  emit(op, a);
  code_->words.push_back(x);
  code_->words.push_back(0);
  uint32_t word = here() - 1;
  if (label.at >= 0) code_->words[word] = static_cast<Word>(label.at - here());
  else label.jumps.push_back(word);
}

// A plain jump keeps its distance in its own word; `bind` tells the two forms apart by the opcode.
void FunctionCompiler::jump(Label& label) {
  if (label.at >= 0) {
    int64_t distance = label.at - (here() + 1);
    code_->words.push_back(static_cast<Word>(Op::Jump) | static_cast<Word>(distance) << 8);
    return;
  }
  label.jumps.push_back(here() | 0x80000000);
  code_->words.push_back(static_cast<Word>(Op::Jump));
}

void FunctionCompiler::bind(Label& label) {
  label.at = here();
  for (uint32_t entry : label.jumps) {
    uint32_t word = entry & 0x7FFFFFFF;
    int64_t distance = label.at - (word + 1);
    if (entry & 0x80000000) {
      if (distance > 0x7FFFFF) limit({}, "this function is too long");
      code_->words[word] |= static_cast<Word>(distance) << 8;
    } else {
      code_->words[word] = static_cast<Word>(distance);
    }
  }
  label.jumps.clear();
}

void FunctionCompiler::at(Span span) {
  if (!code_->lines.empty() && code_->lines.back().offset == span.start) return;
  if (!code_->lines.empty() && code_->lines.back().word == here()) {
    code_->lines.back().offset = span.start;
    return;
  }
  code_->lines.push_back({here(), span.start});
}

uint32_t FunctionCompiler::constant(Constant value) {
  code_->constants.push_back(std::move(value));
  return static_cast<uint32_t>(code_->constants.size() - 1);
}

uint32_t FunctionCompiler::text_constant(std::string_view text) {
  auto [at, fresh] = texts_.try_emplace(std::string(text), 0);
  if (fresh) at->second = constant(std::string(text));
  return at->second;
}

uint32_t FunctionCompiler::cache(std::string_view name) {
  code_->caches.push_back({std::string(name), {}});
  return static_cast<uint32_t>(code_->caches.size() - 1);
}

uint32_t FunctionCompiler::variant_cache(std::string_view name, const syntax::Enum* type) {
  std::string owner(type ? type->name.text : "Result");
  code_->caches.push_back({std::string(name), std::move(owner), type ? declaration_id(*type) : kResultDeclaration});
  return static_cast<uint32_t>(code_->caches.size() - 1);
}

int FunctionCompiler::small_constant(const syntax::Node* node) {
  uint32_t index;
  if (node->is(syntax::NodeKind::IntLiteral)) {
    auto [at, fresh] = ints_.try_emplace(node->as<syntax::IntLiteral>().value, 0);
    if (fresh) at->second = constant(at->first);
    index = at->second;
  } else if (node->is(syntax::NodeKind::DurationLiteral)) {
    index = constant(node->as<syntax::DurationLiteral>().milliseconds);
  } else if (node->is(syntax::NodeKind::FloatLiteral)) {
    index = constant(node->as<syntax::FloatLiteral>().value);
  } else if (node->is(syntax::NodeKind::StringLiteral)) {
    index = text_constant(node->as<syntax::StringLiteral>().value);
  } else {
    return -1;
  }
  return index < 256 ? static_cast<int>(index) : -1;
}

Reg FunctionCompiler::temp() { return temps(1); }

Reg FunctionCompiler::temps(int count) {
  Reg first = next_;
  next_ += count;
  if (count == 0) return first;
  peak_ = std::max(peak_, next_);
  code_->registers = std::max(code_->registers, static_cast<uint32_t>(next_));
  return first;
}

Reg FunctionCompiler::window(Reg to, int size) {
  if (to != next_ - 1 || to < static_cast<int>(code_->param_names.size())) return temps(size);
  if (size > 1) temps(size - 1);
  return to;
}

void FunctionCompiler::limit(Span span, std::string_view what) {
  if (too_large_) return;
  too_large_ = true;
  if (span.end == 0 && !code_->lines.empty()) {
    span = {code_->lines.back().offset, code_->lines.back().offset + 1};
  }
  context_.sink.report(Code::CompileLimit, context_.module.source, span, what).help("split it into smaller functions");
}

std::shared_ptr<bytecode::Code> FunctionCompiler::finish() {
  if (too_large_) return code_;
  uint32_t near = context_.near_registers;
  bool fits = wide_.empty() && code_->registers <= (near ? near : kMaxRegisters);
  verify_after("code generation");
  mark_last_uses(*code_, wide_, context_.clears_scopes);
  verify_after("marking last uses");
  if (fits) return code_;
  use_far_registers(*code_, wide_, near ? near : kNearRegisters, context_.clears_scopes);
  wide_.clear();
  verify_after("making far registers");
  return code_;
}

void FunctionCompiler::verify_after(const char* pass) const {
  // What could not be translated has been told, and leaves a gap.
  if (!context_.verify || context_.sink.has_errors()) return;
  Surroundings around{static_cast<uint32_t>(context_.names.globals.size()), context_.catalog.count(),
                      context_.is_prelude};
  require_sound(verify_unfinished(*code_, wide_, around), pass);
}

}  // namespace harn::compile
