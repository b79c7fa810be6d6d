#include "compile/variants.h"

#include <algorithm>

namespace harn::compile {

using namespace syntax;

std::vector<VariantInfo> variants_of(const Enum* type) {
  if (!type) return {{"Result", "Ok", 1, nullptr}, {"Result", "Err", 1, nullptr}};
  std::vector<VariantInfo> out;
  for (const EnumVariant& variant : type->variants) {
    out.push_back({type->name.text, variant.name.text, variant.fields.size(), type});
  }
  return out;
}

bool VisibleVariants::hides(std::string_view owner) const {
  return std::any_of(variants_.begin(), variants_.end(),
                     [&](const VariantInfo& known) { return known.owner == owner; });
}

void VisibleVariants::add(const Enum& type) {
  if (hides(type.name.text)) return;
  auto more = variants_of(&type);
  variants_.insert(variants_.end(), more.begin(), more.end());
}

void VisibleVariants::add_result() {
  if (hides("Result")) return;
  auto more = variants_of(nullptr);
  variants_.insert(variants_.end(), more.begin(), more.end());
}

std::vector<VariantInfo> VisibleVariants::named(std::string_view name, size_t values) const {
  std::vector<VariantInfo> out;
  for (const VariantInfo& known : variants_) {
    if (known.name == name) out.push_back(known);
  }
  auto fits = [&](const VariantInfo& known) { return known.values == values; };
  if (std::any_of(out.begin(), out.end(), fits)) std::erase_if(out, [&](auto& known) { return !fits(known); });
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.owner < b.owner; });
  return out;
}

std::vector<std::string_view> VisibleVariants::names() const {
  std::vector<std::string_view> out;
  for (const VariantInfo& known : variants_) out.push_back(known.name);
  return out;
}

}  // namespace harn::compile
