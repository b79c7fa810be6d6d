#include "audit/invariant_rules.h"

#include <algorithm>

#include "base/fmt.h"
#include "base/text.h"
#include "modules/path.h"

namespace harn::audit {

using namespace syntax;

// ---- paths ----

static std::string_view without_dot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

std::optional<std::string> PathGlobs::add(std::string_view pattern) {
  auto glob = effects::Glob::parse(without_dot(pattern), effects::Glob::Hidden::Yes);
  if (!glob) return glob.error();
  globs_.push_back(std::move(*glob));
  texts_.emplace_back(pattern);
  return std::nullopt;
}

bool PathGlobs::hold(std::string_view path) const {
  std::string folded = modules::path::normalize(path);
  if (folded == ".." || folded.starts_with("../")) return false;
  return std::any_of(globs_.begin(), globs_.end(), [&](const auto& glob) { return glob.matches(folded); });
}

std::string PathGlobs::shown() const {
  std::string out;
  for (const std::string& text : texts_) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", text);
  return out;
}

namespace {

// ---- what a step does ----

struct Doing {
  std::string what;  // "`write_file`"
  std::vector<Capability> capabilities;
  std::vector<const Node*> written;  // the arguments that say where to
  bool is_unknown = false;           // the name of the operation is not written out
  bool acts = false;                 // it may change something outside
  Gates own_gates = 0;               // what the call itself brings along
};

// The value of a field in an options dict among the arguments.
bool has_option(NodeList args, std::string_view name) {
  for (const Node* arg : args) {
    if (!arg->is(NodeKind::DictLiteral)) continue;
    for (const DictEntry& entry : arg->as<DictLiteral>().entries) {
      if (entry.form != KeyForm::Computed && entry.form != KeyForm::Spread && entry.key.text == name) return true;
    }
  }
  return false;
}

Doing harness_doing(const MethodCall& call) {
  std::string path = dotted(call);
  path = path.substr(path.find('.') + 1);
  Doing out{.what = fmt::format("`harness.{}`", path)};
  if (path == "fs.write_text" || path == "fs.append_text") {
    out.capabilities = {Capability::FsWrite};
    if (!call.args.empty()) out.written = {call.args[0]};
  } else if (path.starts_with("net.")) {
    out.capabilities = {Capability::NetworkAccess};
  } else if (path == "spawn_settlement_agent" || path == "resume_subagent" || path == "handoff_to") {
    out.capabilities = {Capability::WorkerDispatch};
  }
  return out;
}

Doing human_doing(const HumanCall& call) {
  Doing out{.what = "`ask_user`", .capabilities = {Capability::HumanApproval}};
  if (call.which == HumanCallKind::RequestApproval) out.what = "`request_approval`";
  if (call.which == HumanCallKind::DualControl) out.what = "`dual_control`";
  if (call.which == HumanCallKind::EscalateTo) out.what = "`escalate_to`";
  return out;
}

Doing doing_of(const Reached& reached, const compile::Catalog& catalog) {
  const Step& step = reached.step();
  if (step.kind != Step::Kind::Call || step.body) return {};
  Doing out;
  if (step.node->is(NodeKind::HumanCall)) out = human_doing(step.node->as<HumanCall>());
  else if (step.node->is(NodeKind::MethodCall)) out = harness_doing(step.node->as<MethodCall>());
  else if (!step.builtin.empty()) {
    out.what = fmt::format("`{}`", step.builtin);
    Effect effect = effect_of(step.builtin, catalog);
    out.capabilities = effect.capabilities;
    for (uint32_t place : effect.written_paths) {
      if (place < step.args.size()) out.written.push_back(step.args[place]);
    }
    // Handed on as a value, it may be called with anything.
    if (!effect.written_paths.empty() && out.written.empty()) out.written.push_back(step.node);
    if (effect.is_named_by_text) {
      auto name = step.args.empty() ? std::nullopt : reached.text_of(*step.args[0]);
      out.is_unknown = !name;
      if (name) {
        HostEffect host = host_effect(*name);
        out.what = fmt::format("`host_call(\"{}\")`", *name);
        if (host.capability) out.capabilities.push_back(*host.capability);
        out.acts = host.may_change;
        if (host.capability == Capability::FsWrite) out.written.push_back(step.args[0]);
      } else {
        out.acts = true;
      }
    }
    bool asks_model = std::find(effect.capabilities.begin(), effect.capabilities.end(), Capability::LlmModel) !=
                      effect.capabilities.end();
    if (asks_model && (has_option(step.args, "budget") || has_option(step.args, "max_cost_usd") ||
                       has_option(step.args, "total_budget_usd"))) {
      out.own_gates = bit(Gate::Budget);
    }
  }
  out.acts |= std::any_of(out.capabilities.begin(), out.capabilities.end(), is_side_effect);
  return out;
}

// ---- fs.writes ----

std::optional<Violation> outside(const Reached& reached, const Doing& doing, const PathGlobs& globs) {
  for (const Node* arg : doing.written) {
    auto path = reached.text_of(*arg);
    if (path && !doing.what.starts_with("`host_call") && globs.hold(*path)) continue;
    std::string help = fmt::format("write the path out, so that it is seen to be in {}", globs.shown());
    if (!path || doing.what.starts_with("`host_call")) {
      return Violation{fmt::format("{} writes to a path that is not known to be in {}", doing.what, globs.shown()),
                       help};
    }
    return Violation{fmt::format("{} writes to \"{}\", which is not in {}", doing.what, *path, globs.shown()),
                     "write elsewhere, or allow the path in the attribute"};
  }
  return std::nullopt;
}

bool writes_files(const Doing& doing) {
  return std::find(doing.capabilities.begin(), doing.capabilities.end(), Capability::FsWrite) !=
         doing.capabilities.end();
}

class FsWrites : public InvariantRule {
 public:
  FsWrites(PathGlobs globs, const compile::Catalog& catalog) : globs_(std::move(globs)), catalog_(catalog) {}
  std::optional<Violation> look(const Reached& reached) override {
    Doing doing = doing_of(reached, catalog_);
    if (doing.is_unknown) {
      return Violation{fmt::format("{} may write a file: the operation is not written out", doing.what),
                       "name the operation as a literal text"};
    }
    return writes_files(doing) ? outside(reached, doing, globs_) : std::nullopt;
  }

