#include "compile/sound.h"

#include "base/assert.h"
#include "base/fmt.h"

namespace harn::compile {

void require_sound(const std::optional<bytecode::Fault>& fault, const char* pass) {
  if (!fault) return;
  std::string text = fmt::format("the code is broken after {}: {}", pass, fault->text());
  HARN_ASSERT(!fault, text.c_str());
}

}  // namespace harn::compile
