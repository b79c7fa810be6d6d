#include "backends.h"

#include <stdlib.h>

#include <filesystem>

namespace harn::log {

Folder::Folder() : path_(testing::TempDir() + "harn-log-XXXXXX") { EXPECT_NE(mkdtemp(path_.data()), nullptr); }

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::ostream& operator<<(std::ostream& out, const Backend& backend) { return out << backend.name; }

std::vector<Backend> backends() {
  return {
      {"memory", [](const Folder&) -> Result<std::unique_ptr<EventLog>> { return new_memory_log(); }, false},
      {"sqlite", [](const Folder& folder) { return open_sqlite_log(folder.path("events.sqlite")); }, true},
      {"file", [](const Folder& folder) { return open_file_log(folder.path("events")); }, true},
  };
}

std::vector<Backend> lasting_backends() {
  std::vector<Backend> out = backends();
  std::erase_if(out, [](const Backend& backend) { return !backend.lasts; });
  return out;
}

}  // namespace harn::log
