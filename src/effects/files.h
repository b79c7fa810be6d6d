#pragma once

#include "effects/errand.h"
#include "effects/perform.h"

// What is in files, and which there are.
//
// Small regular files are read, and added to, where the task is: on a disk that is there that does not block noticeably, and
// costs less than another thread. Everything else runs on threads of its own (file_job.h): large files, FIFOs and devices, whole
// directories. A task that is told to stop leaves a read at once; a change is waited for, and either took place or did not.
namespace harn::effects {

struct ReadFile : FileErrand {
  using Answer = std::string;  // the bytes
  static constexpr EffectRow row{.name = "file.read", .capability = vm::Capability::FileRead};

  std::string path;
  std::string failure = "Failed to read file";  // begins the message; "PATH: REASON" follows

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<std::string> carry_out(Run& run, const ReadFile& request);

// Puts the bytes in place of what is there, all or none of them; or adds them to the end.
struct WriteFile : FileErrand {
  using Answer = Done;
  static constexpr EffectRow row{.name = "file.write", .capability = vm::Capability::FileWrite};

  std::string path;
  std::string bytes;
  bool appends = false;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path), visit(bytes), visit(appends);
  }
};
vm::Outcome<Done> carry_out(Run& run, const WriteFile& request);

struct PathExists : FileErrand {
  using Answer = bool;
  static constexpr EffectRow row{.name = "fs.exists", .capability = vm::Capability::FileInfo};

  std::string path;
  bool outside_is_missing = false;  // what the workspace does not allow counts as missing, and is no error

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<bool> carry_out(Run& run, const PathExists& request);

struct AskFile : FileErrand {
  struct Answer {
    int64_t size = 0;
    int64_t modified_ns = 0;  // since 1970
    bool is_file = false;
    bool is_directory = false;
    bool is_read_only = false;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(size), visit(modified_ns), visit(is_file), visit(is_directory), visit(is_read_only);
    }
  };
  static constexpr EffectRow row{.name = "file.stat", .capability = vm::Capability::FileInfo};

  std::string path;

  std::string shown() const { return path; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(path);
  }
};
vm::Outcome<AskFile::Answer> carry_out(Run& run, const AskFile& request);

struct CurrentDirectory {
  using Answer = std::string;
  static constexpr EffectRow row{.name = "fs.current_directory", .capability = vm::Capability::FileInfo};

  std::string shown() const { return "the current directory"; }
  template <class Visitor>
  void fields(Visitor&) {}
};
vm::Outcome<std::string> carry_out(Run& run, const CurrentDirectory& request);

}  // namespace harn::effects
