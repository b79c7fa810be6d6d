#include "cli/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace harn::cli {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/harn-files-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(std::string_view name) { return folder_ + "/" + std::string(name); }

  std::string folder_;
};

TEST_F(Files, ReadsWhatWasWritten) {
  std::string text(300'000, 'x');
  ASSERT_TRUE(write_file(path("a"), text));
  EXPECT_EQ(read_file(path("a")).value(), text);
}

TEST_F(Files, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(read_file("/no/such/file").error().message, "cannot read /no/such/file: no such file or directory");
  EXPECT_EQ(read_file(folder_).error().message, "cannot read " + folder_ + ": is a directory");
}

TEST_F(Files, ReplacesInOneStepAndKeepsTheMode) {
  ASSERT_TRUE(write_file(path("a"), "old"));
  chmod(path("a").c_str(), 0640);
  ASSERT_TRUE(replace_file(path("a"), "new"));
  EXPECT_EQ(read_file(path("a")).value(), "new");
  struct stat info;
  stat(path("a").c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  size_t count = 0;
  for ([[maybe_unused]] auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
  EXPECT_EQ(count, 1u);
}

TEST_F(Files, ReplacesTheTargetOfALink) {
  ASSERT_TRUE(write_file(path("a"), "old"));
  ASSERT_EQ(symlink("a", path("link").c_str()), 0);
  ASSERT_TRUE(replace_file(path("link"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("a")).value(), "new");
}

TEST_F(Files, FindsSourcesInOrder) {
  for (const char* folder : {"b", "a", ".hidden"}) std::filesystem::create_directory(path(folder));
  for (const char* file : {"z.harn", "a/x.harn", "a/notes.txt", "b/y.harn", ".hidden/h.harn"}) {
    ASSERT_TRUE(write_file(path(file), ""));
  }
  ASSERT_EQ(symlink("..", path("a/loop").c_str()), 0);
  std::string again = path("a/../z.harn");
  auto found = find_sources({folder_, again});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<std::string>{path("a/x.harn"), path("b/y.harn"), path("z.harn")}));
  EXPECT_FALSE(find_sources({path(".hidden/none")}));
  EXPECT_EQ(find_sources({path("missing")}).error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace harn::cli
