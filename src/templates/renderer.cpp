// What is open stands on a stack of frames: the whole template, a branch, a loop, an included template. Each is a body and the
// place of its next node.
#include "templates/renderer.h"

#include "base/fmt.h"
#include "base/result.h"
#include "base/text.h"
#include "templates/filters.h"
#include "templates/values.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::templates {

using namespace vm;

namespace {

struct Loop {
  const For& node;
  Value items;  // a list, a dict or nil
  size_t count;
  size_t next = 0;
};

struct Frame {
  enum class Kind : uint8_t { Plain, Branch, Loop, Included };
  Kind kind;
  Place place = {};                           // of the directive that opened it
  std::shared_ptr<const Loaded> source = {};  // the template that the body is of
  std::shared_ptr<const Origin> origin = {};  // where that was included; null: nobody asked for spans
  size_t start = 0;                           // in the text
  size_t variables = 0;                       // that there were before
  std::unique_ptr<harn::templates::Loop> loop = {};
  const std::vector<Node>* body = nullptr;
  size_t next = 0;
};

struct Variable {
  const std::string* name;
  Value value;
};

class Renderer {
 public:
  Renderer(Loader& loader, std::vector<Span>* spans) : loader_(loader), spans_(spans) {}

  Outcome<std::string> render(const Loaded& root, const Value& bindings);

 private:
  friend class Evaluator;

  // Of the innermost variable of that name, then of the bindings. Null: there is no such name.
  const Value* find(const std::string& name) const;

  Outcome<void> write(const Node& node);
  Outcome<void> write_node(const Node& node, const Text& text);
  Outcome<void> write_node(const Node& node, const Bare& bare);
  Outcome<void> write_node(const Node& node, const Interpolation& interpolation);
  Outcome<void> write_node(const Node& node, const If& choice);
  Outcome<void> write_node(const Node& node, const For& loop);
  Outcome<void> write_node(const Node& node, const Include& include);
  void write_value(const Value& value);

  Outcome<Loaded> load(const std::string& path);
  Outcome<void> check_chain(const std::string& identity) const;
  void enter(Frame frame, BodyId body);
  void leave();
  bool next_pass(Frame& frame);

  Outcome<Value> evaluate(ExprId id);
  std::unexpected<Thrown> mistake(std::string what) const;
  void note(Place place, std::string_view kind, size_t start, const Value* value = nullptr);

  Loader& loader_;
  std::vector<Span>* spans_;  // null: nobody asked
  std::vector<Frame> frames_;
  std::vector<Variable> variables_;
  Value bindings_;
  std::string out_;
  Place place_;  // of the directive that is being carried out
};

// ---- frames ----

void Renderer::enter(Frame frame, BodyId body) {
  if (!frame.source) {
    frame.source = frames_.back().source;
    frame.origin = frames_.back().origin;
  } else if (spans_) {
    auto includer = frames_.empty() ? nullptr : frames_.back().origin;
    frame.origin = std::make_shared<const Origin>(Origin{frame.source->identity, frame.place, std::move(includer)});
  }
  frame.body = &frame.source->tree->body(body);
  frame.start = out_.size();
  frames_.push_back(std::move(frame));
}

void Renderer::leave() {
  using Kind = Frame::Kind;
  Frame& frame = frames_.back();
  switch (frame.kind) {
    case Kind::Plain: break;
    case Kind::Branch: note(frame.place, "if", frame.start); break;
    case Kind::Included: note(frame.place, "include", frame.start); break;
    case Kind::Loop: note(frame.place, "for_iteration", frame.start); break;
  }
  variables_.resize(frame.variables);
  if (frame.kind == Kind::Loop && next_pass(frame)) return;
  frames_.pop_back();
}

// ---- values ----

const Value* Renderer::find(const std::string& name) const {
  for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
    if (*variable->name == name) return &variable->value;
  }
  return bindings_.is_dict() || bindings_.is(Kind::Struct) ? bindings_.as_dict()->find(name) : nullptr;
}

// The depth of an expression is bounded by the parser.
class Evaluator {
 public:
  Evaluator(const Renderer& renderer, const Template& tree) : renderer_(renderer), tree_(tree) {}

  using Evaluated = std::expected<Value, std::string>;
  Evaluated operator()(ExprId id) { return std::visit(*this, tree_.expr(id)); }

  Evaluated operator()(const Literal& literal) { return value_of(literal); }

  Evaluated operator()(const Path& path) {
    const Value* root = renderer_.find(path.root);
    Value value = root ? *root : Value();
    for (auto& step : path.steps) {
      value = std::visit([&](auto& key) { return part_of(value, key); }, step);
    }
    return value;
  }

