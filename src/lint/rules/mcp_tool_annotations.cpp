// A registry that `mcp_tools` serves, with a tool whose `tool_define` has no `annotations`. The registry is followed through
// variables: `registry = tool_define(registry, ...)`.
#include <unordered_map>
#include <unordered_set>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

class Registries {
 public:
  explicit Registries(Pass& pass) : pass_(pass) {}

  void run() {
    std::vector<const Node*> served;
    for (const Place& place : pass_.nodes()) {
      const Node& node = *place.node;
      if (node.is(NodeKind::Let)) note_let(node.as<Let>());
      if (node.is(NodeKind::Assign)) note_assign(node.as<Assign>());
      if (pass_.builtin(node) == "mcp_tools" && !node.as<Call>().args.empty())
        served.push_back(node.as<Call>().args[0]);
    }
    for (const Node* value : served) follow(value);
  }

 private:
  void note_let(const Let& let) {
    if (let.pattern->kind != PatternKind::Name) return;
    if (const compile::Variable* variable = pass_.variable(let.pattern->fields[0])) {
      values_[variable].push_back(let.value);
    }
  }

  void note_assign(const Assign& assign) {
    if (!assign.target->is(NodeKind::Identifier)) return;
    if (const compile::Variable* variable = pass_.variable(assign.target->as<Identifier>())) {
      values_[variable].push_back(assign.value);
    }
  }

  // Every `tool_define` that the value may come from.
  void follow(const Node* first) {
    std::vector<const Node*> open = {first};
    while (!open.empty()) {
      const Node* value = open.back();
      open.pop_back();
      if (value->is(NodeKind::Identifier)) {
        const compile::Variable* variable = pass_.variable(value->as<Identifier>());
        if (!variable || !seen_.insert(variable).second) continue;
        for (const Node* other : values_[variable]) open.push_back(other);
      } else if (pass_.builtin(*value) == "tool_define" && !value->as<Call>().args.empty()) {
        check(value->as<Call>());
        open.push_back(value->as<Call>().args[0]);
      }
    }
  }

  void check(const Call& call) {
    if (call.args.size() < 4 || !call.args[3]->is(NodeKind::DictLiteral)) return;
    if (!checked_.insert(&call).second || find_entry(*call.args[3], "annotations")) return;
    for (const DictEntry& entry : call.args[3]->as<DictLiteral>().entries) {
      if (entry.form == KeyForm::Spread || entry.form == KeyForm::Computed) return;  // it may be there
    }
    pass_.report(call.args[1]->span, pass_.text(call.args[1]->span))
        .help("say what it does: `annotations: {readOnlyHint: true}` or `{destructiveHint: true}`");
  }

  Pass& pass_;
  std::unordered_map<const compile::Variable*, std::vector<const Node*>> values_;
  std::unordered_set<const compile::Variable*> seen_;
  std::unordered_set<const Call*> checked_;
};

void check(Pass& pass) { Registries(pass).run(); }

}  // namespace

extern const Rule kMcpToolAnnotations = {
    .name = "mcp-tool-annotations",
    .code = diag::Code::McpToolAnnotations,
    .module = check,
};

}  // namespace harn::lint
