#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// Golden tests: tests/golden/<folder>/x.harn goes through one phase, and x.golden holds what must
// come out. HARN_UPDATE_GOLDEN=1 writes the .golden files instead.
namespace harn::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::filesystem::path> harn_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".harn") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::filesystem::path golden_folder(const std::string& name) {
  return std::filesystem::path(HARN_SOURCE_DIR) / "tests" / "golden" / name;
}

template <class Phase>
void check_goldens(const std::string& folder, Phase phase) {
  auto files = harn_files(golden_folder(folder));
  ASSERT_FALSE(files.empty()) << "no goldens in " << folder;
  for (const auto& file : files) {
    std::string actual = phase(file.filename().string(), read_file(file));
    auto golden = file;
    golden.replace_extension(".golden");
    if (std::getenv("HARN_UPDATE_GOLDEN")) {
      std::ofstream(golden, std::ios::binary) << actual;
      continue;
    }
    EXPECT_TRUE(std::filesystem::exists(golden)) << golden << " is missing";
    EXPECT_EQ(read_file(golden), actual) << "in " << file;
  }
}

}  // namespace harn::test
