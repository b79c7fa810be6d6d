#include "check/flow.h"

#include <algorithm>

#include "base/fmt.h"
#include "compile/scope.h"

namespace harn::check {

PathId Paths::add(std::string text, const compile::Variable* base) {
  paths_.push_back({std::move(text), base, {}});
  return static_cast<PathId>(paths_.size() - 1);
}

PathId Paths::of(const compile::Variable* variable) {
  auto [found, is_new] = variables_.try_emplace(variable, 0);
  if (is_new) found->second = add(std::string(variable->name), variable);
  return found->second;
}

PathId Paths::child(PathId parent, std::string_view key) {
  auto [found, is_new] = by_key_.try_emplace(fmt::format("{} {}", parent, key), 0);
  if (is_new) {
    found->second = add(fmt::format("{}.{}", paths_[parent].text, key), paths_[parent].base);
    paths_[parent].children.push_back(found->second);
  }
  return found->second;
}

bool Paths::is_mutable(PathId path) const { return paths_[path].base->assigned; }

const Fact* Flow::find(PathId path) const {
  auto found = facts_.find(path);
  return found == facts_.end() ? nullptr : &found->second;
}

void Flow::change(PathId path, std::optional<Fact> fact) {
  auto known = facts_.find(path);
  trail_.emplace_back(path, known == facts_.end() ? std::nullopt : std::optional(known->second));
  if (fact) facts_[path] = *fact;
  else if (known != facts_.end()) facts_.erase(known);
}

void Flow::set(PathId path, Fact fact) {
  change(path, fact);
  const compile::Variable* base = paths_.base(path);
  bool is_global = base->kind == compile::Variable::Kind::Global;
  bool may_be_shared = base->assigned && (is_global ? base->outside_use : base->captured);
  if (may_be_shared && std::ranges::find(watched_, base) == watched_.end()) watched_.push_back(base);
}

void Flow::set_all(const Facts& facts) {
  for (auto& [path, fact] : facts) set(path, fact);
}

void Flow::forget(PathId path) {
  paths_.each_below(path, [&](PathId below) {
    if (facts_.contains(below)) change(below, std::nullopt);
  });
}

Flow::Branch Flow::take(size_t mark, bool reachable_before) {
  Branch branch;
  branch.reachable = reachable;
  std::unordered_map<PathId, bool> seen;
  while (trail_.size() > mark) {
    auto [path, before] = trail_.back();
    trail_.pop_back();
    if (seen.try_emplace(path, true).second) {
      const Fact* now = find(path);
      branch.changes.emplace_back(path, now ? std::optional(*now) : std::nullopt);
    }
    if (before) facts_[path] = *before;
    else facts_.erase(path);
  }
  reachable = reachable_before;
  return branch;
}

void Flow::join(std::span<const Branch> branches, types::TypeTable& table) {
  std::vector<const Branch*> live;
  for (const Branch& branch : branches) {
    if (branch.reachable) live.push_back(&branch);
  }
  reachable = !live.empty();
  if (live.empty()) return;
  struct Sum {
    size_t branches = 0;
    std::optional<Fact> fact;
    std::vector<const types::Type*> types;  // united at once: there may be thousands
    bool unknown = false;
  };
  std::unordered_map<PathId, Sum> sums;
  std::vector<PathId> order;
  auto add = [&](Sum& sum, const std::optional<Fact>& fact) {
    ++sum.branches;
    if (!fact) {
      sum.unknown = true;
      return;
    }
    if (sum.types.empty() || sum.types.back() != fact->type) sum.types.push_back(fact->type);
    if (!sum.fact) {
      sum.fact = *fact;
    } else {
      sum.fact->ruled_out &= fact->ruled_out;
      sum.fact->loose |= fact->loose;
    }
  };
  for (const Branch* branch : live) {
    for (auto& [path, fact] : branch->changes) {
      auto [sum, is_new] = sums.try_emplace(path);
      if (is_new) order.push_back(path);
      add(sum->second, fact);
    }
  }
  for (PathId path : order) {
    Sum& sum = sums[path];
    if (sum.branches < live.size()) {
      const Fact* as_before = find(path);
      add(sum, as_before ? std::optional(*as_before) : std::nullopt);
    }
    if (!sum.unknown && sum.types.size() > 1) sum.fact->type = table.unite(sum.types);
    change(path, sum.unknown ? std::nullopt : sum.fact);
  }
}

}  // namespace harn::check
