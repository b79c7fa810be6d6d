#include "check/coverage.h"

#include <algorithm>

#include "base/fmt.h"

namespace harn::check {

using namespace syntax;
using types::argument;

// Tables grow fast in programs that nobody writes by hand; beyond this every value counts as taken.
static constexpr size_t kMostSteps = 500'000;

void Checker::Coverage::add_arm(const MatchPattern& pattern) {
  if (pattern.kind != MatchPatternKind::Or) {
    rows_.push_back({&pattern});
    return;
  }
  for (Pattern one : pattern.items) rows_.push_back({one});
}

bool Checker::Coverage::takes_anything(Pattern pattern) const {
  if (!pattern) return true;
  auto kind = checker_.bindings_.meaning(*pattern).kind;
  return kind == MatchPatternKind::Wildcard || kind == MatchPatternKind::Bind;
}

// ---- ways to make a value ----

bool Checker::Coverage::makers_of(const Type* type, const std::vector<Row>& rows, std::vector<Maker>& out) {
  for (const Type* member : known_.members(type)) {
    const Type* plain = known_.relation.plain(member);
    switch (plain->kind) {
      case Kind::Enum: {
        auto payloads = known_.lowering.payloads(plain);
        for (const EnumVariant& variant : plain->declaration->as<Enum>().variants) {
          Maker maker{plain, variant.name.text};
          for (const types::Field& field : payloads) {
            if (field.name == variant.name.text) maker.parts.push_back(field.type);
          }
          out.push_back(std::move(maker));
        }
        break;
      }
      case Kind::Result:
        for (size_t i = 0; i < 2; ++i) {
          const Type* part = argument(plain, i) ? argument(plain, i) : checker_.any();
          out.push_back({plain, i == 0 ? "Ok" : "Err", {}, {part}});
        }
        break;
      case Kind::Bool:
        out.push_back({known_.table.literal_bool(true)});
        out.push_back({known_.table.literal_bool(false)});
        break;
      case Kind::StringLiteral:
      case Kind::IntLiteral:
      case Kind::BoolLiteral:
      case Kind::Nil: out.push_back({plain}); break;
      case Kind::Shape:
      case Kind::Intersection: {
        const Type* shape = known_.relation.as_shape(plain);
        if (!shape || shape->loose) return false;
        Maker maker{plain};
        // Only the fields that some pattern looks at matter.
        for (const Row& row : rows) {
          if (!row[0] || checker_.bindings_.meaning(*row[0]).kind != MatchPatternKind::Dict) continue;
          for (const Name& key : row[0]->keys) {
            auto field = std::ranges::find(shape->fields, key.text, &types::Field::name);
            bool is_known = std::ranges::find(maker.keys, key.text) != maker.keys.end();
            if (field == shape->fields.end() || is_known) continue;
            maker.keys.push_back(key.text);
            maker.parts.push_back(field->type);
            maker.may_lack.push_back(field->optional);
          }
        }
        out.push_back(std::move(maker));
        break;
      }
      default: return false;
    }
  }
  return true;
}

const Type* Checker::Coverage::literal(Pattern pattern) {
  auto [known, is_new] = literals_.try_emplace(pattern, nullptr);
  if (!is_new) return known->second;
  auto meaning = checker_.bindings_.meaning(*pattern);
  if (meaning.kind != MatchPatternKind::Value || !meaning.value) return nullptr;
  ++checker_.quiet_;
  const Type* type = checker_.infer(*meaning.value);
  --checker_.quiet_;
  return known->second = type;
}

// A quick no, before rows are made: the field has another value than the pattern wants.
bool Checker::Coverage::differs(Pattern pattern, const Type* part) {
  const Type* wanted = pattern ? literal(pattern) : nullptr;
  const Type* value = known_.relation.plain(part);
  bool is_literal = value->kind == Kind::StringLiteral || value->kind == Kind::IntLiteral;
  return wanted && is_literal && !same_type(wanted, value);
}

bool Checker::Coverage::open_up(Pattern pattern, const Maker& maker, Row& out) {
  ++steps_;
  if (takes_anything(pattern)) {
    out.resize(out.size() + maker.parts.size(), nullptr);
    return true;
  }
  auto meaning = checker_.bindings_.meaning(*pattern);
  switch (meaning.kind) {
    case MatchPatternKind::Value: {
      const Type* value = maker.parts.empty() ? literal(pattern) : nullptr;
      return value && same_type(value, maker.member);
    }
    case MatchPatternKind::Variant: {
      bool is_owner = meaning.owner ? maker.member->declaration == meaning.owner : maker.member->kind == Kind::Result;
      if (!is_owner || pattern->name.text != maker.variant) return false;
      for (size_t i = 0; i < maker.parts.size(); ++i) {
        out.push_back(i < pattern->items.size() ? pattern->items[i] : nullptr);
      }
      return true;
    }
    case MatchPatternKind::Dict: {
      size_t begin = out.size();
      out.resize(begin + maker.parts.size(), nullptr);
      for (size_t i = 0; i < pattern->items.size(); ++i) {
        auto key = std::ranges::find(maker.keys, pattern->keys[i].text);
        if (key == maker.keys.end()) return false;
        size_t at = static_cast<size_t>(key - maker.keys.begin());
        if (maker.may_lack[at]) return false;  // it is not matched where the field is missing
        bool is_key_alone = pattern->items[i]->span == pattern->keys[i].span;
        if (!is_key_alone && differs(pattern->items[i], maker.parts[at])) return false;
        out[begin + at] = is_key_alone ? nullptr : pattern->items[i];
      }
      return true;
    }
    case MatchPatternKind::List:
    case MatchPatternKind::Or:
    case MatchPatternKind::Wildcard:
    case MatchPatternKind::Bind: return false;
  }
  return false;
}

// ---- what is left ----

bool Checker::Coverage::find(const std::vector<Row>& rows, std::vector<const Type*> types,
                             std::vector<std::string>& found) {
  if (++steps_ > kMostSteps) return false;
  if (types.empty()) return rows.empty();
  bool all_open = std::ranges::all_of(rows, [&](const Row& row) { return takes_anything(row[0]); });
  std::vector<Maker> makers;
  if (!all_open && makers_of(types[0], rows, makers)) {
    return std::ranges::any_of(makers, [&](const Maker& maker) { return find_made(rows, types, maker, found); });
  }
  // What cannot be listed is taken only by those that take anything.
  std::vector<Row> rest;
  for (const Row& row : rows) {
    if (takes_anything(row[0])) rest.emplace_back(row.begin() + 1, row.end());
  }
  types.erase(types.begin());
  if (!find(rest, std::move(types), found)) return false;
  found.insert(found.begin(), "_");
  return true;
}

bool Checker::Coverage::find_made(const std::vector<Row>& rows, const std::vector<const Type*>& types,
                                  const Maker& maker, std::vector<std::string>& found) {
  std::vector<Row> opened;
  Row next;
  for (const Row& row : rows) {
    if (steps_ > kMostSteps) return false;
    next.clear();
    if (!open_up(row[0], maker, next)) continue;
    next.insert(next.end(), row.begin() + 1, row.end());
    opened.push_back(next);
  }
  std::vector<const Type*> columns = maker.parts;
  columns.insert(columns.end(), types.begin() + 1, types.end());
  std::vector<std::string> inside;
  if (!find(opened, std::move(columns), inside)) return false;
  inside.resize(std::max(inside.size(), maker.parts.size()), "_");
  found.push_back(text(maker, std::span(inside).first(maker.parts.size())));
  found.insert(found.end(), inside.begin() + static_cast<std::ptrdiff_t>(maker.parts.size()), inside.end());
  return true;
}

std::string Checker::Coverage::text(const Maker& maker, std::span<const std::string> parts) const {
  if (maker.member->kind == Kind::Enum || maker.member->kind == Kind::Result) {
    bool is_plain = std::ranges::all_of(parts, [](const std::string& part) { return part == "_"; });
    return is_plain ? std::string(maker.variant) : fmt::format("{}({})", maker.variant, fmt::join(parts, ", "));
  }
  if (maker.keys.empty()) return shown(maker.member);
  std::vector<std::string> fields;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != "_") fields.push_back(fmt::format("{}: {}", maker.keys[i], parts[i]));
  }
  return fields.empty() ? shown(maker.member) : fmt::format("{{{}}}", fmt::join(fields, ", "));
}

std::vector<Checker::Coverage::Left> Checker::Coverage::left_of(const Type* type, const Covered& known) {
  std::vector<Maker> makers;
  std::vector<Left> out;
  if (!makers_of(type, rows_, makers)) return out;
  for (const Maker& maker : makers) {
    bool has_arm = maker.variant.empty() ? known.literals.contains(maker.member->canonical)
                                         : known.variants.contains(maker.variant);
    if (has_arm) continue;
    // A literal has an arm of its own or none.
    bool is_shape = maker.member->kind == Kind::Shape || maker.member->kind == Kind::Intersection;
    if (maker.variant.empty() && !is_shape) {
      out.push_back({maker.member, "", shown(maker.member)});
      continue;
    }
    std::vector<std::string> found;
    if (!find_made(rows_, {type}, maker, found)) continue;
    out.push_back({maker.member, std::string(maker.variant), found[0]});
  }
  return out;
}

}  // namespace harn::check
