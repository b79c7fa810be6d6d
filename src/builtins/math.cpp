#include <cmath>
#include <numbers>

#include "base/result.h"
#include "builtins/families.h"

// Numbers. Where an int result fits, ints stay ints.
namespace harn::builtins {
namespace {

using namespace vm;

// The numeric argument as it is, int or float.
Outcome<Value> numeric(Call& call, uint32_t i) {
  HARN_CHECK(call.number(i));
  return call.arg(i);
}

Outcome<Value> abs(Call& call) {
  Value number = HARN_TRY(numeric(call, 0));
  if (number.is_float()) return Value::number(std::fabs(number.as_float()));
  int64_t whole = number.as_int();
  // The smallest int has no positive counterpart.
  if (whole == INT64_MIN) return Value::number(0x1p63);
  return Value::integer(whole < 0 ? -whole : whole);
}

Outcome<Value> sign(Call& call) {
  Value number = HARN_TRY(numeric(call, 0));
  double value = number.as_number();
  if (std::isnan(value)) return number;
  return Value::integer(value > 0 ? 1 : value < 0 ? -1 : 0);
}

// Both numbers as ints when both are, as floats otherwise.
template <class Pick>
Outcome<Value> pick(Call& call, Pick pick) {
  Value a = HARN_TRY(numeric(call, 0));
  Value b = HARN_TRY(numeric(call, 1));
  if (a.is_int() && b.is_int()) return Value::integer(pick(a.as_int(), b.as_int()));
  double x = a.as_number(), y = b.as_number();
  // A number beats NaN on either side.
  if (std::isnan(x)) return Value::number(y);
  if (std::isnan(y)) return Value::number(x);
  return Value::number(pick(x, y));
}
Outcome<Value> min(Call& call) {
  return pick(call, [](auto a, auto b) { return b < a ? b : a; });
}
Outcome<Value> max(Call& call) {
  return pick(call, [](auto a, auto b) { return a < b ? b : a; });
}

// ---- rounding ----

using RealFunction = double (*)(double);

template <RealFunction round_to>
Outcome<Value> rounded(Call& call) {
  Value number = HARN_TRY(numeric(call, 0));
  if (number.is_int()) return number;
  double value = round_to(number.as_float());
  if (!std::isfinite(value)) return runtime_error(ErrorKind::Invalid, "cannot convert non-finite float to int");
  if (!(value >= -0x1p63 && value < 0x1p63)) {
    return runtime_error(ErrorKind::Invalid, "float is outside the representable int range");
  }
  return Value::integer(static_cast<int64_t>(value));
}

// ---- powers, logarithms, angles ----

// base ** exponent, or false when it does not fit.
bool whole_power(int64_t base, int64_t exponent, int64_t& result) {
  result = 1;
  for (;;) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return false;
    exponent >>= 1;
    if (exponent == 0) return true;
    if (__builtin_mul_overflow(base, base, &base)) return false;
  }
}

Outcome<Value> pow(Call& call) {
  Value base = HARN_TRY(numeric(call, 0));
  Value exponent = HARN_TRY(numeric(call, 1));
  int64_t whole;
  if (base.is_int() && exponent.is_int() && exponent.as_int() >= 0 &&
      whole_power(base.as_int(), exponent.as_int(), whole)) {
    return Value::integer(whole);
  }
  return Value::number(std::pow(base.as_number(), exponent.as_number()));
}

template <RealFunction function>
Outcome<Value> real(Call& call) {
  return Value::number(function(HARN_TRY(call.number(0))));
}

Outcome<Value> atan2(Call& call) {
  double y = HARN_TRY(call.number(0));
  return Value::number(std::atan2(y, HARN_TRY(call.number(1))));
}

Outcome<Value> is_nan(Call& call) {
  return Value::boolean(call.arg(0).is_float() && std::isnan(call.arg(0).as_float()));
}
Outcome<Value> is_infinite(Call& call) {
  return Value::boolean(call.arg(0).is_float() && std::isinf(call.arg(0).as_float()));
}

constexpr std::string_view kReal = "(n: int | float) -> float";
constexpr std::string_view kSame = "(n: int) -> int; (n: int | float) -> int | float";
constexpr std::string_view kToInt = "(n: int | float) -> int";
constexpr std::string_view kTwo = "(a: int, b: int) -> int; (a: int | float, b: int | float) -> int | float";

constinit const Builtin kRows[] = {
    {.name = "abs",
     .signature = kSame,
     .doc = "Returns the number without its sign.",
     .example = "abs(-3) == 3",
     .flags = BuiltinFlags::Constant,
     .call = abs},
    {.name = "acos",
     .signature = kReal,
     .doc = "Returns the arc cosine in radians.",
     .example = "acos(1) == 0.0",
     .call = real<std::acos>},
    {.name = "asin",
     .signature = kReal,
     .doc = "Returns the arc sine in radians.",
     .example = "asin(0) == 0.0",
     .call = real<std::asin>},
    {.name = "atan",
     .signature = kReal,
     .doc = "Returns the arc tangent in radians.",
     .example = "atan(0) == 0.0",
     .call = real<std::atan>},
    {.name = "atan2",
     .signature = "(y: int | float, x: int | float) -> float",
     .doc = "Returns the angle of the point (x, y) in radians.",
     .example = "atan2(0, 1) == 0.0",
     .call = atan2},
    {.name = "ceil",
     .signature = kToInt,
     .doc = "Returns the nearest int that is not smaller.",
     .example = "ceil(1.2) == 2",
     .flags = BuiltinFlags::Constant,
     .call = rounded<std::ceil>},
    {.name = "cos",
     .signature = kReal,
     .doc = "Returns the cosine of an angle in radians.",
     .example = "cos(0) == 1.0",
     .call = real<std::cos>},
    {.name = "exp",
     .signature = kReal,
     .doc = "Returns e to the power of `n`.",
     .example = "exp(0) == 1.0",
     .call = real<std::exp>},
    {.name = "floor",
     .signature = kToInt,
     .doc = "Returns the nearest int that is not larger.",
     .example = "floor(1.8) == 1",
     .flags = BuiltinFlags::Constant,
     .call = rounded<std::floor>},
    {.name = "is_infinite",
     .signature = "(n: any) -> bool",
     .doc = "Says whether `n` is an infinite float.",
     .example = "is_infinite(1.0 / 0.0)",
     .call = is_infinite},
    {.name = "is_nan",
     .signature = "(n: any) -> bool",
     .doc = "Says whether `n` is NaN.",
     .example = "is_nan(0.0 / 0.0)",
     .call = is_nan},
    {.name = "ln",
     .signature = kReal,
     .doc = "Returns the natural logarithm.",
     .example = "ln(1) == 0.0",
     .call = real<std::log>},
    {.name = "log10",
     .signature = kReal,
     .doc = "Returns the logarithm to base 10.",
     .example = "log10(100) == 2.0",
     .call = real<std::log10>},
    {.name = "log2",
     .signature = kReal,
     .doc = "Returns the logarithm to base 2.",
     .example = "log2(8) == 3.0",
     .call = real<std::log2>},
    {.name = "max",
     .signature = kTwo,
     .doc = "Returns the larger number.",
     .example = "max(1, 2) == 2",
     .flags = BuiltinFlags::Constant,
     .call = max},
    {.name = "min",
     .signature = kTwo,
     .doc = "Returns the smaller number.",
     .example = "min(1, 2) == 1",
     .flags = BuiltinFlags::Constant,
     .call = min},
    {.name = "pow",
     .signature = "(base: int | float, exponent: int | float) -> int | float",
     .doc = "Returns `base` to the power of `exponent`; a float when an int cannot hold it.",
     .example = "pow(2, 10) == 1024",
     .call = pow},
    {.name = "round",
     .signature = kToInt,
     .doc = "Returns the nearest int; halves go away from zero.",
     .example = "round(2.5) == 3",
     .flags = BuiltinFlags::Constant,
     .call = rounded<std::round>},
    {.name = "sign",
     .signature = kSame,
     .doc = "Returns -1, 0 or 1, or NaN for NaN.",
     .example = "sign(-2.5) == -1",
     .call = sign},
    {.name = "sin",
     .signature = kReal,
     .doc = "Returns the sine of an angle in radians.",
     .example = "sin(0) == 0.0",
     .call = real<std::sin>},
    {.name = "sqrt",
     .signature = kReal,
     .doc = "Returns the square root.",
     .example = "sqrt(9) == 3.0",
     .call = real<std::sqrt>},
    {.name = "tan",
     .signature = kReal,
     .doc = "Returns the tangent of an angle in radians.",
     .example = "tan(0) == 0.0",
     .call = real<std::tan>},
};

constexpr NamedConstant kConstants[] = {{"e", std::numbers::e}, {"pi", std::numbers::pi}};

}  // namespace

std::span<const vm::Builtin> math_rows() { return kRows; }
std::span<const NamedConstant> constants() { return kConstants; }

}  // namespace harn::builtins
