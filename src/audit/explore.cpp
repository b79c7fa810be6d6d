#include "audit/explore.h"

#include <deque>

#include "base/fmt.h"

namespace harn::audit {

using namespace syntax;

namespace {

constexpr size_t kMostDepth = 400;      // of calls inside each other; native stack is used for each
constexpr size_t kMostVariants = 32;    // of known texts for one function; beyond, nothing is known of them
constexpr size_t kMostTextLevels = 64;  // of names that stand for names

struct Key {
  const Body* body;
  Gates gates;
  KnownTexts texts;
  auto operator<=>(const Key&) const = default;
};

struct Summary {
  std::set<Gates> exits;
  bool is_done = false;  // in this round
};

class Explorer {
 public:
  Explorer(Callables& callables, const std::function<void(const Reached&)>& visit)
      : callables_(callables), visit_(visit) {}

  void run(const Body& handler) {
    do {
      has_changed_ = false;
      for (auto& [key, summary] : summaries_) summary.is_done = false;
      call({&handler, 0, KnownTexts(handler.params.size())});
    } while (has_changed_);
  }

 private:
  // Where a way is: a step, with the gates that are open before it, and where it came from.
  struct Node {
    uint32_t step;
    Gates gates;
    uint32_t from;
  };

  struct Frame : Reached {
    Explorer* explorer = nullptr;
    Frame* caller = nullptr;
    const Key* key = nullptr;
    const Graph* graph = nullptr;
    std::vector<Node> nodes;
    uint32_t at = 0;

    bool too_deep = false;

    bool is_too_deep() const override { return too_deep; }
    const Step& step() const override { return graph->steps[nodes[at].step]; }
    const Body& body() const override { return *key->body; }
    Gates gates() const override { return nodes[at].gates; }
    std::optional<std::string> text_of(const syntax::Node& node) const override { return text_of(node, 0); }
    std::vector<Waypoint> way() const override {
      std::vector<Waypoint> out;
      if (caller) out = caller->way();
      std::vector<Waypoint> own;
      for (uint32_t i = at; i != Step::kNone; i = nodes[i].from) {
        const Step& one = graph->steps[nodes[i].step];
        if (!one.note.empty()) own.push_back({key->body->module->source, one.span, one.note});
      }
      out.insert(out.end(), own.rbegin(), own.rend());
      return out;
    }

    std::optional<std::string> text_of(const syntax::Node& node, size_t level) const {
      if (level > kMostTextLevels) return std::nullopt;
      switch (node.kind) {
        case NodeKind::StringLiteral: return std::string(node.as<StringLiteral>().value);
        case NodeKind::NamedArgument: return text_of(*node.as<NamedArgument>().value, level + 1);
        case NodeKind::InterpolatedString: {
          std::string out;
          for (const syntax::Node* part : node.as<InterpolatedString>().parts) {
            auto text = text_of(*part, level + 1);
            if (!text) return std::nullopt;
            out += *text;
          }
          return out;
        }
        case NodeKind::Binary: {
          auto& binary = node.as<Binary>();
          if (binary.op != BinaryOp::Add) return std::nullopt;
          auto left = text_of(*binary.left, level + 1);
          auto right = left ? text_of(*binary.right, level + 1) : std::nullopt;
          return right ? std::optional(*left + *right) : std::nullopt;
        }
        case NodeKind::Identifier: return text_of_name(node, level);
        default: return std::nullopt;
      }
    }

    std::optional<std::string> text_of_name(const syntax::Node& node, size_t level) const {
      const compile::ResolvedProgram& program = explorer->callables_.program();
      const compile::Bindings& bindings = program.bindings(*key->body->module);
      const compile::Variable* variable = bindings.variable(node);
      if (!variable || variable->assigned) return std::nullopt;
      for (size_t i = 0; i < key->body->params.size(); ++i) {
        if (bindings.variable(key->body->params[i]) == variable) return key->texts[i];
      }
      const syntax::Node* value = explorer->callables_.value(*variable);
      // A constant of another module is written out there.
      bool is_literal = value && value->is(NodeKind::StringLiteral);
      bool is_here = variable->kind == compile::Variable::Kind::Local || variable->module == key->body->module;
      return value && (is_literal || is_here) ? text_of(*value, level + 1) : std::nullopt;
    }
  };