 private:
  PathGlobs globs_;
  const compile::Catalog& catalog_;
};

// ---- approval.reachability ----

class ApprovalReachability : public InvariantRule {
 public:
  explicit ApprovalReachability(const compile::Catalog& catalog) : catalog_(catalog) {}
  std::optional<Violation> look(const Reached& reached) override {
    if (reached.gates() & bit(Gate::Approval)) return std::nullopt;
    Doing doing = doing_of(reached, catalog_);
    if (!doing.acts) return std::nullopt;
    return Violation{fmt::format("{} can be reached without an approval", doing.what),
                     fmt::format("it needs {}, on every way", description(Gate::Approval))};
  }

 private:
  const compile::Catalog& catalog_;
};

// ---- budget.remaining ----

class BudgetRemaining : public InvariantRule {
 public:
  BudgetRemaining(std::string target, const Callables& callables) : target_(std::move(target)), callables_(callables) {}

  std::optional<Violation> look(const Reached& reached) override {
    const Step& step = reached.step();
    if (step.kind != Step::Kind::Assign) return std::nullopt;
    if (!handler_) handler_ = &reached.body();
    auto& assign = step.node->as<Assign>();
    std::string path = dotted(*assign.target);
    bool is_whole = target_.starts_with(path + ".");
    if (path.empty() || (path != target_ && !is_whole) || !is_same_variable(reached, *assign.target))
      return std::nullopt;
    bool is_fine = is_whole ? keeps_whole(assign, path) : keeps(assign);
    if (is_fine) return std::nullopt;
    return Violation{fmt::format("this may raise `{}`", target_),
                     fmt::format("only `{0} - n`, `{0}` itself and `llm_budget_remaining()` may be assigned", target_)};
  }

