// Whom the program may talk to, as it says itself.
#include "effects/egress.h"

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/options.h"
#include "effects/run.h"
#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

Outcome<std::vector<std::string>> rules_of(const DictObject* config, std::string_view name) {
  std::vector<std::string> rules;
  const Value* given = config->find(name);
  if (!given || given->is_nil()) return rules;
  if (given->is_string()) {
    rules.push_back(display(*given));
    return rules;
  }
  if (!given->is(Kind::List))
    return type_error("egress_policy: `{}` must be a list of rules, got {}", name, type_name(*given));
  for (const Value& rule : given->as_list()->values()) rules.push_back(display(rule));
  return rules;
}

// Not given: with rules that allow something, nothing else is.
Outcome<bool> allows_others(const DictObject* config, bool has_allow) {
  const Value* given = config->find("default");
  if (!given || given->is_nil()) return !has_allow;
  std::string word = display(*given);
  if (word != "allow" && word != "deny")
    return throw_text(ErrorKind::Invalid, "egress_policy: `default` is '{}', expected \"allow\" or \"deny\"", word);
  return word == "allow";
}

Value list_of(const std::vector<std::string>& texts) {
  Value list = new_list();
  for (const std::string& text : texts) writable_list(list)->push(text_value(text));
  return list;
}

Outcome<Value> egress_policy(Call& call) {
  if (!call.arg(0).is_dict())
    return type_error("egress_policy: expected a dict with allow, deny and default, got {}", type_name(call.arg(0)));
  const DictObject* config = call.arg(0).as_dict();
  // A rule that is written under another name would be none.
  constexpr std::string_view kKeys[] = {"allow", "deny", "default"};
  HARN_CHECK(check_names("egress_policy", "key", config, kKeys));
  effects::EgressTexts texts;
  texts.allow = HARN_TRY(rules_of(config, "allow"));
  texts.deny = HARN_TRY(rules_of(config, "deny"));
  texts.allows_others = HARN_TRY(allows_others(config, !texts.allow.empty()));
  auto rules = effects::EgressRules::parse(texts, "egress_policy");
  if (!rules) {
    return throw_text(
        ErrorKind::Invalid,
        "egress_policy: '{}' is no rule; rules are a host, *.suffix, address or network, with :port or without",
        rules.error());
  }
  auto set = effects::Run::current(call.vm()).set_egress(*std::move(rules));
  if (!set) {
    return throw_text(ErrorKind::Invalid, "egress_policy: policy already configured from {}", set.error());
  }
  return DictBuilder()
      .add("allow", list_of(texts.allow))
      .add("deny", list_of(texts.deny))
      .add("default", text_value(texts.allows_others ? "allow" : "deny"))
      .done();
}

constinit const Builtin kRows[] = {
    {.name = "egress_policy",
     .signature = "(policy: {allow?: list<string>, deny?: list<string>, default?: string}) -> dict",
     .doc =
         "Says, once, which hosts may be talked to: names, *.suffix, addresses, networks, each with :port or without. "
         "What denies wins.",
     .example = R"(egress_policy({allow: ["*.example.com"], deny: ["10.0.0.0/8"]}).default == "deny")",
     .call = egress_policy},
};

}  // namespace

std::span<const Builtin> egress_rows() { return kRows; }

}  // namespace harn::builtins
