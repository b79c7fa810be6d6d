#include "precompiled/prelude.h"

#include <map>

#include "base/wire.h"

// HARN_PRELUDE_FILE is what compile_prelude.cpp wrote.
asm(R"(
  .section .rodata
  .balign 16
harn_prelude_bytes:
  .incbin ")" HARN_PRELUDE_FILE R"("
harn_prelude_bytes_end:
  .previous
)");
extern "C" const char harn_prelude_bytes[];
extern "C" const char harn_prelude_bytes_end[];

namespace harn::precompiled {

std::string_view prelude_part(std::string_view name) {
  static const auto* const kParts = [] {
    auto* parts = new std::map<std::string_view, std::string_view>;
    WireReader file({harn_prelude_bytes, static_cast<size_t>(harn_prelude_bytes_end - harn_prelude_bytes)});
    while (file.left() > 0 && !file.failed()) {
      std::string_view part = file.text();
      (*parts)[part] = file.text();
    }
    return parts;
  }();
  auto found = kParts->find(name);
  return found == kParts->end() ? std::string_view() : found->second;
}

}  // namespace harn::precompiled
