#include "audit/cost.h"

#include <map>
#include <set>

#include "audit/known_values.h"
#include "audit/model_calls.h"
#include "base/fmt.h"
#include "base/text.h"
#include "syntax/children.h"
#include "syntax/tree.h"

namespace harn::audit {

using diag::Code;
using namespace syntax;

namespace {

constexpr size_t kMostCalls = 100'000;  // of bodies that are looked at for one pipeline
constexpr size_t kMostDepth = 200;      // of expressions and calls inside each other: each takes native stack

// How often a builtin runs the closures it is given. What is not here may do so any number of times.
struct Runs {
  std::string_view name;
  int64_t times;
};
constexpr Runs kRuns[] = {
    {"with_approval_policy", 1},     {"with_autonomy_policy", 1},  {"with_command_policy", 1},
    {"with_dynamic_permissions", 1}, {"with_execution_policy", 1}, {"with_rate_limit", 6},
};
// Methods that run a closure at most once for each item of their receiver.
constexpr std::string_view kPerItem[] = {"map",       "filter",     "each",       "for_each", "flat_map",
                                         "any",       "all",        "find",       "reduce",   "group_by",
                                         "partition", "find_index", "filter_map", "count_by"};

class Walker {
 public:
  Walker(Callables& callables, const llm::Catalog& catalog, int64_t while_limit)
      : callables_(callables), values_(callables), catalog_(catalog), while_limit_(while_limit) {}

  // A pipeline, and before it the code of its module and of all that are imported.
  Cost of_pipeline(const Body& body) {
    calls_ = 0;
    Cost out;
    std::set<const modules::Module*> seen;
    of_modules(*body.module, seen, out);
    Frame& frame = frames_.emplace_back();
    frame.body = &body;
    frame.module = body.module;
    return out + call(body, frame, *body.declaration);
  }
  Cost of_module(const modules::Module& module) {
    calls_ = 0;
    Cost out;
    std::set<const modules::Module*> seen;
    of_modules(module, seen, out);
    return out;
  }

 private:
  void of_modules(const modules::Module& module, std::set<const modules::Module*>& seen, Cost& out) {
    if (!seen.insert(&module).second) return;
    for (const modules::Dependency& one : module.imports) {
      if (one.target) of_modules(*one.target, seen, out);
    }
    const Frame* outer = std::exchange(frame_, values_.module_frame(module));
    out = out + sequence(module.tree->items);
    frame_ = outer;
  }

  const modules::Module& module() const { return *frame_->module; }
  bool asks(std::string_view builtin) const { return asks_models(builtin, callables_.program().catalog); }
  Obstacle obstacle(const Node& node, std::string text) const { return {module().source, node.span, std::move(text)}; }

  // ---- bodies ----

  // Calls of one body with the same arguments cost the same.
  using Key = std::pair<const Body*, std::vector<std::pair<const Node*, const Frame*>>>;

  Cost call(const Body& body, Frame& frame, const Node& site) {
    Key key{&body, {}};
    for (const Param& param : body.params) {
      const compile::Variable* variable = callables_.program().bindings(*body.module).variable(param);
      auto found = frame.params.find(variable);
      Known known = found == frame.params.end() ? Known() : found->second;
      key.second.emplace_back(known.node, known.frame);
    }
    key.second.emplace_back(nullptr, frame.around);
    // Inside of a `cost_route` the same call may cost something else.
    auto known = around_.empty() ? memo_.find(key) : memo_.end();
    if (known != memo_.end()) return known->second;
    for (size_t i = 0; i < stack_.size(); ++i) {
      // The same body with other arguments is another call: a function may be handed a closure that calls it again.
      if (*stack_[i].key != key) continue;
      // Round in a circle: what that costs is known when the first of them is.
      stack_[i].again = &site;
      stack_[i].again_in = frame_ ? frame_->module : body.module;
      lowest_ = std::min(lowest_, i);
      return {};
    }
    if (++calls_ > kMostCalls) {
      const modules::Module& where = frame_ ? *frame_->module : *body.module;
      return Cost::unknown({where.source, site.span, "the calls from here on are too many to follow"});
    }
    return look_into(body, frame, key);
  }

