// Match: what each arm knows, and whether an arm is missing.
#include <algorithm>
#include <optional>

#include "base/fmt.h"
#include "base/text.h"
#include "check/checker.h"
#include "check/coverage.h"

namespace harn::check {

using diag::Code;
using namespace syntax;
using types::argument;

// The variable or path that a match looks at: `match x`, `match m.kind`, `match type_of(x)`.
namespace {
struct Subject {
  const Node* value = nullptr;
  bool by_type = false;
};
}  // namespace

const Type* Checker::match(const Match& node, const Type* expected) {
  const Type* type = infer(*node.subject);
  Subject subject{node.subject};
  if (is_builtin_call(*node.subject, "type_of") && node.subject->as<Call>().args.size() == 1) {
    subject = {node.subject->as<Call>().args[0], true};
  }
  bool was_reachable = flow_.reachable;
  size_t mark = flow_.mark();
  std::vector<Flow::Branch> branches;
  std::vector<const Type*> results;
  std::vector<Part> parts;
  Covered covered;
  Facts others;  // what is left when the arms so far did not match
  give_up(*node.subject, others);
  for (const MatchArm& arm : node.arms) {
    flow_.set_all(others);
    const MatchPattern& pattern = *arm.pattern;
    // The alternatives of the arm, if all are literals or variants.
    std::vector<const MatchPattern*> alternatives = {&pattern};
    if (pattern.kind == MatchPatternKind::Or) alternatives.assign(pattern.items.begin(), pattern.items.end());
    Facts arm_facts, rest;
    bool first = true;
    for (const MatchPattern* one : alternatives) {
      auto meaning = bindings_.meaning(*one);
      Narrowing narrowing;
      if (meaning.kind == MatchPatternKind::Value && meaning.value) {
        const Type* literal = infer(*meaning.value);
        bool is_literal = literal->kind == Kind::StringLiteral || literal->kind == Kind::IntLiteral ||
                          literal->kind == Kind::BoolLiteral;
        if (subject.by_type && literal->kind == Kind::StringLiteral) {
          narrowing = type_test(*subject.value, literal->text);
          if (meaning.value->is(NodeKind::StringLiteral)) check_type_name(*meaning.value);
        } else if (literal->kind == Kind::Nil) narrowing = nil_test(*subject.value);
        else if (is_literal) narrowing = literal_test(*subject.value, literal);
        if (!arm.guard && (is_literal || literal->kind == Kind::Nil)) covered.literals.insert(literal->canonical);
        const Type* plain = known_.relation.plain(type);
        if (is_literal && !types::is_gradual(plain) && plain->kind != Kind::Unknown && !could_equal(type, literal)) {
          report(Code::PatternMismatch, one->span, shown(type), shown(known_.widened(literal)));
        } else if (is_literal && !subject.by_type && !is_loose(*node.subject) && !may_be_equal(type, literal)) {
          auto told = report(Code::PatternMismatch, one->span, shown(type), shown(literal));
          if (meaning.value->is(NodeKind::StringLiteral)) offer_literal(told, *meaning.value, type);
        }
      } else if (meaning.kind == MatchPatternKind::Variant) {
        bool binds_all = std::ranges::all_of(one->items, [&](const MatchPattern* item) {
          auto inner = bindings_.meaning(*item);
          return inner.kind == MatchPatternKind::Wildcard || inner.kind == MatchPatternKind::Bind;
        });
        if (!arm.guard && binds_all) covered.variants.insert(one->name.text);
      } else if (meaning.kind == MatchPatternKind::Wildcard || meaning.kind == MatchPatternKind::Bind) {
        if (!arm.guard) covered.everything = true;
      }
      // An or-pattern: one of its alternatives.
      if (first) arm_facts = narrowing.yes;
      else {
        Facts sum;
        for (auto& [path, fact] : arm_facts) {
          for (auto& [other, second] : narrowing.yes) {
            if (path != other) continue;
            Fact joined = fact;
            joined.type = known_.table.unite({fact.type, second.type});
            sum.emplace_back(path, joined);
          }
        }
        arm_facts = std::move(sum);
      }
      first = false;
      rest.insert(rest.end(), narrowing.no.begin(), narrowing.no.end());
      // The next alternative is only tried when this one did not match.
      flow_.set_all(narrowing.no);
    }
    flow_.take(mark, was_reachable);
    flow_.set_all(others);
    flow_.set_all(arm_facts);
    bind_match(pattern, current_subject(*subject.value, type, subject.by_type));
    if (arm.guard) {
      Narrowing guard = condition(*arm.guard);
      flow_.set_all(guard.yes);
    } else {
      // What the last arm has left is less than what those before did.
      for (auto& [path, fact] : rest) {
        auto known = std::ranges::find(others, path, [](auto& one) { return one.first; });
        if (known == others.end()) others.emplace_back(path, fact);
        else known->second = fact;
      }
    }
    const Type* result = block(*arm.body, expected);
    branches.push_back(flow_.take(mark, was_reachable));
    if (!branches.back().reachable) continue;
    results.push_back(result);
    parts.push_back({arm.body, result});
  }
  note_misfit(node, parts, expected, expected);
  // Where no arm matches there is an error at run time: nothing goes on from there.
  bool complete = covered.everything || check_exhaustive(node, type, covered);
  flow_.join(branches, known_.table);
  flow_.reachable = flow_.reachable && was_reachable;
  // What is told to be missing may come here.
  if (!complete) flow_.reachable = was_reachable;
  return known_.table.unite(results);
}

// The type of what the pattern takes apart.
const Type* Checker::current_subject(const Node& value, const Type* type, bool by_type) {
  if (by_type) return named(Kind::String);
  PathId path = path_of(value);
  const Fact* fact = path ? flow_.find(path) : nullptr;
  return fact ? fact->type : type;
}

bool Checker::could_equal(const Type* type, const Type* literal) {
  for (const Type* member : known_.members(type)) {
    const Type* plain = known_.relation.plain(member);
    if (types::is_gradual(plain) || plain->kind == Kind::Unknown || plain->kind == Kind::Parameter ||
        plain->kind == Kind::Error || plain->kind == Kind::Duration) {
      return true;
    }
    if (fits(literal, member) || fits(known_.widened(literal), known_.widened(member))) return true;
  }
  return false;
}

void Checker::bind_match(const MatchPattern& pattern, const Type* type) {
  auto meaning = bindings_.meaning(pattern);
  const Type* plain = known_.relation.plain(known_.without_nil(type));
  switch (meaning.kind) {
    case MatchPatternKind::Bind: declare(variable(pattern), type, false); break;
    case MatchPatternKind::Variant: {
      std::vector<const Type*> payload;
      if (meaning.owner) {
        const Type* owner =
            plain->kind == Kind::Enum && plain->declaration == meaning.owner
                ? plain
                : known_.table.declared(Kind::Enum, meaning.owner->name.text, *meaning.owner,
                                        std::vector<const Type*>(meaning.owner->generics.size(), any()));
        for (const types::Field& field : known_.lowering.payloads(owner)) {
          if (field.name == pattern.name.text) payload.push_back(field.type);
        }
      } else if (plain->kind == Kind::Result) {
        const Type* part = argument(plain, pattern.name.text == "Ok" ? 0 : 1);
        if (part) payload.push_back(part);
      }
      for (size_t i = 0; i < pattern.items.size(); ++i) {
        bind_match(*pattern.items[i], i < payload.size() ? payload[i] : any());
      }
      break;
    }
    case MatchPatternKind::List: {
      const Type* item = plain->kind == Kind::List ? item_at(plain) : any();
      for (const MatchPattern* one : pattern.items) bind_match(*one, item);
      if (pattern.has_rest) declare(variable(pattern), plain->kind == Kind::List ? plain : nullptr, false);
      break;
    }
    case MatchPatternKind::Dict: {
      // Only variants whose other fields have the values that the pattern wants.
      const Type* variants = plain;
      for (size_t i = 0; i < pattern.items.size(); ++i) {
        auto inner = bindings_.meaning(*pattern.items[i]);
        if (inner.kind != MatchPatternKind::Value || !inner.value) continue;
        ++quiet_;
        const Type* literal = infer(*inner.value);
        --quiet_;
        const Type* left = variants_with(variants, pattern.keys[i].text, literal, true);
        if (left->kind != Kind::Never) variants = left;
      }
      for (size_t i = 0; i < pattern.items.size(); ++i) {
        std::vector<const Type*> all;
        for (const Type* member : known_.members(variants)) {
          const Type* field = field_of(member, pattern.keys[i].text);
          all.push_back(field ? field : any());
        }
        const Type* found = all.empty() ? nullptr : known_.table.unite(all);
        const MatchPattern& item = *pattern.items[i];
        bool is_key = item.span == pattern.keys[i].span;
        if (is_key) declare(variable(item), found, false);
        else bind_match(item, found ? found : any());
      }
      if (pattern.has_rest) declare(variable(pattern), nullptr, false);
      break;
    }
    case MatchPatternKind::Value:
    case MatchPatternKind::Wildcard:
    case MatchPatternKind::Or: break;
  }
}

// ---- missing arms ----

// Of a union of shapes each has a field that tells it from the others.
bool Checker::is_tagged(const std::vector<const Type*>& members) {
  if (members.size() < 2) return false;
  const Type* first = known_.relation.as_shape(members[0]);
  if (!first) return false;
  for (const types::Field& field : first->fields) {
    std::unordered_set<const Type*> values;
    bool tells = std::ranges::all_of(members, [&](const Type* member) {
      const Type* shape =
          known_.relation.plain(member)->kind == Kind::Struct ? nullptr : known_.relation.as_shape(member);
      if (!shape) return false;
      auto own = std::ranges::find(shape->fields, field.name, &types::Field::name);
      if (own == shape->fields.end() || own->optional) return false;
      const Type* value = known_.relation.plain(own->type);
      bool is_literal = value->kind == Kind::StringLiteral || value->kind == Kind::IntLiteral;
      return is_literal && values.insert(value->canonical).second;
    });
    if (tells) return true;
  }
  return false;
}

bool Checker::check_exhaustive(const Match& node, const Type* type, const Covered& covered) {
  auto& members = known_.members(type);
  if (members.empty()) return true;
  std::string what;
  bool has_literals = false, has_others = false;
  bool complete = true;
  auto has_arm = [&](std::string_view variant) { return covered.variants.contains(variant); };
  for (const Type* member : members) {
    const Type* plain = known_.relation.plain(member);
    switch (plain->kind) {
      case Kind::Enum: {
        auto& variants = plain->declaration->as<Enum>().variants;
        complete = complete && std::ranges::all_of(variants, [&](auto& variant) { return has_arm(variant.name.text); });
        what = fmt::format("enum {}: missing variants", plain->text);
        break;
      }
      case Kind::Result:
        complete = complete && has_arm("Ok") && has_arm("Err");
        what = "Result: missing variants";
        break;
      case Kind::StringLiteral:
      case Kind::IntLiteral:
      case Kind::BoolLiteral:
      case Kind::Nil:
        complete = complete && covered.literals.contains(plain->canonical);
        if (plain->kind != Kind::Nil) has_literals = true;
        break;
      default: has_others = true;
    }
  }
  bool is_tagged_union = has_others && is_tagged(members);
  if (is_tagged_union) what = "tagged shape union: missing variants";
  else if (has_others || (what.empty() && !has_literals)) return true;  // nobody says that these are all
  if (complete && !has_others) return true;
  Coverage coverage(*this);
  for (const MatchArm& arm : node.arms) {
    if (!arm.guard) coverage.add_arm(*arm.pattern);
  }
  auto left = coverage.left_of(type, covered);
  if (left.empty()) return true;
  if (has_literals) {
    bool is_tag = tags_a_union(*node.subject);
    what = is_tag ? "tagged shape union: missing variants" : "literal union: missing";
  }
  std::vector<std::string> missing;
  for (const Coverage::Left& one : left) missing.push_back(one.pattern);
  std::string list = fmt::format("{}", fmt::join(missing, ", "));
  auto told = report(Code::NotExhaustive, node.subject->span, what, list);
  told.label("not every value has an arm").help(fmt::format("add arms for {}, or a last arm `_ -> {{ ... }}`", list));
  if (is_tagged_union) return false;
  // New arms go in front of the last brace, on lines of their own.
  uint32_t end = node.span.end - 1;
  std::string_view before = module_.source->text().substr(0, end);
  size_t line = before.find_last_of("\r\n") + 1;
  std::string_view indent = before.substr(line);
  bool begins_line = text::trim(indent).empty();
  if (!begins_line) indent = {};
  std::string arms = begins_line ? "" : "\n";
  for (const Coverage::Left& one : left) {
    arms += fmt::format("{}  {} -> {{ unreachable() }}\n", indent, arm_for(one.member, one.variant));
  }
  uint32_t at = begins_line ? static_cast<uint32_t>(line) : end;
  told.fix({"add the missing arms", {at, at}, arms, false});
  return false;
}

// A pattern for all values of a variant, or for a literal.
std::string Checker::arm_for(const Type* member, std::string_view variant) {
  if (member->kind == Kind::Result) return fmt::format("Result.{}(_)", variant);
  if (member->kind != Kind::Enum) return shown(member);
  std::string pattern = fmt::format("{}.{}", member->text, variant);
  for (const EnumVariant& one : member->declaration->as<Enum>().variants) {
    if (one.name.text != variant || one.fields.empty()) continue;
    std::vector<std::string> names;
    for (const Param& field : one.fields) {
      names.push_back(field.name.empty() ? "_" : fmt::format("_{}", field.name.text));
    }
    pattern += fmt::format("({})", fmt::join(names, ", "));
  }
  return pattern;
}

// Whether the value is the field that tells the variants of a union apart.
bool Checker::tags_a_union(const Node& value) {
  if (!value.is(NodeKind::Member)) return false;
  auto& members = known_.members(current(*value.as<Member>().object).type);
  return members.size() > 1 &&
         std::ranges::all_of(members, [&](const Type* member) { return known_.relation.as_shape(member) != nullptr; });
}

}  // namespace harn::check
