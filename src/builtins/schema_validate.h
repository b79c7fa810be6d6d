#pragma once

#include <string>
#include <vector>

#include "builtins/regex_cache.h"
#include "builtins/schema_keywords.h"

namespace harn::builtins::schema {

// Checks values against one schema. A value that does not fit is no failure: its errors are
// collected. A schema that makes no sense is: `malformed` then says why.
class Validator {
 public:
  Validator(const vm::Value& root, RegexCache& regexes) : root_(root), regexes_(regexes) {}

  bool validate(const vm::Value& value);
  // The value with the schema's defaults filled in where keys are missing, at every level.
  vm::Value with_defaults(const vm::Value& value);

  std::vector<std::string> errors;
  std::string malformed;

 private:
  bool check(const vm::Value& value, const vm::Value& schema);
  void check_keywords(const vm::Value& value, const Keywords& words);
  void check_type(const vm::Value& value, const vm::Value& type, bool accepts_set);
  void check_choices(const vm::Value& value, const Keywords& words);
  void check_branches(const vm::Value& value, const Keywords& words);
  void check_number(const vm::Value& value, const Keywords& words);
  void check_text(const vm::Value& value, const Keywords& words);
  void check_items(const vm::Value& value, const Keywords& words);
  void check_contains(std::span<const vm::Value> items, const Keywords& words);
  void check_dict(const vm::Value& value, const Keywords& words);
  void check_entry(const vm::StringObject* key, const vm::Value& value, const Keywords& words);
  void check_below_name(const vm::StringObject* key, const vm::Value& schema);
  void check_dependencies(const vm::DictObject* dict, const vm::Value& value, const Keywords& words);
  void check_reference(const vm::Value& value, const vm::Value& reference);
  // Whether the value fits, without keeping the errors.
  bool fits(const vm::Value& value, const vm::Value& schema);

  bool matches_pattern(std::string_view pattern, const vm::Value& text, bool& matched);
  uint32_t allowed_types(const vm::Value& type);
  bool is_stopped() const { return !malformed.empty(); }
  void report(std::string text);
  void reject(std::string why);

  void fill(vm::Value& value, const vm::Value& schema, int depth);
  void fill_properties(vm::Value& value, const Keywords& words, int depth);

  const vm::Value& root_;
  RegexCache& regexes_;
  std::string path_;
  int depth_ = 0;
  size_t steps_ = 0;
  int silent_ = 0;  // > 0: errors are counted only
  size_t failures_ = 0;
};

}  // namespace harn::builtins::schema
