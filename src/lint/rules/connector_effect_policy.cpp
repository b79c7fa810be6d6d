// The exports of a connector run under an effect policy by their name: `normalize_inbound` works on what it is given,
// `poll_tick`, `call` and `activate` may use the network. A builtin that needs more is refused when it runs.
#include <algorithm>

#include "lint/pass.h"

namespace harn::lint {

using namespace syntax;

namespace {

enum class Class : uint8_t { None, Local, Outbound };

Class class_of(std::string_view name) {
  if (name == "normalize_inbound") return Class::Local;
  return name == "poll_tick" || name == "call" || name == "activate" ? Class::Outbound : Class::None;
}

// What every connector must export.
bool is_connector(const modules::Module& module) {
  return module.exports.contains("provider_id") && module.exports.contains("kinds") &&
         module.exports.contains("payload_schema");
}

constexpr std::string_view kAlways[] = {"secret_get", "event_log_emit", "metrics_inc"};

bool is_allowed(Class effect_class, std::string_view builtin, std::string_view capability) {
  if (capability.empty() || std::find(std::begin(kAlways), std::end(kAlways), builtin) != std::end(kAlways))
    return true;
  for (std::string_view harmless : {"clock", "random", "stdio.write", "event_log", "state"}) {
    if (capability.starts_with(harmless)) return true;
  }
  return effect_class == Class::Outbound && (capability.starts_with("network") || builtin == "connector_call");
}

void check(Pass& pass, const Node& node) {
  auto& function = node.as<Function>();
  Class effect_class = class_of(function.name.text);
  if (effect_class == Class::None || pass.parent() || !is_connector(pass.module())) return;
  for (uint32_t at = pass.at() + 1; at < pass.nodes()[pass.at()].end; ++at) {
    const Node& inner = *pass.nodes()[at].node;
    std::string_view name = pass.builtin(inner);
    if (name.empty()) continue;
    std::string_view capability = pass.program().catalog.find(name)->capability;
    if (is_allowed(effect_class, name, capability)) continue;
    pass.report(inner.as<Call>().callee->span, name, capability, function.name.text)
        .help(effect_class == Class::Local ? "do it in `poll_tick` or `call`, or leave it to the handler of the event"
                                           : "leave it to the handler of the event");
  }
}

constexpr NodeKind kKinds[] = {NodeKind::Function};

}  // namespace

extern const Rule kConnectorEffectPolicy = {
    .name = "connector-effect-policy",
    .code = diag::Code::ConnectorEffect,
    .kinds = kKinds,
    .node = check,
};

}  // namespace harn::lint
