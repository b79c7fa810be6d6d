// Processes that write are killed in the middle of it, again and again. Whatever they were told is there must be there.
//
// Each writer appends to a topic that all share and tells what was acknowledged through a pipe. HARN_LOG_KILLS says how many
// are killed: 200 in a normal run.
#include <fcntl.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <sstream>

#include "backends.h"
#include "processes.h"

namespace harn::log {
namespace {

int kill_count() {
  const char* given = getenv("HARN_LOG_KILLS");
  return given ? atoi(given) : 200;
}

void tell(int pipe, const std::string& line) {
  if (write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
}

// Appends until it is killed. Every third event is appended a second time with the same key, as by somebody who has not
// got the answer.
[[noreturn]] void write_for_ever(const Backend& backend, const Folder& folder, int writer, int acknowledged) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto log = backend.open(folder);
  if (!log) _exit(1);
  for (int n = 0;; ++n) {
    std::string key = std::to_string(writer) + "-" + std::to_string(n);
    NewEvent event{
        .topic = "shared", .kind = "w", .payload = std::string(n % 7 * 100, 'x') + key, .headers = "", .key = key};
    auto appended = append_now(**log, event);
    if (!appended) _exit(2);
    tell(acknowledged, key + " " + std::to_string(appended->id) + "\n");
    if (n % 3 == 0) {
      auto again = append_now(**log, event);
      if (!again || again->how != Appended::How::Known || again->id != appended->id) _exit(3);
    }
  }
}

class Victim {
 public:
  Victim(const Backend& backend, const Folder& folder, int writer) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    process_ = start_process([&] { write_for_ever(backend, folder, writer, ends[1]); });
    close(ends[1]);
    told_ = ends[0];
  }
  // What it was told: key and number.
  std::vector<std::pair<std::string, uint64_t>> kill() {
    ::kill(process_, SIGKILL);
    int status = wait_for(process_);
    EXPECT_TRUE(WIFSIGNALED(status)) << "a writer has failed: " << WEXITSTATUS(status);
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(told_, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
    close(told_);
    std::vector<std::pair<std::string, uint64_t>> out;
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    std::string key;
    for (uint64_t id; lines >> key >> id;) out.emplace_back(key, id);
    return out;
  }

 private:
  pid_t process_;
  int told_;
};

struct Everything {
  std::map<std::string, uint64_t> ids;  // by key
  std::string problem;
};

Everything read_everything(const Backend& backend, const Folder& folder) {
  Everything out;
  auto log = backend.open(folder);
  if (!log) return {{}, log.error().message};
  for (uint64_t id = 0;;) {
    auto events = (*log)->read({.topic = "shared", .after = id, .most = 10'000});
    if (!events) return {{}, events.error().message};
    if (events->empty()) return out;
    for (const Event& event : *events) {
      if (event.id != ++id) return {{}, "a number is missing"};
      if (!event.payload.ends_with(event.key)) return {{}, "a payload is not what was appended"};
      if (!out.ids.emplace(event.key, event.id).second) return {{}, "a key is there twice: " + event.key};
    }
  }
}

using Killed = testing::TestWithParam<Backend>;
INSTANTIATE_TEST_SUITE_P(All, Killed, testing::ValuesIn(lasting_backends()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Killed, NothingThatWasAcknowledgedIsLost) {
  Folder folder;
  constexpr size_t kWriters = 3;
  std::mt19937 random(20240229);
  std::uniform_int_distribution<useconds_t> some_time(0, 12'000);
  std::map<std::string, uint64_t> acknowledged;
  std::deque<Victim> victims;
  for (int kills = 0; kills < kill_count(); ++kills) {
    while (victims.size() < kWriters)
      victims.emplace_back(GetParam(), folder, kills + static_cast<int>(victims.size()) * 1'000'000);
    usleep(some_time(random));
    uint64_t before = 0;
    for (auto& [key, id] : victims.front().kill()) {
      EXPECT_GT(id, before) << "numbers of a writer ascend";
      before = id;
      acknowledged[key] = id;
    }
    victims.pop_front();
  }
  for (Victim& victim : victims) {
    for (auto& [key, id] : victim.kill()) acknowledged[key] = id;
  }
  Everything found = read_everything(GetParam(), folder);
  ASSERT_EQ(found.problem, "");
  for (const auto& [key, id] : acknowledged) {
    auto at = found.ids.find(key);
    ASSERT_NE(at, found.ids.end()) << key << " was acknowledged as " << id << " and is not there";
    EXPECT_EQ(at->second, id);
  }
  EXPECT_GT(acknowledged.size(), static_cast<size_t>(kill_count()) / 4);
  RecordProperty("acknowledged", static_cast<int>(acknowledged.size()));
  RecordProperty("found", static_cast<int>(found.ids.size()));
  printf("%d killed, %zu acknowledged, %zu found\n", kill_count(), acknowledged.size(), found.ids.size());
}

}  // namespace
}  // namespace harn::log
