#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "builtins/bounds.h"
#include "builtins/families.h"

// Statistics over lists of numbers.
namespace harn::builtins {
namespace {

using namespace vm;

enum class MayBeEmpty { Yes, No };

Outcome<std::vector<double>> numbers(Call& call, MayBeEmpty may_be_empty) {
  const auto& name = call.row().name;
  if (!is_list_like(call.arg(0))) return type_error("{}: items must be a list", name);
  auto list = HARN_TRY(bounded_list(call, 0));
  if (list->size == 0 && may_be_empty == MayBeEmpty::No) {
    return runtime_error(ErrorKind::Invalid, "{}: items must not be empty", name);
  }
  std::vector<double> out;
  out.reserve(list->size);
  for (const Value& item : list->values()) {
    step();
    if (!item.is_number()) return type_error("{} must be numeric", name);
    out.push_back(item.as_number());
  }
  return out;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Outcome<Value> mean(Call& call) {
  auto values = HARN_TRY(numbers(call, MayBeEmpty::Yes));
  return Value::number(values.empty() ? 0.0 : mean_of(values));
}

// NaN goes last: without a total order the sort itself would be undefined.
void sort_numbers(std::vector<double>& values) {
  std::sort(values.begin(), values.end(), [](double a, double b) {
    step();
    return std::isnan(b) ? !std::isnan(a) : a < b;
  });
}

// Linear interpolation between the closest ranks. `values` are sorted and not empty.
double quantile(const std::vector<double>& values, double fraction) {
  double rank = fraction * static_cast<double>(values.size() - 1);
  auto below = static_cast<size_t>(rank);
  size_t above = std::min(below + 1, values.size() - 1);
  double part = rank - static_cast<double>(below);
  // No arithmetic on an exact hit: inf - inf would make it NaN.
  if (part == 0) return values[below];
  return values[below] + (values[above] - values[below]) * part;
}

Outcome<Value> median(Call& call) {
  auto values = HARN_TRY(numbers(call, MayBeEmpty::No));
  sort_numbers(values);
  return Value::number(quantile(values, 0.5));
}

Outcome<Value> percentile(Call& call) {
  auto values = HARN_TRY(numbers(call, MayBeEmpty::No));
  double p = HARN_TRY(call.number(1));
  if (!(p >= 0 && p <= 100)) return runtime_error(ErrorKind::Invalid, "percentile must be between 0 and 100");
  sort_numbers(values);
  return Value::number(quantile(values, p / 100));
}

Outcome<double> variance_of(Call& call) {
  auto values = HARN_TRY(numbers(call, MayBeEmpty::No));
  bool sample = !call.arg(1).is_nil() && HARN_TRY(call.boolean(1));
  if (sample && values.size() < 2) {
    return runtime_error(ErrorKind::Invalid, "sample variance requires at least 2 values");
  }
  double mean = mean_of(values);
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - (sample ? 1 : 0));
}

Outcome<Value> variance(Call& call) { return Value::number(HARN_TRY(variance_of(call))); }
Outcome<Value> stddev(Call& call) { return Value::number(std::sqrt(HARN_TRY(variance_of(call)))); }

constexpr std::string_view kSpread = "(items: list<int | float>, sample?: bool) -> float";

constinit const Builtin kRows[] = {
    {.name = "mean",
     .signature = "(items: list<int | float>) -> float",
     .doc = "Returns the average; 0.0 for an empty list.",
     .example = "mean([1, 2, 3]) == 2.0",
     .call = mean},
    {.name = "median",
     .signature = "(items: list<int | float>) -> float",
     .doc = "Returns the middle value, or the average of the middle two.",
     .example = "median([1, 2, 10]) == 2.0",
     .call = median},
    {.name = "percentile",
     .signature = "(items: list<int | float>, p: int | float) -> float",
     .doc = "Returns the value below which `p` percent of the items lie, interpolated.",
     .example = "percentile([1, 2, 3], 50) == 2.0",
     .call = percentile},
    {.name = "stddev",
     .signature = kSpread,
     .doc = "Returns the standard deviation of the population, or of a sample.",
     .example = "stddev([1, 3]) == 1.0",
     .call = stddev},
    {.name = "variance",
     .signature = kSpread,
     .doc = "Returns the variance of the population, or of a sample.",
     .example = "variance([1, 3]) == 1.0",
     .call = variance},
};

}  // namespace

std::span<const vm::Builtin> statistics_rows() { return kRows; }

}  // namespace harn::builtins
