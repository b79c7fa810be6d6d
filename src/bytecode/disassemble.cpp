#include "base/fmt.h"
#include "bytecode/code.h"
#include "bytecode/op_facts.h"

namespace harn::bytecode {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '"' || c == '\\') (out += '\\') += c;
    else out += c;
  }
  return out + '"';
}

// The beginning of it, when it is long: parts may be there many times.
void show_data(const Data& data, std::string& out) {
  constexpr size_t kMost = 400;
  if (out.size() > kMost) return;
  struct Visitor {
    std::string& out;
    void operator()(std::monostate) { out += "nil"; }
    void operator()(bool value) { out += value ? "true" : "false"; }
    void operator()(int64_t value) { out += std::to_string(value); }
    void operator()(const std::string& value) { out += quoted(value); }
    void operator()(const Data::List& items) {
      out += '[';
      for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += ", ";
        show_data(*items[i], out);
      }
      out += ']';
    }
    void operator()(const Data::Dict& entries) {
      out += '{';
      for (size_t i = 0; i < entries.size(); ++i) {
        if (i > 0) out += ", ";
        out += entries[i].first + ": ";
        show_data(*entries[i].second, out);
      }
      out += '}';
    }
  };
  std::visit(Visitor{out}, data.value);
}

std::string show(const Constant& constant) {
  struct Visitor {
    std::string operator()(std::monostate) { return "nil"; }
    std::string operator()(int64_t value) { return std::to_string(value); }
    std::string operator()(double value) { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) { return quoted(value); }
    std::string operator()(const Keys& keys) {
      std::string out = "{";
      for (auto& key : keys) out += (out.size() > 1 ? ", " : "") + key;
      return out + "}";
    }
    std::string operator()(const EnumShape& shape) { return "enum " + shape.name; }
    std::string operator()(const StructShape& shape) { return "struct " + shape.name; }
    std::string operator()(const DataPtr& data) {
      std::string out;
      show_data(*data, out);
      return out;
    }
  };
  return std::visit(Visitor{}, constant);
}

bool is_constant(Meaning meaning) {
  return meaning == Meaning::Constant || meaning == Meaning::Text || meaning == Meaning::EnumShape ||
         meaning == Meaning::StructShape;
}

// What an operand stands for, where its number says little.
std::string meaning_of(const Code& code, Op op, const Number& number, uint32_t at) {
  // Of constants only those that have an instruction to themselves: the others are in the middle of a computation.
  if (is_constant(number.meaning) && row(op).format == Format::ABx) return show(code.constants[bx_of(code.words[at])]);
  if (number.meaning == Meaning::Cache && op != Op::MutexEnter) {
    const CacheName& cache = code.caches[code.words[at + 1]];
    return cache.owner.empty() ? "." + cache.name : cache.owner + "." + cache.name;
  }
  if (number.meaning != Meaning::Path) return {};
  std::string out;
  for (uint32_t step : code.paths[code.words[at + 1]].caches) {
    out += step == PathSteps::kKey ? "[]" : "." + code.caches[step].name;
  }
  return out;
}

std::string operands(const Code& code, uint32_t at) {
  Word w = code.words[at];
  Op op = op_of(w);
  Format format = row(op).format;
  uint32_t after = at + length(format);
  auto target = [&](Word jump) {
    return fmt::format("-> {}", static_cast<int64_t>(after) + static_cast<int32_t>(jump));
  };
  std::string out;
  switch (format) {
    case Format::None: break;
    case Format::A: out = fmt::format("r{}", a_of(w)); break;
    case Format::AB: out = fmt::format("r{} {}", a_of(w), b_of(w)); break;
    case Format::ABC: out = fmt::format("r{} {} {}", a_of(w), b_of(w), c_of(w)); break;
    case Format::ABx: out = fmt::format("r{} {}", a_of(w), bx_of(w)); break;
    case Format::AsBx: out = fmt::format("r{} {}", a_of(w), sbx_of(w)); break;
    case Format::sJ: out = target(static_cast<Word>(sj_of(w))); break;
    case Format::AJump: out = fmt::format("r{} {}", a_of(w), target(code.words[at + 1])); break;
    case Format::ABCJump:
      out = fmt::format("r{} {} {} {}", a_of(w), b_of(w), c_of(w), target(code.words[at + 1]));
      break;
    case Format::ABCX: out = fmt::format("r{} {} {} #{}", a_of(w), b_of(w), c_of(w), code.words[at + 1]); break;
    case Format::AXJump:
      out = fmt::format("r{} #{} {}", a_of(w), code.words[at + 1], target(code.words[at + 2]));
      break;
  }
  for (const Number& number : facts(op).numbers) {
    if (std::string meaning = meaning_of(code, op, number, at); !meaning.empty()) out += "  ; " + meaning;
  }
  return out;
}

void disassemble_to(std::string& out, const Code& code) {
  out += fmt::format("{} {}  params {}{}  registers {}\n",
                     code.is_stream      ? "gen fn"
                     : code.is_generator ? "generator"
                                         : "fn",
                     code.name, code.param_count, code.has_rest ? "+rest" : "", code.registers);
  uint32_t last_line = 0;
  for (uint32_t at = 0; at < code.words.size();) {
    Op op = op_of(code.words[at]);
    uint32_t line = code.source->position(code.source_offset(at)).line;
    std::string margin = line == last_line ? std::string(5, ' ') : fmt::format("{:>5}", line);
    last_line = line;
    out += fmt::format("{} {:>5}  {:<20} {}\n", margin, at, row(op).name, operands(code, at));
    at += length(row(op).format);
  }
  for (const Handler& handler : code.handlers) {
    out += fmt::format("      on error in {}..{} -> {} (r{}){}\n", handler.start, handler.end, handler.target,
                       handler.reg, handler.cleanup ? " clean-up" : "");
  }
  for (auto& function : code.functions) {
    out += '\n';
    disassemble_to(out, *function);
  }
}

}  // namespace

std::string disassemble(const Code& code) {
  std::string out;
  disassemble_to(out, code);
  return out;
}

}  // namespace harn::bytecode
