#pragma once

#include <string>
#include <string_view>
#include <system_error>

// Files that others may read, copy or edit at any moment: they see the old contents or the new, never a part.
//
//   if (std::error_code failed = replace_file(path, text, Durability::Synced)) return io_error(path, failed.message());
//
// The bytes go to a temporary file beside the old one (`.NAME.*.tmp`), which is then renamed over it. May be called on
// any thread; blocks, so tasks call it on `run_blocking` (vm/job_pool.h). When it fails, the old file is as it was and
// the temporary one is gone.
namespace harn {

enum class Durability : unsigned char {
  Renamed,  // survives the end of the process
  Synced,   // survives the end of power, too: the file and its folder are synced
};

enum class Readers : unsigned char {
  AsBefore,   // who could read the file that is replaced: its mode and, if possible, its owner; as usual for a new one
  OwnerOnly,  // nobody but its owner
};

// The folder must exist. A symbolic link stays one, and what it leads to is replaced. What is there and no file (a device, a
// FIFO, a directory) stays, and it fails.
[[nodiscard]] std::error_code replace_file(const std::string& path, std::string_view bytes, Durability durability,
                                           Readers readers = Readers::AsBefore);

// Makes the folder and all above it that are missing.
[[nodiscard]] std::error_code make_folders(const std::string& path);

// Keeps other processes, and other holders in this one, from changing what a lock file stands for. The file stays.
class FileLock {
 public:
  // Waits until nobody else holds it. The lock file is made if it is not there.
  FileLock(const std::string& path, std::error_code& failed);
  ~FileLock();
  FileLock(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace harn
