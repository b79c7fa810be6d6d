#include "vm/digest.h"

#include <xxhash.h>

namespace harn::vm {

struct Digest::State {
  XXH3_state_t* hash = XXH3_createState();
  ~State() { XXH3_freeState(hash); }
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->hash); }
Digest::~Digest() = default;

void Digest::add(uint64_t number) { XXH3_128bits_update(state_->hash, &number, sizeof number); }

void Digest::add(std::string_view bytes) {
  add(bytes.size());
  XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
}

std::string Digest::done() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->hash));
  static_assert(sizeof canonical.digest == kSize);
  return std::string(reinterpret_cast<const char*>(canonical.digest), kSize);
}

std::string Digest::of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.done();
}

}  // namespace harn::vm