  Cost look_into(const Body& body, Frame& frame, const Key& key) {
    size_t own = stack_.size();
    size_t outer_lowest = std::exchange(lowest_, SIZE_MAX);
    stack_.push_back({&key});
    const Frame* outer = std::exchange(frame_, &frame);
    Cost cost = node(body.block);
    for (const Param& param : body.params) cost = cost + node(param.default_value);
    frame_ = outer;
    Entry entry = stack_.back();
    stack_.pop_back();
    if (entry.again && !cost.is_zero()) {
      Obstacle why{entry.again_in->source, entry.again->span,
                   fmt::format("`{}` calls itself, nobody knows how often", body.name)};
      cost = Cost{worse(cost.model_calls, why), worse(cost.tool_calls, why), worse(cost.tokens, why),
                  worse(cost.usd, why)};
    }
    // What belongs to a circle that is still open is not all of it.
    bool is_whole = lowest_ == SIZE_MAX || lowest_ >= own;
    if (is_whole && around_.empty()) memo_.emplace(key, cost);
    lowest_ = is_whole ? outer_lowest : std::min(lowest_, outer_lowest);
    return cost;
  }
  static Bound worse(const Bound& bound, const Obstacle& why) { return bound.is_zero() ? bound : Bound(why); }

  // What a function or closure costs that somebody may call with anything.
  Cost of_value(const Body& body, const Node& site) {
    Frame& frame = frames_.emplace_back();
    frame.body = &body;
    frame.module = body.module;
    frame.around = body.declaration->is(NodeKind::Closure) ? frame_ : nullptr;
    return call(body, frame, site);
  }

  // ---- nodes ----

  Cost node(const Node* one) { return one ? node(*one) : Cost(); }
  Cost node(const Node& one) {
    if (depth_ >= kMostDepth)
      return Cost::unknown(obstacle(one, "what is called from here is nested too deep to follow"));
    ++depth_;
    Cost out = node_kind(one);
    --depth_;
    return out;
  }
  Cost children(const Node& of) {
    Cost out;
    for_each_child(of, [&](const Node& child) { out = out + node(child); });
    return out;
  }

  // One after the other. From `llm_budget(n)` on, the rest costs no more than that.
  Cost sequence(NodeList nodes) {
    Cost before, rest;
    std::optional<double> limit;
    for (const Node* one : nodes) {
      rest = rest + node(*one);
      auto set = limit_of(*one);
      if (!set) continue;
      before = before + limited(rest, limit);
      rest = {};
      limit = set;
    }
    return before + limited(rest, limit);
  }
  static Cost limited(Cost cost, std::optional<double> limit) {
    // The estimate that is held against it may be off by so much (model_calls.cpp).
    if (limit) cost.usd = Bound::tighter(cost.usd, Bound(*limit * 5));
    return cost;
  }
  std::optional<double> limit_of(const Node& one) {
    if (!one.is(NodeKind::Call) || one.as<Call>().args.size() != 1) return std::nullopt;
    auto& call = one.as<Call>();
    if (callables_.target(*call.callee, module()).builtin != "llm_budget") return std::nullopt;
    return values_.number({call.args[0], frame_});
  }

