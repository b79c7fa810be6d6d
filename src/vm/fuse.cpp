#include "vm/fuse.h"

#include <optional>

namespace harn::vm {

using namespace bytecode;

namespace {

enum class Maker : uint16_t {
#define HARN_MAKER(first) first,
  HARN_FUSED_MAKERS(HARN_MAKER)
#undef HARN_MAKER
};
enum class User : uint16_t {
#define HARN_USER(first, second) second,
  HARN_FUSED_USERS(HARN_USER, )
#undef HARN_USER
      Count,
};

class Pair {
 public:
  Pair(const Code& code, uint32_t at) : code_(code), one_(code.words[at]), first_(op_of(one_)) {
    next_ = at + length(row(first_).format);
    if (first_ == Op::Jump) next_ += static_cast<uint32_t>(sj_of(one_));
    if (first_ == Op::PushOr) next_ += code.words[next_ - 1];  // where it goes on as a rule
    if (next_ >= code.words.size()) return;
    two_ = code.words[next_];
    second_ = op_of(two_);
  }

  uint16_t number() const {
    auto own = static_cast<uint16_t>(first_);
    if (second_ == Op::Count) return own;
    if (first_ == Op::Jump && sj_of(one_) < 0) return own;  // counts the pass of a loop
    if (auto op = path()) return static_cast<uint16_t>(*op);
    if (auto op = update()) return static_cast<uint16_t>(*op);
    if (auto op = made_and_used()) return *op;
    if (auto op = loan()) return static_cast<uint16_t>(*op);
    if (auto op = chain()) return static_cast<uint16_t>(*op);
    return own;
  }

 private:
  std::optional<uint16_t> made_and_used() const {
    auto first = maker();
    if (!first) return {};
    auto second = user();
    if (!second) return {};
    uint32_t number =
        static_cast<uint32_t>(*first) * static_cast<uint32_t>(User::Count) + static_cast<uint32_t>(*second);
    return static_cast<uint16_t>(static_cast<uint32_t>(FusedOp::BeforeFirst) + 1 + number);
  }

  // The third uses up what the second has made, which is not what the first has.
  std::optional<FusedOp> update() const {
    auto first = maker();
    auto second = user();
    uint32_t third_at = next_ + length(row(second_).format);
    if (!first || !second || third_at >= code_.words.size()) return {};
    Word three = code_.words[third_at];
    Op third = op_of(three);
    uint32_t result = a_of(two_);
    auto is_other = [&](uint32_t operand) { return operand != result && !is_made(operand); };
    if (is_made(result) || !is_other(a_of(three))) return {};
    if (third == Op::SetIndex && (c_of(three) != result || !is_other(b_of(three)))) return {};
    if (third == Op::SetField && b_of(three) != result) return {};
#define HARN_UPDATE(made, used, put) \
  if (*first == Maker::made && *second == User::used && third == Op::put) return FusedOp::made##Then##used##Then##put;
    HARN_FUSED_UPDATES(HARN_UPDATE)
#undef HARN_UPDATE
    return {};
  }

  std::optional<Maker> maker() const {
    switch (first_) {
      case Op::Add:
      case Op::AddTemp: return Maker::Add;
      case Op::Sub: return Maker::Sub;
      case Op::Mul: return Maker::Mul;
      case Op::AddInt: return Maker::AddInt;
      case Op::MulConst: return Maker::MulConst;
      case Op::ModConst:
        if (is_divisor(c_of(one_))) return Maker::ModConst;
        return {};
      case Op::GetIndex: return Maker::GetIndex;
      case Op::GetField: return Maker::GetField;
      case Op::GetCapture: return Maker::GetCapture;
      default: return {};
    }
  }

  // Of the second's operands exactly one is what the first makes.
  std::optional<User> user() const {
    bool is_a = is_made(a_of(two_)), is_b = is_made(b_of(two_)), is_c = is_made(c_of(two_));
    auto either = [](bool left, bool right, User is_left, User is_right) -> std::optional<User> {
      if (left == right) return {};
      return left ? is_left : is_right;
    };
    auto only = [](bool condition, User user) -> std::optional<User> {
      if (condition) return user;
      return {};
    };
    switch (second_) {
      case Op::Add:
      case Op::AddTemp: return either(is_b, is_c, User::Add, User::AddOf);
      case Op::Sub: return either(is_b, is_c, User::Sub, User::SubOf);
      case Op::Mul: return either(is_b, is_c, User::Mul, User::MulOf);
      case Op::AddInt: return only(is_b, User::AddInt);
      case Op::MulConst: return only(is_b, User::MulConst);
      case Op::ModConst: return only(is_b && is_divisor(c_of(two_)), User::ModConst);
      case Op::Return: return only(is_a, User::Return);
      case Op::GetIndex: return only(is_c && !is_b, User::GetIndex);
      case Op::SetIndex: return only(is_c && !is_a && !is_b, User::SetIndex);
      case Op::SetField: return only(is_b && !is_a, User::SetField);
      case Op::JumpLess: return either(is_a, is_b, User::JumpLess, User::JumpLessOf);
      case Op::JumpLessConst: return only(is_a, User::JumpLessConst);
      case Op::JumpGreaterConst: return only(is_a, User::JumpGreaterConst);
      case Op::JumpEqualConst: return only(is_a, User::JumpEqualConst);
      default: return {};
    }
  }

  std::optional<FusedOp> path() const {
    if (!is_made(a_of(two_)) || !is_made(b_of(two_))) return {};
    if (second_ == Op::GetIndex && is_made(c_of(two_))) return {};
#define HARN_PATH(first, second) \
  if (first_ == Op::first && second_ == Op::second) return FusedOp::first##Then##second##OfIt;
    HARN_FUSED_PATHS(HARN_PATH)
#undef HARN_PATH
    return {};
  }

  std::optional<FusedOp> loan() const {
    if (second_ != Op::CallBuiltin || !is_made(a_of(two_)) || b_of(two_) == 0) return {};
#define HARN_LOAN(first) \
  if (first_ == Op::first) return FusedOp::first##ForCall;
    HARN_FUSED_LOANS(HARN_LOAN)
#undef HARN_LOAN
    return {};
  }

  std::optional<FusedOp> chain() const {
#define HARN_CHAIN(first, second) \
  if (first_ == Op::first && second_ == Op::second) return FusedOp::first##And##second;
    HARN_FUSED_CHAINS(HARN_CHAIN)
#undef HARN_CHAIN
    return {};
  }

  bool is_made(uint32_t operand) const { return operand == a_of(one_); }
  // 0 fails, and -1 may overflow.
  bool is_divisor(uint32_t constant) const {
    const auto* number = std::get_if<int64_t>(&code_.constants[constant]);
    return number && *number > 0;
  }

  const Code& code_;
  Word one_;
  Word two_ = 0;
  Op first_;
  Op second_ = Op::Count;
  uint32_t next_;
};

}  // namespace

uint16_t fused_op(const Code& code, uint32_t at) { return Pair(code, at).number(); }

}  // namespace harn::vm