  Evaluated operator()(const Not& negation) { return Value::boolean(!is_true(HARN_TRY((*this)(negation.operand)))); }

  Evaluated operator()(const Choice& choice) {
    Value value;
    for (ExprId operand : choice.operands) {
      value = HARN_TRY((*this)(operand));
      if (is_true(value) == choice.is_or) break;
    }
    return value;
  }

  Evaluated operator()(const Compare& compare) {
    Value left = HARN_TRY((*this)(compare.left)), right = HARN_TRY((*this)(compare.right));
    return Value::boolean(holds(compare.op, left, right));
  }

  Evaluated operator()(const Filtered& filtered) {
    Value value = HARN_TRY((*this)(filtered.input));
    for (const Filtered::Step& step : filtered.steps) {
      const Filter* filter = HARN_TRY(filter_of(step));
      std::vector<Value> args;
      for (ExprId arg : step.args) args.push_back(HARN_TRY((*this)(arg)));
      value = HARN_TRY(filter->apply(value, args));
    }
    return value;
  }

 private:
  const Renderer& renderer_;
  const Template& tree_;
};

Outcome<Value> Renderer::evaluate(ExprId id) {
  auto value = Evaluator(*this, *frames_.back().source->tree)(id);
  if (!value) return mistake(std::move(value).error());
  return *std::move(value);
}

std::unexpected<Thrown> Renderer::mistake(std::string what) const {
  std::string text = message_of({place_, std::move(what)}, frames_.back().source->tree->path);
  return with_facts(throw_text(ErrorKind::Invalid, "{}", text), kMistakeCode);
}

void Renderer::note(Place place, std::string_view kind, size_t start, const Value* value) {
  if (!spans_) return;
  constexpr size_t kPreview = 80;
  // The directive that included a template is in the one around it.
  auto origin = kind == "include" ? frames_.back().origin->includer : frames_.back().origin;
  Span span{
      .place = place, .origin = std::move(origin), .start = start, .end = out_.size(), .kind = kind, .bound_value = {}};
  if (value) {
    std::string shown = value->is_nil() ? "" : display(*value);
    size_t end = text::char_offset(shown, kPreview);
    if (end < shown.size()) shown = shown.substr(0, text::char_offset(shown, kPreview - 1)) + "…";
    span.bound_value = std::move(shown);
    span.has_value = true;
  }
  spans_->push_back(std::move(span));
}

// ---- nodes ----

void Renderer::write_value(const Value& value) {
  if (!value.is_nil()) display_to(out_, value);
}

Outcome<void> Renderer::write_node(const Node& node, const Text& text) {
  size_t start = out_.size();
  out_ += text.text;
  step_bytes(text.text.size());
  note(node.place, "text", start);
  return {};
}

Outcome<void> Renderer::write_node(const Node& node, const Bare& bare) {
  size_t start = out_.size();
  const Value* value = find(bare.name);
  if (value) write_value(*value);
  else out_ += "{{" + bare.name + "}}";
  note(node.place, "legacy_bare", start, value);
  return {};
}

Outcome<void> Renderer::write_node(const Node& node, const Interpolation& interpolation) {
  size_t start = out_.size();
  Value value = HARN_TRY(evaluate(interpolation.value));
  write_value(value);
  note(node.place, "expr", start, &value);
  return {};
}

Outcome<void> Renderer::write_node(const Node& node, const If& choice) {
  auto open = [&](BodyId body) {
    enter({.kind = Frame::Kind::Branch, .place = node.place, .variables = variables_.size()}, body);
  };
  for (const If::Branch& branch : choice.branches) {
    if (!is_true(HARN_TRY(evaluate(branch.condition)))) continue;
    open(branch.body);
    return {};
  }
  if (!frames_.back().source->tree->body(choice.otherwise).empty()) open(choice.otherwise);
  return {};
}

// Sets have no places: their items are gone over as a list.
Value as_list(const SetObject* set) {
  auto list = new_list(set->size);
  for (const Value& item : set->values()) list->push(item);
  return Value(std::move(list));
}

Outcome<void> Renderer::write_node(const Node& node, const For& loop) {
  Value items = HARN_TRY(evaluate(loop.items));
  if (items.is(Kind::Set)) items = as_list(items.as_set());
  size_t count = 0;
  if (is_list_like(items)) count = list_size(items);
  else if (items.is_dict()) count = items.as_dict()->size();
  else if (!items.is_nil()) return mistake(fmt::format("cannot iterate over {}", type_name(items)));
  Frame frame{.kind = Frame::Kind::Plain, .place = node.place, .variables = variables_.size()};
  if (count == 0) {
    enter(std::move(frame), loop.otherwise);
    return {};
  }
  frame.kind = Frame::Kind::Loop;
  frame.loop = std::make_unique<Loop>(Loop{loop, std::move(items), count});
  enter(std::move(frame), loop.body);
  next_pass(frames_.back());
  return {};
}

