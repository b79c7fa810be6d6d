// Blocks of JSON between markers in what a model says (data/marked_blocks.h). For src/std/session/blocks.harn.
#include "data/marked_blocks.h"

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/task_scope.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr std::string_view kKindsExpected = "a dict of kinds, {name: {begin, end}}, whose markers begin with `<`";

bool is_marker(const StringObject* text) { return text && text->view().size() > 1 && text->view()[0] == '<'; }

Outcome<std::vector<data::BlockKind>> kinds_of(Call& call) {
  std::vector<data::BlockKind> kinds;
  for (auto [name, markers] : HARN_TRY(call.dict(0))->entries()) {
    const DictObject* both = markers->is_dict() ? markers->as_dict() : nullptr;
    const StringObject *begin = text_field(both, "begin"), *end = text_field(both, "end");
    if (!is_marker(begin) || !is_marker(end)) return call.wrong_type(0, kKindsExpected);
    kinds.push_back({name->view(), begin->view(), end->view()});
  }
  return kinds;
}

data::BlockState state_of(const DictObject* filter, std::span<const data::BlockKind> kinds) {
  data::BlockState state;
  if (const StringObject* inside = text_field(filter, "inside")) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i].name == inside->view()) state.inside = i;
    }
  }
  if (const StringObject* held = text_field(filter, "held")) state.held = held->view();
  if (const StringObject* tail = text_field(filter, "tail")) state.tail = tail->view();
  const Value* quoted = filter->find("is_quoted");
  state.is_quoted = quoted && truthy(*quoted);
  const Value* looked = filter->find("looked");
  if (looked && looked->is_int() && looked->as_int() > 0)
    state.looked = std::min(static_cast<size_t>(looked->as_int()), state.held.size());
  return state;
}

Value filter_of(const data::BlockState& state, std::span<const data::BlockKind> kinds) {
  return DictBuilder()
      .add("inside", state.inside ? text_value(kinds[*state.inside].name) : Value())
      .add("is_quoted", Value::boolean(state.is_quoted))
      .add("held", text_value(state.held))
      .add("tail", text_value(state.tail))
      .add("looked", Value::integer(static_cast<int64_t>(state.looked)))
      .done();
}

// (kinds, filter, piece, is_last, keep)
Outcome<Value> read_marked(Call& call) {
  auto kinds = HARN_TRY(kinds_of(call));
  auto filter = HARN_TRY(call.dict(1));
  std::string_view piece = HARN_TRY(call.text(2));
  bool is_last = HARN_TRY(call.boolean(3));
  bool keeps = HARN_TRY(call.boolean(4));
  step_bytes(piece.size());

  using Keep = data::BlockReader::Keep;
  data::BlockReader reader(kinds, state_of(filter, kinds), keeps ? Keep::Yes : Keep::No);
  reader.add(piece);
  if (is_last) reader.end();
  auto blocks = new_list(), problems = new_list();
  for (const auto& block : reader.blocks) {
    blocks->push(
        DictBuilder().add("kind", text_value(kinds[block.kind].name)).add("text", text_value(block.text)).done());
  }
  for (const std::string& problem : reader.problems) problems->push(text_value(problem));
  return DictBuilder()
      .add("text", text_value(reader.text))
      .add("blocks", std::move(blocks))
      .add("problems", std::move(problems))
      .add("filter", filter_of(reader.state(), kinds))
      .done();
}

constinit const Builtin kRows[] = {
    {.name = "__marked_blocks",
     .signature = "(kinds: dict, filter: dict, piece: string, is_last: bool, keep: bool) -> dict",
     .doc = "One more piece of a text with blocks between markers: {text, blocks: [{kind, text}], problems, filter}.",
     .example = R"(__marked_blocks({n: {begin: "<n>", end: "</n>"}}, {}, "a<n>1</n>b", true, true).text == "ab")",
     .call = read_marked},
};

}  // namespace

std::span<const Builtin> marked_block_rows() { return kRows; }

}  // namespace harn::builtins
