// What a file and its folder can do to a log.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "backends.h"
#include "processes.h"

namespace harn::log {
namespace {

struct SqliteLogTest : testing::Test {
  Folder folder;
  std::string path = folder.path("events.sqlite");

  static Result<Appended> append(EventLog& log, const std::string& payload) {
    return append_now(log, {.topic = "a", .kind = "k", .payload = payload, .headers = ""});
  }
  Error error_of_opening() {
    auto log = open_sqlite_log(path);
    EXPECT_FALSE(log);
    return log ? Error{} : log.error();
  }
  void write(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
};

TEST_F(SqliteLogTest, AForeignFile) {
  std::string text =
      "this is a letter to a friend, and it is long enough to be looked at as if it were a database file, "
      "though the first line of one would read quite differently from this one";
  write(text);
  Error error = error_of_opening();
  EXPECT_EQ(error.kind, ErrorKind::Io);
  EXPECT_NE(error.message.find("is not an event log"), std::string::npos) << error.message;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text) << "it is left alone";
}

TEST_F(SqliteLogTest, AShortForeignFile) {
  write("notes");
  EXPECT_NE(error_of_opening().message.find("is not an event log"), std::string::npos);
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "notes");
}

TEST_F(SqliteLogTest, AFirstPageThatIsCutOff) {
  open_sqlite_log(path).value().reset();
  std::filesystem::resize_file(path, 2000);
  EXPECT_NE(error_of_opening().message.find("is damaged"), std::string::npos);
}

TEST_F(SqliteLogTest, AnotherDatabase) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE mine(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_NE(error_of_opening().message.find("is not an event log"), std::string::npos);
}

TEST_F(SqliteLogTest, ANewerVersion) {
  open_sqlite_log(path).value().reset();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  Error error = error_of_opening();
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_NE(error.message.find("version 99"), std::string::npos) << error.message;
}

TEST_F(SqliteLogTest, ATornFile) {
  {
    auto log = open_sqlite_log(path).value();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(append(*log, std::string(5000, 'x')));
  }
  // What is left is less than what the file says it has.
  std::filesystem::resize_file(path, 3 * 4096);
  auto log = open_sqlite_log(path);
  auto events = log ? (*log)->read({.topic = "a"}) : std::unexpected(log.error());
  Error error = events ? Error{ErrorKind::None, "it was read"} : events.error();
  EXPECT_EQ(error.kind, ErrorKind::Io);
  EXPECT_NE(error.message.find("damaged"), std::string::npos) << error.message;
}

TEST_F(SqliteLogTest, AMissingFolder) {
  path = folder.path("none/events.sqlite");
  EXPECT_EQ(error_of_opening().kind, ErrorKind::Io);
}

TEST_F(SqliteLogTest, AFolderThatMayNotBeWritten) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(folder.path("").c_str(), 0500);
  EXPECT_EQ(error_of_opening().kind, ErrorKind::Denied);
  chmod(folder.path("").c_str(), 0700);
}

TEST_F(SqliteLogTest, AFullDisk) {
  // A process that may write no more than a few hundred kilobytes to a file, which is what it meets on a full disk.
  constexpr rlim_t kMost = 400'000;
  pid_t child = start_process([&] {
    signal(SIGXFSZ, SIG_IGN);
    auto log = open_sqlite_log(path).value();
    rlimit limit{kMost, kMost};
    setrlimit(RLIMIT_FSIZE, &limit);
    int acknowledged = 0, refused = 0;
    for (int i = 0; i < 100; ++i) {
      auto appended = append(*log, std::string(20'000, 'x'));
      if (appended) ++acknowledged;
      else refused += appended.error().kind == ErrorKind::Limit;
    }
    bool all_are_told = acknowledged > 0 && refused > 0 && acknowledged + refused == 100;
    bool all_are_kept = log->read({.topic = "a"})->size() == static_cast<size_t>(acknowledged);
    std::ofstream(folder.path("acknowledged")) << acknowledged;
    _exit(all_are_told ? (all_are_kept ? 0 : 2) : 1);
  });
  EXPECT_EQ(wait_for(child), 0);
  int acknowledged = 0;
  std::ifstream(folder.path("acknowledged")) >> acknowledged;
  // With room again it goes on where it was.
  auto log = open_sqlite_log(path).value();
  EXPECT_EQ(log->read({.topic = "a"})->size(), static_cast<size_t>(acknowledged));
  EXPECT_EQ(append(*log, "more")->id, static_cast<uint64_t>(acknowledged) + 1);
}

TEST_F(SqliteLogTest, ALockedFileIsWaitedFor) {
  auto log = open_sqlite_log(path).value();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  bool is_done = false;
  std::mutex lock;
  std::condition_variable changed;
  log->append({.topic = "a", .kind = "k", .payload = "", .headers = ""}, [&](Result<Appended> appended) {
    std::lock_guard guard(lock);
    is_done = appended.has_value();
    changed.notify_all();
  });
  EXPECT_EQ(log->latest("a").value(), 0u) << "readers do not wait";
  ASSERT_EQ(sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  std::unique_lock guard(lock);
  EXPECT_TRUE(changed.wait_for(guard, std::chrono::seconds(10), [&] { return is_done; }));
  sqlite3_close(database);
}

}  // namespace
}  // namespace harn::log
