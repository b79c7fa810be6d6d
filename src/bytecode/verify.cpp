#include "bytecode/verify.h"

#include <unordered_set>

#include "bytecode/verify_code.h"

namespace harn::bytecode {

namespace {

// More than any function has; keeps a broken number from asking for memory.
constexpr uint32_t kMostRegisters = 1 << 20;

// ---- what belongs to a function besides its instructions ----

bool check_parameters(const Code& code, Findings& findings) {
  size_t names = size_t{code.param_count} + code.has_rest;
  if (code.required_params > code.param_count || code.param_names.size() != names)
    return findings.report(Wrong::Parameters, 0, "{} parameters, {} of them required, with {} names", names,
                           code.required_params, code.param_names.size());
  if (code.registers > kMostRegisters)
    return findings.report(Wrong::Parameters, 0, "{} registers are too many", code.registers);
  if (code.registers < names)
    return findings.report(Wrong::Parameters, 0, "{} registers are too few for {} parameters", code.registers, names);
  return true;
}

bool check_lines(const Code& code, const Instructions& instructions, Findings& findings) {
  size_t size = code.source ? code.source->text().size() : SIZE_MAX;
  for (size_t i = 0; i < code.lines.size(); ++i) {
    const LineEntry& line = code.lines[i];
    if (line.word != code.words.size() && !instructions.is_start(line.word))
      return findings.report(Wrong::Table, line.word, "a line begins in the middle of an instruction");
    if (i > 0 && line.word <= code.lines[i - 1].word)
      return findings.report(Wrong::Table, line.word, "the lines are not in order");
    if (line.offset > size) return findings.report(Wrong::Table, line.word, "a line lies behind the end of its source");
  }
  return true;
}

bool check_tables(const Code& code, Findings& findings) {
  for (const ParamCheck& check : code.checks) {
    if (!check.type) return findings.report(Wrong::Table, 0, "a check without a type");
  }
  for (const PathSteps& path : code.paths) {
    if (path.caches.empty()) return findings.report(Wrong::Table, 0, "a path without steps");
    for (uint32_t step : path.caches) {
      if (step != PathSteps::kKey && step >= code.caches.size())
        return findings.report(Wrong::Table, 0, "a path with a step that is no cache");
    }
  }
  for (const auto& function : code.functions) {
    if (!function) return findings.report(Wrong::Table, 0, "a function without code");
  }
  for (const Constant& constant : code.constants) {
    auto* data = std::get_if<DataPtr>(&constant);
    if (data && !*data) return findings.report(Wrong::Table, 0, "a constant without data");
  }
  return true;
}

// Checks one function; those inside it are known.
std::optional<Fault> check_function(const Code& code, const KnownCode& known, Instructions& instructions,
                                    Findings& findings) {
  Regions regions(code, instructions, findings);
  bool sound = check_parameters(code, findings) && check_tables(code, findings) && instructions.check() &&
               check_lines(code, instructions, findings) && regions.check();
  if (sound) check_contents(code, instructions, regions, known, findings);
  return findings.fault();
}

// ---- programs ----

class ProgramVerifier {
 public:
  ProgramVerifier(const Program& program, uint32_t builtins, bool is_library) : program_(program) {
    auto globals = static_cast<uint32_t>(program.globals.size());
    known_.surroundings = {globals, builtins, is_library};
  }

  std::optional<Fault> run() {
    if (auto fault = check_entries()) return fault;
    for (const auto& module : program_.modules) note_enums(*module);
    for (const auto& module : program_.modules) {
      if (auto fault = visit(*module, Inside::Nothing)) return fault;
      if (!module->captures.empty()) return Fault{Wrong::Capture, module->name, 0, "a module captures something"};
    }
    return check_called();
  }

 private:
  enum class Inside { Nothing, Function };

  std::optional<Fault> check_entries() const {
    auto bad = [](const char* what) { return Fault{Wrong::Program, "the program", 0, what}; };
    if (program_.modules.empty()) return bad("there is no module");
    for (const auto& module : program_.modules) {
      if (!module) return bad("a module without code");
    }
    for (const PipelineEntry& pipeline : program_.pipelines) {
      if (pipeline.global >= program_.globals.size()) return bad("a pipeline that is in no variable");
    }
    for (uint32_t variable : program_.owned) {
      if (variable >= program_.globals.size()) return bad("it owns a variable that does not exist");
    }
    return std::nullopt;
  }

  void note_enums(const Code& code) {
    for (const Constant& constant : code.constants) {
      if (auto* shape = std::get_if<EnumShape>(&constant)) known_.variants[shape->declaration] = shape->variants.size();
    }
    for (const auto& function : code.functions) {
      if (function) note_enums(*function);
    }
  }

  // The functions inside first: how they use what they capture decides what the code around must hold.
  std::optional<Fault> visit(const Code& code, Inside inside) {
    for (const auto& function : code.functions) {
      if (!function) continue;  // reported below
      if (auto fault = visit(*function, Inside::Function)) return fault;
    }
    static const WideMap kNoWide;
    Findings findings(code);
    Instructions instructions(code, kNoWide, known_, findings);
    if (auto fault = check_function(code, known_, instructions, findings)) return fault;
    known_.captures[&code] = instructions.capture_uses();
    called_.insert(instructions.called.begin(), instructions.called.end());
    for (uint32_t variable : instructions.assigned) assigned_.try_emplace(variable, &code);
    if (inside == Inside::Nothing) return std::nullopt;
    for (uint32_t variable : instructions.defined) assigned_.try_emplace(variable, &code);
    return std::nullopt;
  }

  // A function in a program variable that is called where it is: nothing else holds it meanwhile.
  std::optional<Fault> check_called() const {
    for (auto [variable, code] : assigned_) {
      if (!called_.contains(variable)) continue;
      return Fault{Wrong::Program, code->name, 0,
                   fmt::format("program variable {} is assigned, and called where it is", variable)};
    }
    return std::nullopt;
  }

  const Program& program_;
  KnownCode known_;
  std::unordered_set<uint32_t> called_;
  std::unordered_map<uint32_t, const Code*> assigned_;  // and by whom
};

}  // namespace

std::string Fault::text() const { return fmt::format("`{}` at word {}: {}", function, word, what); }

std::optional<Fault> verify(const Program& program, uint32_t builtins, bool is_library) {
  return ProgramVerifier(program, builtins, is_library).run();
}

std::optional<Fault> verify_unfinished(const Code& code, const WideMap& wide, const Surroundings& surroundings) {
  KnownCode known;
  known.surroundings = surroundings;
  known.knows_captures = false;
  Findings findings(code);
  Instructions instructions(code, wide, known, findings);
  return check_function(code, known, instructions, findings);
}

std::vector<uint32_t> instruction_starts(const Code& code) {
  std::vector<uint32_t> starts;
  for (uint32_t at = 0; at < code.words.size(); at += length(row(op_of(code.words[at])).format)) starts.push_back(at);
  return starts;
}

}  // namespace harn::bytecode
