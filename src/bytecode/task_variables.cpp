#include "bytecode/task_variables.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace harn::bytecode {

namespace {

bool is_variable_op(Op op) { return op == Op::GetGlobal || op == Op::SetGlobal || op == Op::AssignGlobal; }

// The program variable an instruction names, or -1.
int64_t variable_of(const std::vector<Word>& words, uint32_t at) {
  Word word = words[at];
  switch (op_of(word)) {
    case Op::Large: return is_variable_op(static_cast<Op>(b_of(word))) ? int64_t{words[at + 1]} : -1;
    case Op::GetGlobal:
    case Op::SetGlobal:
    case Op::AssignGlobal: return bx_of(word);
    case Op::CallGlobal:
    case Op::TailCallGlobal: return words[at + 1];
    case Op::SetPath: return static_cast<Place>(a_of(word)) == Place::Global ? int64_t{words[at + 1]} : -1;
    default: return -1;
  }
}

template <class Visit>
void each_instruction(const Code& code, Visit visit) {
  for (uint32_t at = 0; at < code.words.size(); at += length(row(op_of(code.words[at])).format)) visit(at);
}

}  // namespace

class VariableUse::Analysis {
 public:
  explicit Analysis(const Program& program) : variables_(static_cast<uint32_t>(program.globals.size())) {
    for (auto& module : program.modules) collect(*module, true);
  }

  std::vector<uint32_t> of_tasks() const {
    // Module code itself runs in the first task only. A function that is only ever called by its name is
    // reached through its callers.
    if (is_too_large_) return all_variables();
    std::vector<const Code*> open;
    for (const Code* code : all_) {
      if (modules_.contains(code)) continue;
      if (!is_plain_function(code) || code->is_generator) open.push_back(code);
    }
    std::unordered_set<uint32_t> seen = named_from(std::move(open));
    seen.insert(types_.begin(), types_.end());
    std::vector<uint32_t> out(seen.begin(), seen.end());
    std::sort(out.begin(), out.end());
    return out;
  }

  ReachedVariables reached_from(const Code& code) const {
    if (is_too_large_) return {all_variables(), {}};
    ReachedVariables out;
    for (uint32_t variable : named_from({&code})) {
      auto writes = writes_.find(variable);
      bool once = writes != writes_.end() && writes->second == 1 && !written_by_functions_.contains(variable);
      if (once && functions_.contains(variable)) continue;
      (once ? out.fixed : out.changing).push_back(variable);
    }
    return out;
  }

 private:
  std::vector<uint32_t> all_variables() const {
    std::vector<uint32_t> out(variables_);
    std::iota(out.begin(), out.end(), 0u);
    return out;
  }

  void collect(const Code& code, bool is_module) {
    all_.push_back(&code);
    if (is_module) modules_.insert(&code);
    // Which functions are declared where is not found in code that was rewritten for its size.
    is_too_large_ |= is_module && code.far_register != 0;
    each_instruction(code, [&](uint32_t at) {
      Word word = code.words[at];
      is_too_large_ |= op_of(word) == Op::Large && is_variable_op(static_cast<Op>(b_of(word)));
      if (op_of(word) == Op::GetGlobal) used_as_value_.insert(bx_of(word));
      bool in_part = op_of(word) == Op::SetPath;
      if (int64_t variable = variable_of(code.words, at); variable >= 0 && (in_part || !is_module)) {
        if (in_part || op_of(word) == Op::SetGlobal || op_of(word) == Op::AssignGlobal)
          written_by_functions_.insert(static_cast<uint32_t>(variable));
      }
      if (op_of(word) == Op::AssignGlobal) ++writes_[bx_of(word)];
      if (op_of(word) != Op::SetGlobal) return;
      ++writes_[bx_of(word)];
      if (!is_module || at == 0 || a_of(code.words[at - 1]) != a_of(word)) return;
      Op made_by = op_of(code.words[at - 1]);
      if (made_by == Op::NewStructType || made_by == Op::NewEnumType) types_.insert(bx_of(word));
      if (made_by != Op::MakeClosure) return;
      const Code* function = code.functions[bx_of(code.words[at - 1])].get();
      declared_[function] = bx_of(word);
      functions_.emplace(bx_of(word), function);
    });
    for (auto& function : code.functions) collect(*function, false);
  }

  // Declared once at the top level, never assigned, never used but to be called.
  bool is_plain_function(const Code* code) const {
    auto found = declared_.find(code);
    return found != declared_.end() && writes_.at(found->second) == 1 && !used_as_value_.contains(found->second);
  }

  // The variables that this code, and what it holds and calls, names.
  std::unordered_set<uint32_t> named_from(std::vector<const Code*> open) const {
    std::unordered_set<const Code*> visited;
    std::unordered_set<uint32_t> seen;
    while (!open.empty()) {
      const Code* code = open.back();
      open.pop_back();
      if (!visited.insert(code).second) continue;
      each_instruction(*code, [&](uint32_t at) {
        int64_t variable = variable_of(code->words, at);
        if (variable < 0) return;
        seen.insert(static_cast<uint32_t>(variable));
        auto [from, to] = functions_.equal_range(static_cast<uint32_t>(variable));
        for (; from != to; ++from) open.push_back(from->second);
      });
      for (auto& function : code->functions) open.push_back(function.get());
    }
    return seen;
  }

  uint32_t variables_;
  bool is_too_large_ = false;
  std::vector<const Code*> all_;
  std::unordered_set<const Code*> modules_;
  std::unordered_map<const Code*, uint32_t> declared_;        // functions of the top level, by variable
  std::unordered_multimap<uint32_t, const Code*> functions_;  // the same the other way round
  std::unordered_map<uint32_t, uint32_t> writes_;
  std::unordered_set<uint32_t> types_;                 // structs and enums of the top level
  std::unordered_set<uint32_t> written_by_functions_;  // or in part, which may happen at any time
  std::unordered_set<uint32_t> used_as_value_;
};

VariableUse::VariableUse(const Program& program) : analysis_(std::make_unique<Analysis>(program)) {}
VariableUse::~VariableUse() = default;

std::vector<uint32_t> VariableUse::of_tasks() const { return analysis_->of_tasks(); }
ReachedVariables VariableUse::reached_from(const Code& code) const { return analysis_->reached_from(code); }

}  // namespace harn::bytecode