 private:
  // A local of another function is another variable, whatever its name.
  bool is_same_variable(const Reached& reached, const Node& target) const {
    const Node* root = &target;
    while (!root->is(NodeKind::Identifier)) {
      root = root->is(NodeKind::Member) ? root->as<Member>().object : root->as<Index>().object;
    }
    const compile::Variable* variable = callables_.program().bindings(*reached.body().module).variable(*root);
    bool is_closure = reached.body().declaration->is(NodeKind::Closure);
    return &reached.body() == handler_ || is_closure || (variable && variable->kind == compile::Variable::Kind::Global);
  }

  bool keeps(const Assign& assign) const {
    switch (assign.op) {
      case AssignOp::Set: return is_not_more(*assign.value, 0);
      case AssignOp::Subtract: return !is_negative(*assign.value);
      case AssignOp::Add: return is_negative(*assign.value) || is_number(*assign.value, 0);
      default: return false;
    }
  }

  // `budget = {...budget, remaining: budget.remaining - 1}`
  bool keeps_whole(const Assign& assign, const std::string& path) const {
    if (assign.op != AssignOp::Set) return false;
    if (dotted(*assign.value) == path) return true;
    if (!assign.value->is(NodeKind::DictLiteral)) return false;
    std::string field = target_.substr(path.size() + 1);
    bool is_kept = false;
    for (const DictEntry& entry : assign.value->as<DictLiteral>().entries) {
      if (entry.form == KeyForm::Spread) is_kept = dotted(*entry.value) == path;
      else if (entry.form == KeyForm::Computed) return false;
      else if (entry.key.text == field) is_kept = is_not_more(*entry.value, 0);
    }
    return is_kept;
  }

  // The value is the target's, or less.
  bool is_not_more(const Node& value, int depth) const {
    if (depth > 32) return false;
    if (dotted(value) == target_) return true;
    switch (value.kind) {
      case NodeKind::Binary: {
        auto& binary = value.as<Binary>();
        if (binary.op == BinaryOp::Subtract) return is_not_more(*binary.left, depth + 1) && !is_negative(*binary.right);
        return binary.op == BinaryOp::Coalesce && is_not_more(*binary.left, depth + 1) &&
               is_not_more(*binary.right, depth + 1);
      }
      case NodeKind::Ternary: {
        auto& ternary = value.as<Ternary>();
        return is_not_more(*ternary.then_value, depth + 1) && is_not_more(*ternary.else_value, depth + 1);
      }
      case NodeKind::Call: return is_lower_call(value.as<Call>(), depth);
      default: return false;
    }
  }

  // llm_budget_remaining(), min(target, n), max(0, target - n)
  bool is_lower_call(const Call& call, int depth) const {
    std::string name = dotted(*call.callee);
    if (name == "llm_budget_remaining") return true;
    auto is_lower = [&](const Node* arg) { return is_not_more(*arg, depth + 1); };
    if (name == "min") return std::any_of(call.args.begin(), call.args.end(), is_lower);
    if (name != "max") return false;
    return std::all_of(call.args.begin(), call.args.end(),
                       [&](const Node* arg) { return is_number(*arg, 0) || is_lower(arg); });
  }

  static bool is_number(const Node& node, int64_t number) {
    if (node.is(NodeKind::FloatLiteral)) return node.as<FloatLiteral>().value == static_cast<double>(number);
    return node.is(NodeKind::IntLiteral) && node.as<IntLiteral>().value == number;
  }
  static bool is_negative(const Node& node) {
    return node.is(NodeKind::Unary) && node.as<Unary>().op == UnaryOp::Negate;
  }

  std::string target_;
  const Callables& callables_;
  const Body* handler_ = nullptr;
};

// ---- capability.policy ----

struct Requirement {
  std::string_view argument;
  Gate gate;
};
constexpr Requirement kRequirements[] = {
    {"require_approval", Gate::Approval},
    {"require_budget", Gate::Budget},
    {"require_autonomy", Gate::Autonomy},
    {"require_execution_policy", Gate::ExecutionPolicy},
    {"require_command_policy", Gate::CommandPolicy},
    {"require_egress_policy", Gate::EgressPolicy},
    {"require_approval_policy", Gate::ApprovalPolicy},
};

class CapabilityPolicy : public InvariantRule {
 public:
  explicit CapabilityPolicy(const compile::Catalog& catalog) : catalog_(catalog) {}

