// Runs every fuzzer once on each file below CORPUS/<its name>: `fuzz_seeds CORPUS`. What is wrong ends the process, as in a fuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#define X(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size);
HARN_FUZZERS
#undef X

namespace {

struct Fuzzer {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};

constexpr Fuzzer kFuzzers[] = {
#define X(name) {#name, fuzz_##name},
    HARN_FUZZERS
#undef X
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int, char** words) {
  int passed = 0;
  int without_seeds = 0;
  for (const Fuzzer& fuzzer : kFuzzers) {
    const int before = passed;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(words[1]) / fuzzer.name)) {
      const std::string input = contents(entry.path());
      // The last line that is seen when it fails.
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      fuzzer.run(reinterpret_cast<const uint8_t*>(input.data()), input.size());
      ++passed;
    }
    without_seeds += passed == before;
  }
  std::printf("%d passed, %d failed\n", passed, without_seeds);
  return without_seeds == 0 ? 0 : 1;
}
