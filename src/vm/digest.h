#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace harn::vm {

// A fingerprint of many bytes: the same in every process. It tells things apart that differ by accident; it is no
// protection against somebody who wants two of them to be alike.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;

  void add(std::string_view bytes);  // its size counts, too
  void add(uint64_t number);
  std::string done() const;  // kSize bytes

  static constexpr size_t kSize = 16;
  static std::string of(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace harn::vm
