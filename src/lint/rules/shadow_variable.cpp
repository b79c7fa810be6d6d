// A variable that hides another one: of a block, a loop or a function around it, or of the module. (That a scope declares
// a name twice is found by the resolver.)
//
// Scopes here are those of variables: the bodies of `if`, `guard` and `match` declare into the scope around them.
#include <algorithm>
#include <unordered_map>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

class Shadows {
 public:
  explicit Shadows(Pass& pass) : pass_(pass) {}

  void run() {
    scopes_.push_back({static_cast<uint32_t>(pass_.nodes().size()), true, {}});
    for (at_ = 0; at_ < pass_.nodes().size(); ++at_) {
      while (scopes_.back().end <= at_) close();
      finish_lets();
      enter(*pass_.nodes()[at_].node);
    }
  }

 private:
  struct Scope {
    uint32_t end;
    bool is_home;  // `let` declares here
    std::vector<std::string_view> names;
  };
  struct Known {
    Span span;
    size_t scope;
  };

  void enter(const Node& node) {
    switch (node.kind) {
      case NodeKind::Block: return enter_block(node.as<Block>());
      case NodeKind::Let: return void(lets_.push_back({pass_.nodes()[at_].end, &node.as<Let>()}));
      case NodeKind::Match:
        for (const MatchArm& arm : node.as<Match>().arms) arms_[arm.body] = arm.pattern;
        return;
      case NodeKind::Select:
        for (const SelectCase& option : node.as<Select>().cases) cases_[option.body] = &option;
        return;
      default: return;
    }
  }

  // A variable exists behind its `let`.
  void finish_lets() {
    while (!lets_.empty() && lets_.back().first <= at_) {
      const Let& let = *lets_.back().second;
      lets_.pop_back();
      for (const PatternField& field : let.pattern->fields) declare(field.binding, home());
    }
  }

  void enter_block(const Block& block) {
    uint32_t parent_at = pass_.nodes()[at_].parent;
    if (parent_at == Places::kTop) return open(true);
    const Node& parent = *pass_.nodes()[parent_at].node;
    switch (parent.kind) {
      case NodeKind::If:
      case NodeKind::Guard: return;
      case NodeKind::Match:
        open(false);
        if (auto found = arms_.find(&block); found != arms_.end()) declare_pattern(*found->second);
        return;
      case NodeKind::Select:
        open(true);
        if (auto found = cases_.find(&block); found != cases_.end()) declare(found->second->binding, last());
        return;
      case NodeKind::For:
        open(true);
        for (const PatternField& field : parent.as<For>().pattern->fields) declare(field.binding, last());
        return;
      case NodeKind::Try:
        open(true);
        if (parent.as<Try>().catch_block == &block) declare(parent.as<Try>().error_name, last());
        return;
      default:
        open(true);
        for (const Param& param : params_of(parent)) declare(param.name, last());
    }
  }

  void declare_pattern(const MatchPattern& pattern) {
    if (pass_.variable(pattern)) declare(pattern.name, last());
    for (const MatchPattern* item : pattern.items) declare_pattern(*item);
  }

  void open(bool is_home) { scopes_.push_back({pass_.nodes()[at_].end, is_home, {}}); }
  size_t last() const { return scopes_.size() - 1; }
  size_t home() const {
    size_t at = last();
    while (!scopes_[at].is_home) --at;
    return at;
  }

  void close() {
    for (std::string_view name : scopes_.back().names) {
      auto& known = known_[name];
      auto found = std::find_if(known.rbegin(), known.rend(), [&](const Known& one) { return one.scope == last(); });
      if (found != known.rend()) known.erase(std::next(found).base());
    }
    scopes_.pop_back();
  }

  void declare(Name name, size_t scope) {
    if (name.empty() || name.text.starts_with('_') || name.text == "self") return;
    auto& known = known_[name.text];
    bool again = !known.empty() && known.back().scope == scope;
    if (!known.empty() && !again) report(name, known.back().span);
    if (again) return;
    known.push_back({name.span, scope});
    scopes_[scope].names.push_back(name.text);
  }

  void report(Name name, Span hidden) {
    pass_.report(name.span, name.text, "hides another variable")
        .label(pass_.source(), hidden, "the one that is hidden")
        .help("give one of the two another name");
  }

  Pass& pass_;
  uint32_t at_ = 0;
  std::vector<Scope> scopes_;
  std::vector<std::pair<uint32_t, const Let*>> lets_;
  std::unordered_map<std::string_view, std::vector<Known>> known_;
  std::unordered_map<const Block*, const MatchPattern*> arms_;
  std::unordered_map<const Block*, const SelectCase*> cases_;
};

void check(Pass& pass) { Shadows(pass).run(); }

}  // namespace

extern const Rule kShadowVariable = {
    .name = "shadow-variable",
    .code = diag::Code::RedeclaredVariable,
    .module = check,
};

}  // namespace harn::lint
