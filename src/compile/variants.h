#pragma once

#include <string_view>
#include <vector>

#include "syntax/ast.h"

namespace harn::compile {

// A variant as patterns see it.
struct VariantInfo {
  std::string_view owner;  // the enum's name
  std::string_view name;
  size_t values;             // how many it carries
  const syntax::Enum* type;  // null: the built-in Result
};

// The enums that are in scope where a pattern stands, and their variants.
class VisibleVariants {
 public:
  // An enum hides those of the same name that are added after it.
  void add(const syntax::Enum& type);
  void add_result();

  // Variants of that name. Where several enums have one, those with that number of values count.
  std::vector<VariantInfo> named(std::string_view name, size_t values) const;
  std::vector<std::string_view> names() const;

 private:
  bool hides(std::string_view owner) const;
  std::vector<VariantInfo> variants_;
};

// All variants of one enum; those of the built-in Result for null.
std::vector<VariantInfo> variants_of(const syntax::Enum* type);

}  // namespace harn::compile
