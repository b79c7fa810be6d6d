#include "base/replace_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace harn {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() { EXPECT_FALSE(make_folders(folder_ + "/a/b")); }
  ~ReplaceFile() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ + "/" + name; }
  static std::string contents(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  std::string folder_ = testing::TempDir() + "replace_file_" + std::to_string(getpid());
};

TEST_F(ReplaceFile, MakesAndReplaces) {
  EXPECT_FALSE(replace_file(path("one"), "first", Durability::Synced));
  EXPECT_FALSE(replace_file(path("one"), "", Durability::Renamed));
  EXPECT_FALSE(replace_file(path("one"), "second", Durability::Synced));
  EXPECT_EQ(contents(path("one")), "second");
  EXPECT_EQ(files(), 2u) << "nothing temporary is left";
}

TEST_F(ReplaceFile, KeepsPermissionsAndLinks) {
  ASSERT_FALSE(replace_file(path("one"), "first", Durability::Renamed));
  chmod(path("one").c_str(), 0640);
  fs::create_symlink("one", path("link"));
  EXPECT_FALSE(replace_file(path("link"), "second", Durability::Renamed));
  EXPECT_EQ(contents(path("one")), "second");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(fs::status(path("one")).permissions(), fs::perms(0640));
}

TEST_F(ReplaceFile, FailsWithTheOldFileUntouched) {
  EXPECT_EQ(replace_file(path("missing/one"), "text", Durability::Renamed), std::errc::no_such_file_or_directory);
  EXPECT_EQ(replace_file(path("a"), "text", Durability::Renamed), std::errc::is_a_directory);
  EXPECT_TRUE(fs::is_directory(path("a/b")));
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplaceFile, TakesTheLongestName) {
  std::string longest(255, 'x');
  EXPECT_FALSE(replace_file(path(longest.c_str()), "text", Durability::Renamed));
  EXPECT_EQ(contents(path(longest.c_str())), "text");
}

TEST_F(ReplaceFile, LocksOthersOut) {
  std::atomic<int> counter = 0;  // only the lock keeps threads apart, which the thread sanitizer does not know
  auto count = [&] {
    for (int i = 0; i < 200; ++i) {
      std::error_code failed;
      FileLock lock(path("lock"), failed);
      EXPECT_FALSE(failed);
      int before = counter;
      std::this_thread::yield();
      counter = before + 1;
    }
  };
  std::thread other(count);
  count();
  other.join();
  EXPECT_EQ(counter, 400);
}

}  // namespace
}  // namespace harn
