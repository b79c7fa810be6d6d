#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace harn {

void assertion_failed(const char* condition, const char* message, const char* file, int line) {
  fprintf(stderr,
          "harn: internal error: %s\n  (%s at %s:%d)\n"
          "This is a bug in harn. Please report it with the program that caused it.\n",
          message, condition, file, line);
  abort();
}

}  // namespace harn