Value loop_value(size_t place, size_t count) {
  return DictBuilder()
      .add("first", Value::boolean(place == 0))
      .add("index", Value::integer(static_cast<int64_t>(place) + 1))
      .add("index0", Value::integer(static_cast<int64_t>(place)))
      .add("last", Value::boolean(place + 1 == count))
      .add("length", Value::integer(static_cast<int64_t>(count)))
      .done();
}

bool Renderer::next_pass(Frame& frame) {
  static const std::string kLoop = "loop";
  Loop& loop = *frame.loop;
  if (loop.next == loop.count) return false;
  size_t place = loop.next++;
  Value key = Value::integer(static_cast<int64_t>(place)), item;
  if (loop.items.is_dict()) {
    DictObject::Entry entry = loop.items.as_dict()->entry(place);
    key = text_value(entry.key->view());
    item = *entry.value;
  } else {
    item = list_item(loop.items, place);
  }
  variables_.push_back({&kLoop, loop_value(place, loop.count)});
  if (!loop.node.key.empty()) variables_.push_back({&loop.node.key, std::move(key)});
  variables_.push_back({&loop.node.item, std::move(item)});
  frame.next = 0;
  frame.start = out_.size();
  return true;
}

// ---- includes ----

// A file on the way here would include itself for ever.
Outcome<void> Renderer::check_chain(const std::string& identity) const {
  std::string chain;
  size_t depth = 0;
  bool is_circle = false;
  for (const Frame& frame : frames_) {
    bool is_template = &frame == &frames_.front() || frame.kind == Frame::Kind::Included;
    if (!is_template) continue;
    ++depth;
    is_circle = is_circle || frame.source->identity == identity;
    if (is_circle) chain += frame.source->identity + " → ";
  }
  if (is_circle) return mistake(fmt::format("circular include detected: {}{}", chain, identity));
  if (depth > kMostIncludes) return mistake(fmt::format("include depth exceeded (at most {})", kMostIncludes));
  return {};
}

Outcome<Loaded> Renderer::load(const std::string& path) {
  auto loaded = loader_.include(path, frames_.back().source->identity, frames_.front().source->identity);
  if (loaded) return loaded;
  // What a policy denies, being stopped, and mistakes in the other template are told as they are.
  const ErrorObject& error = *loaded.error();
  bool is_ours = error.error_kind == ErrorKind::NotFound || error.error_kind == ErrorKind::Io ||
                 error.error_kind == ErrorKind::Invalid;
  bool has_place = error.facts && error.facts->code == kMistakeCode;
  if (!catchable(error) || !is_ours || has_place) return loaded;
  return mistake(display(caught_value(error)));
}

Outcome<void> Renderer::write_node(const Node& node, const Include& include) {
  Value path = HARN_TRY(evaluate(include.path));
  if (!path.is_string()) return mistake("include path must be a string");
  // Before any of them is visible: they are the includer's.
  std::vector<Variable> added;
  for (auto& [name, value] : include.bindings) added.push_back({&name, HARN_TRY(evaluate(value))});
  auto loaded = std::make_shared<Loaded>(HARN_TRY(load(std::string(path.as_string()->view()))));
  HARN_CHECK(check_chain(loaded->identity));
  size_t before = variables_.size();
  for (Variable& variable : added) variables_.push_back(std::move(variable));
  enter({.kind = Frame::Kind::Included, .place = node.place, .source = std::move(loaded), .variables = before},
        Template::kWhole);
  return {};
}

Outcome<void> Renderer::write(const Node& node) {
  step();
  place_ = node.place;
  HARN_CHECK(std::visit([&](auto& what) { return write_node(node, what); }, node.what));
  if (out_.size() > kMostText) return mistake(fmt::format("the text would have more than {} bytes", kMostText));
  return {};
}

Outcome<std::string> Renderer::render(const Loaded& root, const Value& bindings) {
  bindings_ = bindings;
  enter({.kind = Frame::Kind::Plain, .source = std::make_shared<Loaded>(root)}, Template::kWhole);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next < frame.body->size()) HARN_CHECK(write((*frame.body)[frame.next++]));
    else leave();
  }
  return std::move(out_);
}

}  // namespace

Outcome<std::string> render(Loader& loader, const Loaded& root, const Value& bindings, std::vector<Span>* spans) {
  return Renderer(loader, spans).render(root, bindings);
}

}  // namespace harn::templates