  std::vector<Capability> allowed;
  PathGlobs workspace;
  Gates required[kCapabilities] = {};

  std::optional<Violation> look(const Reached& reached) override {
    Doing doing = doing_of(reached, catalog_);
    if (doing.is_unknown) {
      return Violation{fmt::format("{} may do anything: the operation is not written out", doing.what),
                       "name the operation as a literal text"};
    }
    for (Capability capability : doing.capabilities) {
      if (std::find(allowed.begin(), allowed.end(), capability) == allowed.end()) {
        return Violation{fmt::format("{} needs `{}`, which is not declared", doing.what, name_of(capability)),
                         fmt::format("add `{}` to `allow`, or do without the call", name_of(capability))};
      }
      Gates missing = required[static_cast<size_t>(capability)] & ~(reached.gates() | doing.own_gates);
      for (const Requirement& one : kRequirements) {
        if (!(missing & bit(one.gate))) continue;
        return Violation{fmt::format("{} can be reached without what `{}` asks for", doing.what, one.argument),
                         fmt::format("`{}` needs {}", name_of(capability), description(one.gate))};
      }
    }
    if (writes_files(doing) && !workspace.is_empty()) return outside(reached, doing, workspace);
    return std::nullopt;
  }

 private:
  const compile::Catalog& catalog_;
};

// ---- attributes ----

constexpr std::string_view kNames[] = {"fs.writes", "budget.remaining", "approval.reachability", "capability.policy"};

class Reader {
 public:
  Reader(const Attribute& attribute, const Callables& callables)
      : attribute_(attribute), callables_(callables), catalog_(callables.program().catalog) {}

  InvariantRead read() {
    InvariantRead out;
    if (attribute_.args.empty() || !attribute_.args[0].name.empty() || !is_text(*attribute_.args[0].value)) {
      problem({"`@invariant` needs the name of an invariant first",
               fmt::format("write one of {}", fmt::join(kNames, ", ")), attribute_.span});
    } else {
      out.name = attribute_.args[0].value->text;
      out.rule = rule(out.name);
    }
    if (problem_) {
      out.rule.reset();
      out.problem = *problem_;
    }
    return out;
  }

 private:
  static bool is_text(const AttributeValue& value) {
    return value.kind == AttributeValueKind::String || value.kind == AttributeValueKind::Symbol;
  }
  // The first one is told.
  void problem(InvariantProblem what) {
    if (!problem_) problem_ = std::move(what);
  }

  std::unique_ptr<InvariantRule> rule(std::string_view name) {
    if (name == "fs.writes") return fs_writes();
    if (name == "budget.remaining") return budget();
    if (name == "capability.policy") return policy();
    if (name == "approval.reachability") {
      for (const AttributeArg& arg : rest()) unknown(arg, {});
      return std::make_unique<ApprovalReachability>(catalog_);
    }
    auto close = text::close_names(name, kNames, 1);
    problem({fmt::format("unknown invariant `{}`", name),
             close.empty() ? fmt::format("known are {}", fmt::join(kNames, ", "))
                           : fmt::format("did you mean `{}`?", close[0]),
             attribute_.args[0].value->span});
    return nullptr;
  }

  List<AttributeArg> rest() const { return attribute_.args.subspan(1); }

  void unknown(const AttributeArg& arg, std::initializer_list<std::string_view> known) {
    Span span = arg.name.empty() ? arg.value->span : arg.name.span;
    std::string text = arg.name.empty() ? "one argument too many" : fmt::format("unknown argument `{}`", arg.name.text);
    problem({text, known.size() ? fmt::format("it takes {}", fmt::join(known, ", ")) : "it takes no arguments", span});
  }

