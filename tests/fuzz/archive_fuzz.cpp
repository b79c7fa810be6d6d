#include <cstdint>
#include <string>

#include "base/assert.h"
#include "compress/archive.h"

using namespace harn;

static const compress::Allowance kAllowed{1 << 20, "in a fuzzer"};
static void ignore(size_t) {}

// What was read can be written, and is the same when it is read again.
template <class Create, class Extract>
static void check(const Result<std::vector<compress::Entry>>& entries, Create create, Extract extract) {
  if (!entries) return;
  for (const compress::Entry& entry : *entries) {
    HARN_ASSERT(compress::check_entry_path(entry.path), "a path leads elsewhere");
  }
  auto archive = create(*entries);
  if (!archive) return;  // a path of the archive that was too long for zip
  auto again = extract(*archive);
  HARN_ASSERT(again && again->size() == entries->size(), "an archive of ours cannot be read");
  for (size_t i = 0; i < again->size(); ++i) {
    HARN_ASSERT((*again)[i].path == (*entries)[i].path && (*again)[i].content == (*entries)[i].content,
                "an entry has changed");
  }
}

// The first byte says what the others are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(input) + 1, size - 1);
  auto untar = [](std::string_view archive) { return compress::tar_extract(archive, ignore); };
  auto unzip = [](std::string_view archive) { return compress::zip_extract(archive, kAllowed, ignore); };
  switch (input[0] % 5) {
    case 0:
      check(
          untar(bytes), [](auto& all) { return compress::tar_create(all, ignore); }, untar);
      break;
    case 1:
      check(
          unzip(bytes), [](auto& all) { return compress::zip_create(all, ignore); }, unzip);
      break;
    default:
      const compress::Codec* const kCodecs[] = {&compress::kGzip, &compress::kZstd, &compress::kBrotli};
      auto plain = kCodecs[input[0] % 5 - 2]->decode(bytes, kAllowed, ignore);
      HARN_ASSERT(!plain || plain->size() <= kAllowed.most, "more came out than is allowed");
  }
  return 0;
}
