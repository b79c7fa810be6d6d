#pragma once

#include "compile/catalog.h"

namespace harn::test {

// Knows a handful of builtins, so that the goldens do not change when a builtin is added.
class SmallCatalog : public compile::Catalog {
 public:
  std::optional<compile::BuiltinInfo> find(std::string_view name) const override {
    for (uint32_t i = 0; i < std::size(kNames); ++i) {
      if (kNames[i] == name) return compile::BuiltinInfo{i, "(...args: any) -> any"};
    }
    return std::nullopt;
  }
  std::optional<double> constant(std::string_view) const override { return std::nullopt; }
  std::vector<std::string_view> names() const override { return {std::begin(kNames), std::end(kNames)}; }
  std::vector<compile::MethodInfo> methods() const override { return {}; }
  uint32_t count() const override { return std::size(kNames); }

 private:
  static constexpr std::string_view kNames[] = {"log", "len"};
};

}  // namespace harn::test
