#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builtins/schema_validate.h"
#include "data/loose_json.h"

// Values that come close to what a schema wants, as models write them: "3 units" for an int, "BUG" for the enum value "bug", one item
// where a list is wanted, an object that is wrapped in another one.
namespace harn::builtins::schema {

// What a text should begin with that holds a value for this schema.
data::LooseReader::Wanted wanted_brackets(const vm::Value& schema);

struct FitRepair {
  std::string_view kind;  // "text_to_number"; all kinds are in schema_fit.cpp
  std::string path;       // "root", "items[0].name"
};

// A part of a value, and what was certain of it.
struct Certain {
  vm::Value part, shown;
};

// How much is guessed. With little, nothing may change but the way a value is written: 3 for 3.0 or "3", true for "yes".
enum class Guess : uint8_t { Much, Little };

// Makes values fit one schema. What cannot be made to fit stays as it is, for the validator to tell.
class Fitter {
 public:
  // The schema and the regexes must outlive it.
  Fitter(const vm::Value& root, RegexCache& regexes, Guess guess = Guess::Much)
      : root_(root), regexes_(regexes), guess_(guess) {}

  vm::Value fit(const vm::Value& value);
  // Of a value of which only a part has been read: what the whole, made to fit, will still have. Texts may grow, and so may lists and
  // dicts; a text where a number or one of several choices is wanted is not shown. Unset: nothing is certain. `last` is what was
  // there before: what has not changed since is not looked at again.
  vm::Value certain(const vm::Value& part, const Certain& last) { return certain(part, root_, last); }
  std::vector<FitRepair> repairs;

 private:
  vm::Value fit(vm::Value value, const vm::Value& schema);
  vm::Value fit_words(vm::Value value, const Keywords& words);
  vm::Value fit_branches(const vm::Value& value, const vm::Value& branches);
  vm::Value fit_choice(const vm::Value& value, const vm::Value& choices);
  vm::Value fit_type(vm::Value value, uint32_t wanted, const Keywords& words);
  vm::Value fit_text(const vm::Value& text, uint32_t wanted);
  vm::Value fit_items(vm::Value list, const Keywords& words);
  vm::Value fit_properties(vm::Value dict, const Keywords& words);
  void fit_value(vm::Value& dict, std::string_view key, const vm::Value& schema);
  vm::Value unwrapped(const vm::Value& dict, uint32_t wanted, const Keywords& words);
  void rename_keys(vm::Value& dict, const vm::DictObject* properties);
  void drop_keys(vm::Value& dict, const vm::DictObject* properties);
  vm::Value certain(const vm::Value& part, const vm::Value& schema, const Certain& last);
  vm::Value certain_of(const vm::Value& part, const vm::Value& schema, const Keywords& words, const Certain& last);
  vm::Value certain_items(const vm::Value& list, const Keywords& words, const Certain& last);
  vm::Value certain_properties(const vm::Value& dict, const Keywords& words, const Certain& last);
  bool is_valid(const vm::Value& value, const vm::Value& schema);
  void note(std::string_view kind);

  const vm::Value& root_;
  RegexCache& regexes_;
  Guess guess_;
  std::string path_;
  int depth_ = 0;
};

}  // namespace harn::builtins::schema