  // The texts of an argument: "a,b", a or ["a", b].
  std::vector<std::pair<std::string_view, Span>> words(const AttributeValue& value, bool by_commas) {
    std::vector<std::pair<std::string_view, Span>> out;
    if (value.kind == AttributeValueKind::List) {
      for (const AttributeValue* item : value.items) {
        for (auto& one : words(*item, by_commas)) out.push_back(one);
      }
      return out;
    }
    if (!is_text(value)) {
      problem({"this must be a literal text, or a list of them", "", value.span});
      return out;
    }
    std::string_view text = value.text;
    for (size_t at = 0; at <= text.size();) {
      size_t end = by_commas ? std::min(text.find(',', at), text.size()) : text.size();
      std::string_view word = text::trim(text.substr(at, end - at));
      if (!word.empty()) out.emplace_back(word, value.span);
      at = end + 1;
    }
    return out;
  }

  void globs(const AttributeValue& value, PathGlobs& to) {
    for (auto [word, span] : words(value, false)) {
      if (auto wrong = to.add(word)) problem({*wrong, "", span});
    }
  }

  std::unique_ptr<InvariantRule> fs_writes() {
    PathGlobs allowed;
    for (const AttributeArg& arg : rest()) {
      std::string_view name = arg.name.text;
      if (name.empty() || name == "path_glob" || name == "glob" || name == "allow") globs(*arg.value, allowed);
      else unknown(arg, {"path_glob", "glob", "allow"});
    }
    if (allowed.is_empty()) {
      problem({"`fs.writes` needs a pattern of paths", "write @invariant(\"fs.writes\", \"src/**\")", attribute_.span});
    }
    return std::make_unique<FsWrites>(std::move(allowed), catalog_);
  }

  std::unique_ptr<InvariantRule> budget() {
    std::string target = "budget.remaining";
    for (const AttributeArg& arg : rest()) {
      bool is_target = arg.name.text == "target" || (arg.name.empty() && &arg == &attribute_.args[1]);
      if (!is_target) unknown(arg, {"target"});
      else if (!is_text(*arg.value)) problem({"`target` must be the name of a variable", "", arg.value->span});
      else target = arg.value->text;
    }
    return std::make_unique<BudgetRemaining>(std::move(target), callables_);
  }

  std::vector<Capability> capabilities(const AttributeValue& value) {
    std::vector<Capability> out;
    for (auto [word, span] : words(value, true)) {
      if (auto found = find_capability(word)) {
        out.push_back(*found);
        continue;
      }
      problem({fmt::format("unknown capability `{}`", word),
               fmt::format("known are {}", fmt::join(capability_names(), ", ")), span});
    }
    return out;
  }

  std::unique_ptr<InvariantRule> policy() {
    auto made = std::make_unique<CapabilityPolicy>(catalog_);
    bool has_allow = false;
    for (const AttributeArg& arg : rest()) {
      std::string_view name = arg.name.text;
      auto required = std::find_if(std::begin(kRequirements), std::end(kRequirements),
                                   [&](const Requirement& one) { return one.argument == name; });
      if (name == "allow" || (name.empty() && !has_allow)) {
        has_allow = true;
        for (Capability one : capabilities(*arg.value)) made->allowed.push_back(one);
      } else if (name == "workspace") {
        globs(*arg.value, made->workspace);
      } else if (required != std::end(kRequirements)) {
        for (Capability one : capabilities(*arg.value)) made->required[static_cast<size_t>(one)] |= bit(required->gate);
        // Who asks for a gate allows what opens it.
        if (required->gate == Gate::Approval) made->allowed.push_back(Capability::HumanApproval);
        if (required->gate == Gate::Autonomy) made->allowed.push_back(Capability::AutonomyPolicy);
      } else {
        unknown(arg, {"allow", "workspace", "require_approval", "require_budget", "require_autonomy",
                      "require_execution_policy", "require_command_policy", "require_egress_policy",
                      "require_approval_policy"});
      }
    }
    if (!has_allow) {
      problem(
          {"`capability.policy` needs `allow`", "write allow: \"\" if the handler may do nothing", attribute_.span});
    }
    return made;
  }

  const Attribute& attribute_;
  const Callables& callables_;
  const compile::Catalog& catalog_;
  std::optional<InvariantProblem> problem_;
};

}  // namespace

InvariantRead read_invariant(const Attribute& attribute, const Callables& callables) {
  return Reader(attribute, callables).read();
}

}  // namespace harn::audit
