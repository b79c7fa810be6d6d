#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "log/event_log.h"

// The backends that every test of the suite is run on.
namespace harn::log {

// A folder of its own, gone at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Backend {
  const char* name;
  // A log of its own for each folder; the same one when it is opened again, if `lasts`.
  std::function<Result<std::unique_ptr<EventLog>>(const Folder& folder)> open;
  bool lasts;
};
std::ostream& operator<<(std::ostream& out, const Backend& backend);
std::vector<Backend> backends();
std::vector<Backend> lasting_backends();

class OnEveryBackend : public testing::TestWithParam<Backend> {
 protected:
  OnEveryBackend() : log(open()) {}

  std::unique_ptr<EventLog> open() {
    auto opened = GetParam().open(folder);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  Appended append(NewEvent event) {
    auto appended = append_now(*log, std::move(event));
    EXPECT_TRUE(appended) << appended.error().message;
    return appended.value_or(Appended{});
  }
  uint64_t append(const std::string& topic, const std::string& payload, int64_t at_ms = 0) {
    return append({.topic = topic, .kind = "k", .payload = payload, .headers = "", .at_ms = at_ms}).id;
  }
  std::vector<Event> read(const ReadRequest& request) {
    auto events = log->read(request);
    EXPECT_TRUE(events) << events.error().message;
    return events.value_or(std::vector<Event>{});
  }
  // "1:a 2:b"
  std::string shown(const ReadRequest& request) {
    std::string out;
    for (const Event& event : read(request)) {
      out += (out.empty() ? "" : " ") + std::to_string(event.id) + ":" + event.payload;
    }
    return out;
  }

  Folder folder;
  std::unique_ptr<EventLog> log;
};

}  // namespace harn::log