  Cost node_kind(const Node& one) {
    switch (one.kind) {
      case NodeKind::Function:
      case NodeKind::Tool:
      case NodeKind::Pipeline:
      case NodeKind::Override:
      case NodeKind::Struct:
      case NodeKind::Enum:
      case NodeKind::TypeAlias:
      case NodeKind::Interface:
      case NodeKind::Impl:
      case NodeKind::Import: return {};
      case NodeKind::Block: return sequence(one.as<Block>().statements);
      case NodeKind::Closure: return aside(one);
      case NodeKind::Identifier: return aside(one);
      case NodeKind::Call: return of_call(one.as<Call>());
      case NodeKind::MethodCall: return method_call(one.as<MethodCall>());
      case NodeKind::Pipe: return pipe(one.as<Pipe>());
      case NodeKind::HumanCall: {
        Cost out;
        for (const Node* arg : one.as<HumanCall>().args) out = out + argument(*arg, Bound(1));
        return out;
      }
      case NodeKind::Let: return let(one.as<Let>());
      case NodeKind::Const: {
        const compile::Variable* constant = callables_.program().bindings(module()).variable(one.as<Const>());
        if (constant) callables_.note_value(*constant, *one.as<Const>().value);
        return node(one.as<Const>().value);
      }
      case NodeKind::If: {
        auto& choice = one.as<If>();
        return node(choice.condition) + Cost::larger(node(choice.then_block), node(choice.else_branch));
      }
      case NodeKind::Ternary: {
        auto& choice = one.as<Ternary>();
        return node(choice.condition) + Cost::larger(node(choice.then_value), node(choice.else_value));
      }
      case NodeKind::Match: {
        auto& match = one.as<Match>();
        Cost out = node(match.subject), arms;
        for (const MatchArm& arm : match.arms) {
          out = out + node(arm.guard);
          arms = Cost::larger(arms, node(arm.body));
        }
        return out + arms;
      }
      case NodeKind::For: {
        auto& loop = one.as<For>();
        return node(loop.iterable) + times(*loop.body, items(*loop.iterable, one, "this loop"));
      }
      case NodeKind::While: return while_loop(one.as<While>());
      case NodeKind::Retry: {
        auto& retry = one.as<Retry>();
        auto count = values_.integer({retry.count, frame_});
        Bound often = count ? Bound(static_cast<double>(std::max<int64_t>(*count, 0)))
                            : Bound(obstacle(one, "how often this is tried is not known"));
        return node(retry.count) + times(*retry.body, often);
      }
      case NodeKind::Parallel: return parallel(one.as<Parallel>());
      case NodeKind::Spawn: return node(one.as<Spawn>().body->body);
      case NodeKind::CostRoute: return cost_route(one);
      case NodeKind::Natural:
        return children(one) +
               Cost::unknown(obstacle(one, "how often a model is asked about this Natural block is not known"));
      default: return children(one);
    }
  }

  Cost times(const Block& body, const Bound& often) { return node(&body) * often; }

  Bound items(const Node& iterable, const Node& loop, std::string_view what) {
    auto count = values_.most_items({&iterable, frame_});
    if (count) return Bound(static_cast<double>(*count));
    return obstacle(loop, fmt::format("how often {} goes round is not known", what));
  }

  Cost while_loop(const While& loop) {
    Bound most = while_limit_ > 0 ? Bound(static_cast<double>(while_limit_))
                                  : Bound(obstacle(loop, "how often this loop goes round is not known"));
    // The condition is asked once more than the body runs.
    return node(loop.condition) * (most + Bound(1)) + times(*loop.body, most);
  }

  Cost parallel(const Parallel& node) {
    Bound often;
    if (node.mode == ParallelMode::Count) {
      auto count = values_.integer({node.source, frame_});
      often = count ? Bound(static_cast<double>(std::max<int64_t>(*count, 0)))
                    : Bound(obstacle(node, "how many tasks there are is not known"));
    } else {
      often = items(*node.source, node, "this");
    }
    return this->node(node.source) + this->node(node.max_concurrent) + times(*node.body->body, often);
  }

  Cost cost_route(const Node& one) {
    auto& route = one.as<CostRoute>();
    // Its options are like a dict literal's; a dict is made of them so that one question serves both.
    auto& made = routes_.emplace_back();
    made.kind = NodeKind::DictLiteral;
    made.span = one.span;
    made.entries = route.options;
    Cost out;
    for (const DictEntry& entry : route.options) out = out + node(entry.value);
    around_.push_back({&made, frame_});
    out = out + node(route.body);
    around_.pop_back();
    return out;
  }

