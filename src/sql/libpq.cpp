#include "sql/libpq.h"

#include "base/dynamic_library.h"

namespace harn::sql {

static LibPq load() {
  LibPq pq{};
  DynamicLibrary library("libpq.so.5");
#define HARN_LIBPQ_FIND(name) library.find(pq.name, #name);
  HARN_LIBPQ_FUNCTIONS(HARN_LIBPQ_FIND)
#undef HARN_LIBPQ_FIND
  pq.why = library.why();
  return pq;
}

const LibPq& LibPq::get() {
  static const LibPq loaded = load();
  return loaded;
}

}  // namespace harn::sql
