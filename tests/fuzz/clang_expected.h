#pragma once

// Debian 12's clang cannot compile the standard library's std::expected (it lacks P0848), and libFuzzer
// needs clang. For fuzzers only, this stands in for it: the parts that our code uses.
#include <utility>
#include <variant>
#include <version>

#ifndef __cpp_lib_expected

namespace std {

template <class E>
class unexpected {
 public:
  template <class G = E>
  requires(!is_same_v<remove_cvref_t<G>, unexpected>) constexpr explicit unexpected(G&& error)
      : error_(std::forward<G>(error)) {}
  const E& error() const& { return error_; }
  E& error() & { return error_; }
  E&& error() && { return std::move(error_); }

 private:
  E error_;
};
template <class E>
unexpected(E) -> unexpected<E>;

template <class T, class E>
class expected {
 public:
  using value_type = T;
  using error_type = E;

  expected() : state_(in_place_index<0>) {}
  template <class U = T>
  requires(!is_same_v<remove_cvref_t<U>, expected> && is_constructible_v<T, U>) expected(U&& value)
      : state_(in_place_index<0>, std::forward<U>(value)) {}
  template <class G>
  expected(unexpected<G> error) : state_(in_place_index<1>, E(std::move(error).error())) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return *get_if<0>(&state_); }
  const T& operator*() const& { return *get_if<0>(&state_); }
  T&& operator*() && { return std::move(*get_if<0>(&state_)); }
  T* operator->() { return get_if<0>(&state_); }
  const T* operator->() const { return get_if<0>(&state_); }
  T& value() & { return **this; }
  const T& value() const& { return **this; }
  T&& value() && { return *std::move(*this); }
  E& error() & { return *get_if<1>(&state_); }
  const E& error() const& { return *get_if<1>(&state_); }
  E&& error() && { return std::move(*get_if<1>(&state_)); }
  template <class U>
  T value_or(U&& otherwise) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(otherwise));
  }

 private:
  variant<T, E> state_;
};

template <class E>
class expected<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  expected() = default;
  template <class G>
  expected(unexpected<G> error) : state_(in_place_index<1>, E(std::move(error).error())) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  void operator*() const {}
  void value() const {}
  E& error() & { return *get_if<1>(&state_); }
  const E& error() const& { return *get_if<1>(&state_); }
  E&& error() && { return std::move(*get_if<1>(&state_)); }

 private:
  variant<monostate, E> state_;
};

}  // namespace std

#endif