  Cost let(const Let& one) {
    const compile::Variable* variable = one.pattern->kind == PatternKind::Name
                                            ? callables_.program().bindings(module()).variable(one.pattern->fields[0])
                                            : nullptr;
    if (variable) callables_.note_value(*variable, *one.value);
    if (variable && one.value->is(NodeKind::Closure) && !variable->assigned) {
      callables_.note_closure(*variable, one.value->as<Closure>(), module());
      made_in_[one.value] = frame_;
      return {};  // it costs something where it is called
    }
    Cost out = node(one.value);
    for (const PatternField& field : one.pattern->fields) out = out + node(field.default_value);
    return out;
  }

  // A function as a value, which somebody may call any number of times.
  Cost aside(const Node& one) {
    Target target = callables_.target(one, module());
    if (asks(target.builtin)) {
      return Cost::unknown(
          obstacle(one, fmt::format("how often `{}` is called from here is not known", target.builtin)));
    }
    if (!target.body) return {};
    return of_value(*target.body, one) * Bound(obstacle(one, "how often this code runs is not known"));
  }

  // ---- calls ----

  Cost argument(const Node& arg, const Bound& often) {
    const Node& value = arg.is(NodeKind::NamedArgument) ? *arg.as<NamedArgument>().value : arg;
    bool is_code = value.is(NodeKind::Closure) || value.is(NodeKind::Identifier);
    Target target = is_code && often.is_known() ? callables_.target(value, module()) : Target();
    if (target.body) return of_value(*target.body, value) * often;
    return node(value);
  }

  Cost of_call(const Call& one) {
    Known callee = one.callee->is(NodeKind::Identifier) ? values_.resolve({one.callee, frame_}) : Known();
    // A parameter that is a closure of the caller.
    if (callee.node && callee.node->is(NodeKind::Closure)) return closure_call(callee, one);
    Target target = callables_.target(*one.callee, module());
    if (target.body) return body_call(*target.body, one.args, one);
    Cost out = one.callee->is(NodeKind::Identifier) ? Cost() : node(one.callee);
    Bound often = Bound(obstacle(one, "how often this code runs is not known"));
    for (const Runs& row : kRuns) {
      if (row.name == target.builtin) often = Bound(static_cast<double>(row.times));
    }
    for (const Node* arg : one.args) out = out + argument(*arg, often);
    return asks(target.builtin) ? out + model_call(target.builtin, one.args, one) : out;
  }

  Cost model_call(std::string_view builtin, NodeList args, const Node& site) {
    return cost_of_call({builtin, args, frame_, module().source, site.span, around_}, values_, catalog_);
  }

  Cost closure_call(const Known& closure, const Call& site) {
    const Body* body = callables_.body(*closure.node, *closure.frame->module);
    Cost out = arguments(*body, site.args);
    Frame& frame = bound(*body, site.args);
    frame.around = closure.frame;
    return out + call(*body, frame, site);
  }

  // Closures that a function is given cost something where it calls them.
  Cost arguments(const Body& body, NodeList args) {
    Cost out;
    for (const Node* arg : args) {
      const Node& value = arg->is(NodeKind::NamedArgument) ? *arg->as<NamedArgument>().value : *arg;
      bool is_followed = value.is(NodeKind::Closure) && !is_rest(body, args, arg);
      if (!is_followed) out = out + node(value);
    }
    return out;
  }
  static bool is_rest(const Body& body, NodeList args, const Node* arg) {
    size_t place = 0;
    while (args[place] != arg) ++place;
    return place >= body.params.size() || body.params[place].rest || arg->is(NodeKind::Spread);
  }

  Cost body_call(const Body& body, NodeList args, const Node& site) {
    Cost out = arguments(body, args);
    Frame& frame = bound(body, args);
    if (auto made = made_in_.find(body.declaration); made != made_in_.end()) frame.around = made->second;
    out = out + call(body, frame, site);
    return out + handed_on(body, args);
  }

