#pragma once

#include <type_traits>
#include <utility>

#include "syntax/ast.h"

// Walking over nodes without knowing them. All of it comes from nodes.def.
namespace harn::syntax {

// Blocks, and control flow that ends in one: a bracket directly behind it begins a new statement.
bool ends_in_block(const Node& node);

// What a field is to a walker (nodes.def).
enum class FieldUse : uint8_t { Meaning, Optional, Items, Layout };

template <FieldUse kUse>
struct Field {
  static constexpr FieldUse use = kUse;
  std::string_view name;
};

inline void each_field(const Node&, auto&&) {}

// Calls `visit(Field, value)` for each field of a node or part, in the order of the source.
#define HARN_NODE(name, base, word)                 \
  void each_field(const name& node, auto&& visit) { \
    each_field(static_cast<const base&>(node), visit);
#define HARN_BASE(name, base) HARN_NODE(name, base, "")
#define HARN_PART(name) void each_field([[maybe_unused]] const name& node, auto&& visit) {
#define HARN_KEYED(name) HARN_PART(name)
#define HARN_FIELD(type, name) visit(Field<FieldUse::Meaning>{#name}, node.name);
#define HARN_OPTION(type, name) visit(Field<FieldUse::Optional>{#name}, node.name);
#define HARN_ITEMS(type, name) visit(Field<FieldUse::Items>{#name}, node.name);
#define HARN_LAYOUT(type, name) visit(Field<FieldUse::Layout>{#name}, node.name);
#define HARN_END }
#include "syntax/nodes.def"

// Calls `use` with the node as what it is: `const Binary&`, ...
template <class Use>
decltype(auto) with_kind(const Node& node, Use&& use) {
  switch (node.kind) {
#define HARN_NODE(name, base, word) \
  case NodeKind::name:              \
    return use(node.as<name>());
#define HARN_BASE(name, base)
#define HARN_PART(name)
#define HARN_KEYED(name)
#define HARN_FIELD(type, name)
#define HARN_OPTION(type, name)
#define HARN_ITEMS(type, name)
#define HARN_LAYOUT(type, name)
#define HARN_END
#include "syntax/nodes.def"
  }
  __builtin_unreachable();
}

namespace children {

template <class T>
struct ListItem : std::false_type {};
template <class T>
struct ListItem<std::span<const T>> : std::true_type {};

// Fields without anything inside. A field of any other type must be a node, a part, or a list of those: what is
// none of them does not compile.
template <class T>
constexpr bool kIsLeaf = std::is_enum_v<T> || std::is_arithmetic_v<T> || std::is_same_v<T, Name> ||
                         std::is_same_v<T, Span> || std::is_same_v<T, std::string_view>;

template <class Visit, class T>
void descend(Visit& visit, const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    if (value) descend(visit, *value);
  } else if constexpr (ListItem<T>::value) {
    for (const auto& item : value) descend(visit, item);
  } else if constexpr (std::is_base_of_v<Node, T>) {
    visit(static_cast<const Node&>(value));
  } else if constexpr (std::is_invocable_v<Visit&, const T&>) {
    visit(value);
  } else if constexpr (!kIsLeaf<T>) {
    each_field(value, [&](auto, const auto& inner) { descend(visit, inner); });
  }
}

}  // namespace children

// Calls `visit` for everything that stands directly inside a node, in the order of the source: for nodes as
// `const Node&`, also those inside parts; for types, patterns and other parts if `visit` takes them.
template <class T, class Visit>
void for_each_child_of(const T& value, Visit&& visit) {
  each_field(value, [&](auto, const auto& field) { children::descend(visit, field); });
}

template <class Visit>
void for_each_child(const Node& node, Visit&& visit) {
  with_kind(node, [&](const auto& known) { for_each_child_of(known, visit); });
}

}  // namespace harn::syntax
