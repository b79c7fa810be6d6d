#include "base/dynamic_library.h"

#include <dlfcn.h>

#include "base/fmt.h"

namespace harn {

DynamicLibrary::DynamicLibrary(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) why_ = fmt::format("{} is not installed ({})", file, dlerror());
}

void* DynamicLibrary::address_of(const char* name) {
  if (!handle_) return nullptr;
  void* symbol = dlsym(handle_, name);
  if (!symbol && why_.empty()) why_ = fmt::format("a library has no {}", name);
  return symbol;
}

}  // namespace harn