  // A closure may be handed on, kept or put into something; then nobody knows who calls it.
  Cost handed_on(const Body& body, NodeList args) {
    Cost out;
    for (size_t i = 0; i < args.size(); ++i) {
      const Node& value = args[i]->is(NodeKind::NamedArgument) ? *args[i]->as<NamedArgument>().value : *args[i];
      if (!value.is(NodeKind::Closure) || i >= body.params.size()) continue;
      const Body* code = callables_.body(value, module());
      if (!code || is_only_called(body, body.params[i])) continue;
      out = out + of_value(*code, value) * Bound(obstacle(value, "how often this code runs is not known"));
    }
    return out;
  }
  // Every mention of a parameter is a call of it.
  bool is_only_called(const Body& body, const Param& param) {
    const compile::Bindings& bindings = callables_.program().bindings(*body.module);
    const compile::Variable* variable = bindings.variable(param);
    if (!variable || variable->assigned) return false;
    bool is_so = true;
    std::vector<const Node*> open = {body.block};
    while (!open.empty() && is_so) {
      const Node* at = open.back();
      open.pop_back();
      if (at->is(NodeKind::Identifier)) is_so = bindings.variable(*at) != variable;
      if (at->is(NodeKind::Call) && at->as<Call>().callee->is(NodeKind::Identifier)) {
        for (const Node* arg : at->as<Call>().args) open.push_back(arg);
      } else {
        for_each_child(*at, [&](const Node& child) { open.push_back(&child); });
      }
    }
    return is_so;
  }

  // What the parameters are in this call.
  Frame& bound(const Body& body, NodeList args) {
    Frame& frame = frames_.emplace_back();
    frame.body = &body;
    frame.module = body.module;
    const compile::Bindings& bindings = callables_.program().bindings(*body.module);
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i]->is(NodeKind::Spread)) break;
      size_t place = i;
      if (args[i]->is(NodeKind::NamedArgument)) {
        for (place = 0; place < body.params.size(); ++place) {
          if (body.params[place].name.text == args[i]->as<NamedArgument>().name.text) break;
        }
      }
      if (place >= body.params.size() || body.params[place].rest) continue;
      const compile::Variable* variable = bindings.variable(body.params[place]);
      if (!variable || variable->assigned) continue;
      Known known = values_.resolve({args[i], frame_});
      if (known.node && is_plain(*known.node)) known.frame = nullptr;
      if (known.node && is_worth_knowing(known)) frame.params[variable] = known;
    }
    // What is left out has its default.
    for (const Param& param : body.params) {
      const compile::Variable* variable = bindings.variable(param);
      if (!variable || variable->assigned || frame.params.contains(variable) || !param.default_value) continue;
      if (args.size() <= static_cast<size_t>(&param - body.params.data()) && is_plain(*param.default_value)) {
        frame.params[variable] = {param.default_value, nullptr};
      }
    }
    return frame;
  }
  // What is computed is only followed for its length: `f(n - 1)` would be another call each time, and a circle never be seen.
  bool is_worth_knowing(const Known& known) const {
    if (!known.node->is(NodeKind::Binary)) return true;
    return values_.most_bytes(known) && !values_.integer(known);
  }
  // Means the same in every call.
  static bool is_plain(const Node& node) {
    return node.is(NodeKind::IntLiteral) || node.is(NodeKind::StringLiteral) || node.is(NodeKind::FloatLiteral) ||
           node.is(NodeKind::BoolLiteral) || node.is(NodeKind::NilLiteral);
  }

  Cost method_call(const MethodCall& one) {
    Cost out = node(one.object);
    bool per_item = std::find(std::begin(kPerItem), std::end(kPerItem), one.name.text) != std::end(kPerItem);
    Bound often =
        per_item ? items(*one.object, one, "this") : Bound(obstacle(one, "how often this code runs is not known"));
    for (const Node* arg : one.args) {
      const Node& value = arg->is(NodeKind::NamedArgument) ? *arg->as<NamedArgument>().value : *arg;
      Target target = callables_.target(value, module());
      if (target.body) out = out + of_value(*target.body, value) * often;
      else out = out + node(value);
    }
    // Which method it is depends on the value: the most expensive one counts.
    Cost most;
    for (const Body* method : callables_.methods(one.name.text)) most = Cost::larger(most, of_value(*method, one));
    return out + most;
  }

  Cost pipe(const Pipe& one) {
    Cost out = node(one.left);
    if (!one.right->is(NodeKind::Identifier)) return out + node(one.right);
    Target target = callables_.target(*one.right, module());
    if (target.body) return out + of_value(*target.body, one);
    return asks(target.builtin) ? out + model_call(target.builtin, NodeList(&one.left, 1), one) : out;
  }

  struct Entry {
    const Key* key;
    const Node* again = nullptr;
    const modules::Module* again_in = nullptr;
  };

  Callables& callables_;
  KnownValues values_;
  const llm::Catalog& catalog_;
  int64_t while_limit_;  // 0: there is none
  std::deque<Frame> frames_;
  std::deque<DictLiteral> routes_;
  std::map<Key, Cost> memo_;
  std::map<const Node*, const Frame*> made_in_;  // closures with names
  std::vector<Entry> stack_;
  std::vector<Known> around_;
  const Frame* frame_ = nullptr;
  size_t lowest_ = SIZE_MAX;  // the outermost body that a circle leads back to
  size_t calls_ = 0, depth_ = 0;
};

