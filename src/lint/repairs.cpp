#include "lint/repairs.h"

#include <algorithm>

namespace harn::lint {

using diag::Code;

namespace {

struct Row {
  Code code;
  std::string_view id;
  Safety safety;  // of a fix that keeps behaviour; the others are `ScopeLocal` at least
};

constexpr Row kRows[] = {
    {Code::UnknownVariable, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownCallTarget, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownType, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownVariant, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownLintRule, "bindings/rename-to-closest", Safety::FormatOnly},
    {Code::UnknownField, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownMethod, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownOption, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownModelOption, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnknownStructField, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::PromptPlaceholder, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::UnboundMethod, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::NeverEqual, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::PatternMismatch, "bindings/rename-to-closest", Safety::ScopeLocal},
    {Code::TextJoined, "style/string-interpolation", Safety::ScopeLocal},
    {Code::LetMismatch, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::AssignMismatch, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::ArgumentMismatch, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::ReturnMismatch, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::ClosureMismatch, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::FieldMismatch, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::NotExhaustive, "match/add-missing-arms", Safety::ScopeLocal},
    {Code::ImmutableAssign, "bindings/make-mutable", Safety::ScopeLocal},
    {Code::NaturalFixedOutput, "bindings/make-mutable", Safety::ScopeLocal},
    {Code::LetThenReturn, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::UnusedVariable, "bindings/rename-unused", Safety::BehaviorPreserving},
    {Code::UnusedBinding, "bindings/rename-unused", Safety::BehaviorPreserving},
    {Code::UnusedParameter, "bindings/rename-unused", Safety::ScopeLocal},
    {Code::UnusedImport, "imports/remove-unused", Safety::BehaviorPreserving},
    {Code::NeverReassigned, "bindings/make-immutable", Safety::BehaviorPreserving},
    {Code::UnnecessaryCast, "casts/remove-redundant", Safety::BehaviorPreserving},
    {Code::ConstantOperand, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::PointlessComparison, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::ComparisonToBool, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::InvalidLiteralOperand, "casts/insert-explicit-conversion", Safety::ScopeLocal},
    {Code::RedundantNilTernary, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::EmptyBlock, "blocks/remove-empty", Safety::BehaviorPreserving},
    {Code::UnnecessaryElse, "control-flow/flatten", Safety::BehaviorPreserving},
    {Code::NoBlankLine, "format/reformat", Safety::FormatOnly},
    {Code::MissingComma, "format/reformat", Safety::FormatOnly},
    {Code::UnnecessaryParentheses, "format/reformat", Safety::FormatOnly},
    {Code::NoFileHeader, "doc/add-harndoc", Safety::FormatOnly},
    {Code::ImportOrder, "imports/reorder", Safety::BehaviorPreserving},
    {Code::OptionalShorthand, "format/reformat", Safety::FormatOnly},
    {Code::LegacyDocComment, "doc/migrate-comment-style", Safety::FormatOnly},
    {Code::AmbientClock, "bindings/thread-harness-clock", Safety::ScopeLocal},
    {Code::AmbientStdio, "bindings/thread-harness", Safety::ScopeLocal},
    {Code::AmbientFs, "bindings/thread-harness-fs", Safety::ScopeLocal},
    {Code::AmbientEnv, "bindings/thread-harness-env", Safety::ScopeLocal},
    {Code::AmbientRandom, "bindings/thread-harness-random", Safety::ScopeLocal},
    {Code::AmbientNet, "bindings/thread-harness-net", Safety::ScopeLocal},
    {Code::UnmarkedNatural, "attributes/mark-natural-function", Safety::CapabilityChanging},
    {Code::PromptOrder, "expressions/reorder-sections", Safety::ScopeLocal},
    {Code::NeedlessOptional, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::NeedlessFallback, "expressions/simplify", Safety::BehaviorPreserving},
    {Code::CoalesceNil, "expressions/simplify", Safety::BehaviorPreserving},
};

}  // namespace

std::optional<Safety> find_safety(std::string_view name) {
  auto found = std::find(std::begin(kSafetyNames), std::end(kSafetyNames), name);
  if (found == std::end(kSafetyNames)) return std::nullopt;
  return static_cast<Safety>(found - std::begin(kSafetyNames));
}

bool is_layout(diag::Code code) {
  auto is_it = [&](const Row& one) { return one.code == code && one.safety == Safety::FormatOnly; };
  return diag::row(code).id.starts_with("HARN-LNT-") && std::any_of(std::begin(kRows), std::end(kRows), is_it);
}

std::optional<Repair> usual_repair(diag::Code code) {
  auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.code == code; });
  return row == std::end(kRows) ? std::nullopt : std::optional(Repair{row->id, row->safety});
}

Repair repair_of(const diag::Diagnostic& diagnostic) {
  constexpr Repair kByHand{"manual/needs-human", Safety::NeedsHuman};
  if (diagnostic.fixes.empty()) return kByHand;
  auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.code == diagnostic.code; });
  Repair repair =
      row == std::end(kRows) ? Repair{"expressions/simplify", Safety::ScopeLocal} : Repair{row->id, row->safety};
  if (!diagnostic.fixes.front().safe) repair.safety = std::max(repair.safety, Safety::ScopeLocal);
  return repair;
}

}  // namespace harn::lint