  const Graph& graph(const Body& body) {
    auto [found, is_new] = graphs_.try_emplace(&body);
    if (is_new) found->second = make_graph(body, callables_);
    return found->second;
  }

  // The gates that are open behind a call. Of one that is being looked at already: those that are known so far.
  const std::set<Gates>& call(Key key) {
    auto [entry, is_new] = summaries_.try_emplace(std::move(key));
    Summary& summary = entry->second;
    if (summary.is_done) return summary.exits;
    if (depth_ >= kMostDepth) {
      top_->too_deep = true;
      visit_(*top_);
      top_->too_deep = false;
      return summary.exits;
    }
    summary.is_done = true;
    if (is_new) ++variants_[entry->first.body];
    Frame frame;
    frame.explorer = this;
    frame.caller = top_;
    frame.key = &entry->first;
    frame.graph = &graph(*entry->first.body);
    top_ = &frame;
    ++depth_;
    walk(frame, summary);
    --depth_;
    top_ = frame.caller;
    return summary.exits;
  }

  void walk(Frame& frame, Summary& summary) {
    std::set<std::pair<uint32_t, Gates>> seen;
    auto reach = [&](uint32_t step, Gates gates, uint32_t from) {
      if (seen.insert({step, gates}).second) frame.nodes.push_back({step, gates, from});
    };
    reach(0, frame.key->gates, Step::kNone);
    for (uint32_t i = 0; i < frame.nodes.size(); ++i) {
      frame.at = i;
      const Step& step = frame.graph->steps[frame.nodes[i].step];
      Gates before = frame.nodes[i].gates;
      if (step.fail != Step::kNone) reach(step.fail, before, i);
      for (Gates after : behind(frame, step, before)) {
        if (step.leaves && summary.exits.insert(after).second) has_changed_ = true;
        for (uint32_t next : step.next) reach(next, after, i);
      }
    }
  }

  std::set<Gates> behind(Frame& frame, const Step& step, Gates before) {
    switch (step.kind) {
      case Step::Kind::Pass: return {before};
      case Step::Kind::Gate: return {static_cast<Gates>(before | step.grants)};
      case Step::Kind::Assign: visit_(frame); return {before};
      case Step::Kind::Call: break;
    }
    visit_(frame);
    if (step.body) {
      const std::set<Gates>& exits = call({step.body, before, texts_of(frame, step)});
      return step.ends_aside ? std::set<Gates>() : exits;
    }
    if (step.builtin.empty()) return {before};
    Effect effect = effect_of(step.builtin, callables_.program().catalog);
    return {static_cast<Gates>((before | effect.grants) & ~effect.revokes)};
  }

  KnownTexts texts_of(const Frame& frame, const Step& step) {
    KnownTexts out(step.body->params.size());
    if (variants_[step.body] >= kMostVariants) return out;
    bool is_method = step.node && step.node->is(NodeKind::MethodCall);
    for (size_t i = 0; i < step.args.size() && !is_method; ++i) {
      const syntax::Node& arg = *step.args[i];
      if (arg.is(NodeKind::Spread)) break;
      size_t place = i;
      if (arg.is(NodeKind::NamedArgument)) place = parameter(*step.body, arg.as<NamedArgument>().name.text);
      if (place < out.size() && !step.body->params[place].rest) out[place] = frame.text_of(arg);
    }
    return out;
  }

  static size_t parameter(const Body& body, std::string_view name) {
    for (size_t i = 0; i < body.params.size(); ++i) {
      if (body.params[i].name.text == name) return i;
    }
    return body.params.size();
  }

  Callables& callables_;
  const std::function<void(const Reached&)>& visit_;
  std::map<const Body*, Graph> graphs_;
  std::map<Key, Summary> summaries_;
  std::map<const Body*, size_t> variants_;
  Frame* top_ = nullptr;
  size_t depth_ = 0;
  bool has_changed_ = false;
};

}  // namespace

void explore(const Body& handler, Callables& callables, const std::function<void(const Reached&)>& visit) {
  Explorer(callables, visit).run(handler);
}

}  // namespace harn::audit