class Costs : public compile::Analysis {
 public:
  Costs(const compile::ResolvedProgram& program, CostOptions options)
      : options_(std::move(options)), callables_(program) {}

  void inspect(const compile::ResolvedProgram&, const modules::Module& module, diag::Sink& sink) override {
    bool has_pipelines = false;
    for (const Node* node : module.tree->items) {
      if (!node->is(NodeKind::Pipeline)) continue;
      has_pipelines = true;
      const Body* body = callables_.body(*node, module);
      if (!body) continue;
      const Name& name = node->as<Pipeline>().name;
      add({&module, std::string(name.text), name.span, walker(module).of_pipeline(*body)}, sink);
    }
    if (has_pipelines || module.tree->items.empty()) return;
    Cost cost = walker(module).of_module(module);
    // A module that only declares has nothing to say.
    if (!cost.is_zero()) add({&module, "", module.tree->items[0]->span, cost}, sink);
  }

 private:
  Walker walker(const modules::Module& module) {
    const llm::Catalog* catalog = options_.catalog ? options_.catalog(module) : nullptr;
    int64_t while_limit = options_.while_limit ? options_.while_limit(module) : 0;
    return Walker(callables_, catalog ? *catalog : *llm::builtin_catalog(), while_limit);
  }

  void add(PipelineCost found, diag::Sink& sink) {
    auto asked = options_.max_cost ? options_.max_cost(*found.module) : std::nullopt;
    double most = asked.value_or(0);
    std::string_view name = found.name.empty() ? "(this file)" : std::string_view(found.name);
    const Bound& usd = found.cost.usd;
    if (asked && !usd.is_known()) {
      const Obstacle& why = usd.obstacle();
      auto report = sink.report(Code::CostUnbounded, found.module->source, found.span, name);
      report.label(why.source, why.span, why.text);
      report.help("give the loop a bound, the call literal options, or a budget");
    } else if (asked && usd.most() > most) {
      auto report = sink.report(Code::CostTooHigh, found.module->source, found.span, name,
                                fmt::format("{:.2f}", usd.most()), fmt::format("{:.2f}", most));
      report.help("`harn check --cost` shows what it is made of");
    }
    if (options_.costs) options_.costs->push_back(std::move(found));
  }

  CostOptions options_;
  Callables callables_;
};

}  // namespace

compile::MakeAnalysis find_costs(CostOptions options) {
  return [options](const compile::ResolvedProgram& program) { return std::make_unique<Costs>(program, options); };
}

}  // namespace harn::audit
