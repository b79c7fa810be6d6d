// What people and crashes do to the files of a log that is kept as text.
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "backends.h"
#include "log/event_lines.h"
#include "processes.h"

namespace harn::log {
namespace {

namespace fs = std::filesystem;

struct FileLogTest : testing::Test {
  Folder folder;
  std::string path = folder.path("events");
  std::string file = path + "/topics/a/00000000000000000001.jsonl";

  static Result<Appended> append(EventLog& log, const std::string& payload, const std::string& topic = "a") {
    return append_now(log, {.topic = topic, .kind = "k", .payload = payload, .headers = ""});
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void add(const std::string& text) { std::ofstream(file, std::ios::app) << text; }
  std::unique_ptr<EventLog> open() { return open_file_log(path).value(); }
};

TEST_F(FileLogTest, IsReadable) {
  auto log = open();
  ASSERT_TRUE(append_now(*log, {.topic = "a", .kind = "placed", .payload = "{\"n\":1}", .headers = "{}", .at_ms = 7}));
  EXPECT_EQ(
      contents(file),
      "{\"log\":1,\"topic\":\"a\",\"first\":1,\"max_age_ms\":0,\"max_count\":0,\"max_bytes\":0}\n"
      "{\"id\":1,\"at_ms\":7,\"kind\":\"placed\",\"payload\":\"{\\\"n\\\":1}\",\"headers\":\"{}\",\"key\":\"\"}\n");
}

TEST_F(FileLogTest, ATornLineIsCutOff) {
  ASSERT_TRUE(append(*open(), "one"));
  add("{\"id\":2,\"at_ms\":0,\"kind\":\"k\",\"payl");
  auto log = open();
  EXPECT_EQ(log->read({.topic = "a"})->size(), 1u);
  EXPECT_EQ(append(*log, "two")->id, 2u);
  EXPECT_EQ(open()->read({.topic = "a"})->back().payload, "two");
}

TEST_F(FileLogTest, ATornHeadIsWrittenAgain) {
  fs::create_directories(path + "/topics/a");
  std::ofstream(path + "/lock") << "";
  add("{\"log\":1,\"to");
  auto log = open();
  EXPECT_EQ(log->latest("a").value(), 0u);
  EXPECT_TRUE(log->topics()->empty());
  EXPECT_EQ(append(*log, "one")->id, 1u);
  EXPECT_EQ(open()->read({.topic = "a"})->size(), 1u);
}

TEST_F(FileLogTest, OtherLinesAreDamage) {
  ASSERT_TRUE(append(*open(), "one"));
  add("hello\n");
  auto events = open()->read({.topic = "a"});
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::Io);
  EXPECT_NE(events.error().message.find("damaged"), std::string::npos) << events.error().message;
  EXPECT_FALSE(append(*open(), "two"));
  EXPECT_TRUE(append(*open(), "two", "b")) << "other topics do not suffer";
}

TEST_F(FileLogTest, AnyLineIsReadOrRefused) {
  std::mt19937 random(5);
  Event event{.id = 7, .kind = "k\n", .payload = "{\"a\":1}\x01", .headers = "\xff", .key = "\\", .at_ms = -3};
  std::string line = event_line(event);
  auto read = parse_line(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->event.payload, event.payload);
  EXPECT_EQ(read->event.headers, event.headers);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = line.substr(0, random() % 2 ? line.size() - 1 : random() % line.size());
    for (size_t n = random() % 4; n > 0 && !bytes.empty(); --n)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)parse_line(bytes);
  }
}

TEST_F(FileLogTest, AForeignFolder) {
  fs::create_directories(path);
  std::ofstream(path + "/letter") << "dear friend";
  EXPECT_NE(open_file_log(path).error().message.find("is not an event log"), std::string::npos);
  path = folder.path("events/letter");
  EXPECT_NE(open_file_log(path).error().message.find("is not an event log"), std::string::npos);
}

TEST_F(FileLogTest, ANewerVersion) {
  ASSERT_TRUE(append(*open(), "one"));
  std::ofstream(file) << "{\"log\":9}\n";
  EXPECT_EQ(open()->read({.topic = "a"}).error().kind, ErrorKind::Unsupported);
}

TEST_F(FileLogTest, AnyTopicHasAFolder) {
  auto log = open();
  for (const std::string& topic : {std::string("../up"), std::string("."), std::string("a/b c"), std::string(512, 'x'),
                                   std::string(511, 'x') + "y", std::string("ä\0b", 4)}) {
    ASSERT_TRUE(append(*log, "p", topic)) << topic;
    EXPECT_EQ(log->read({.topic = topic})->size(), 1u) << topic;
  }
  EXPECT_EQ(open()->topics()->size(), 6u);
  EXPECT_FALSE(fs::exists(path + "/up"));
}

TEST_F(FileLogTest, LargeTopicsAreSeveralFilesOfWhichTheOldestGo) {
  auto log = open();
  constexpr int kMany = 60;
  for (int i = 0; i < kMany; ++i) ASSERT_TRUE(append(*log, std::string(500'000, static_cast<char>('a' + i % 26))));
  auto count = [&] { return std::distance(fs::directory_iterator(path + "/topics/a"), fs::directory_iterator()); };
  EXPECT_GT(count(), 2);
  auto some = log->read({.topic = "a", .after = 40}).value();
  ASSERT_EQ(some.size(), 20u);
  EXPECT_EQ(some[0].payload[0], 'a' + 40 % 26);
  EXPECT_EQ(retain_now(*log, "a", {.max_count = 5}, 0).value(), 55u);
  EXPECT_LT(count(), 3);
  log = open();
  auto kept = log->read({.topic = "a"}).value();
  ASSERT_EQ(kept.size(), 5u);
  EXPECT_EQ(kept[0].id, 56u);
  EXPECT_EQ(append(*log, "more")->id, 61u);
}

TEST_F(FileLogTest, AFullDisk) {
  constexpr rlim_t kMost = 400'000;
  pid_t child = start_process([&] {
    signal(SIGXFSZ, SIG_IGN);
    auto log = open();
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
  auto log = open();
  EXPECT_EQ(log->read({.topic = "a"})->size(), static_cast<size_t>(acknowledged));
  EXPECT_EQ(append(*log, "more")->id, static_cast<uint64_t>(acknowledged) + 1);
}

}  // namespace
}  // namespace harn::log
