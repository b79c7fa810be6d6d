#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "types/lower.h"

namespace harn::types {

// What only the whole program knows: which methods a struct has.
class Methods {
 public:
  virtual ~Methods() = default;
  // Empty when the type has all that the interface asks for; otherwise what is missing.
  virtual std::string unsatisfied(const Type* type, const Type* interface) = 0;
};

// Which types fit where others are expected. `any` fits everywhere and takes everything; so do types that nothing
// declares. A type may mention itself: what is being asked is taken to be true meanwhile.
//
// What is not said in the language document follows the run time: a value that the run-time check of an annotation takes
// is not refused here.
class Relation {
 public:
  Relation(Lowering& lowering, Methods& methods) : lowering_(lowering), methods_(methods) {}

  bool fits(const Type* from, const Type* to) { return fits(from, to, Widening::Yes); }
  // The same where the value is only read, as builtins do: a list of ints is a list of floats then.
  bool fits_read(const Type* from, const Type* to) {
    only_read_ = true;
    bool answer = fits(from, to);
    only_read_ = false;
    return answer;
  }
  // Whether the type arguments of two types of the same declaration fit, each as the declaration says: `out`, `in` or
  // neither.
  bool declared_arguments_fit(const Type* from, const Type* to);
  // Why it does not: `missing field 'age' (int); ...`. Empty when there is nothing more to say than the two types.
  std::string detail(const Type* from, const Type* to);

  // The type as a shape, if that is what its fields look like: shapes, structs, intersections of such. Null otherwise.
  const Type* as_shape(const Type* type);
  // With what an alias or an `owned` stands for.
  const Type* plain(const Type* type);

 private:
  enum class Widening : uint8_t { No, Yes };  // whether an int is a float here

  bool fits(const Type* from, const Type* to, Widening widening);
  bool compare(const Type* from, const Type* to, Widening widening);
  bool same(const Type* a, const Type* b);
  bool named_fits(const Type* from, const Type* to, Widening widening);
  bool arguments_fit(const Type* from, const Type* to, std::string_view variances, Widening widening);
  bool declared_fits(const Type* from, const Type* to);
  bool shape_fits(const Type* from, const Type* to, Widening widening);
  bool shape_in_dict(const Type* shape, const Type* dict);
  bool dict_in_shape(const Type* dict, const Type* shape);
  bool function_fits(const Type* from, const Type* to);
  bool iterates(const Type* from, const Type* to);

  Lowering& lowering_;
  Methods& methods_;
  bool only_read_ = false;

  // A question, and how it is meant.
  struct Question {
    const Type* from;
    const Type* to;
    uint8_t how;
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct Hash {
    size_t operator()(const Question& question) const;
  };
  std::unordered_set<Question, Hash> accepted_, refused_;
  std::vector<Question> trail_;  // those accepted while a question is open
  size_t depth_ = 0;
};

// Whether a type takes part in no checking at all.
inline bool is_gradual(const Type* type) {
  return type->kind == Kind::Any || type->kind == Kind::Broken || type->kind == Kind::Foreign;
}
inline const Type* argument(const Type* type, size_t index) {
  return index < type->items.size() ? type->items[index] : nullptr;
}

}  // namespace harn::types
