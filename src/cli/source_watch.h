#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

// `--watch`: a command that runs again whenever the sources it is about have changed.
namespace harn::cli {

// Folders with all that is below them, hidden ones left out. Nothing that happens after it was made is missed. One thread.
class SourceWatch {
 public:
  static Result<SourceWatch> over(const std::vector<std::string>& folders);
  // Waits until a program, a template or a manifest was written, made, moved or removed, and nothing more has happened
  // for a moment: an editor writes several files, or one in several steps.
  Result<void> wait();

 private:
  Result<void> add(const std::string& folder, int depth);
  Result<bool> read_events();  // whether one of them matters

  Descriptor inotify_;
};

// Runs `once` now, and again after each change in the projects of `paths` (files or folders; none: the working directory).
// Returns only when that cannot be watched: Ctrl-C ends the process.
int repeat_on_change(const std::vector<std::string>& paths, const std::function<void()>& once);

}  // namespace harn::cli
