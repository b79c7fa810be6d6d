#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "effects/file_failure.h"
#include "effects/workspace.h"

// Where paths lead, as descriptors.
//
// Everything here looks a path up once, and hands out a descriptor of what it found, which a workspace has allowed by then. What
// is done is done to that descriptor: nothing is looked up again by a name that may meanwhile lead elsewhere. Opening never
// waits (a FIFO is opened without its other end) and changes nothing. All functions may be called on any thread.
namespace harn::effects {

// Who wants what of a path.
struct Errand {
  std::shared_ptr<const Workspace> workspace;  // null: anywhere
  std::string builtin;                         // "read_file"
  std::string verb;                            // "read"
  Access access = Access::Read;
};

// What a path leads to, following links; for nothing but to ask about it, to open it, or to begin other paths with.
FileResult<Descriptor> find(const Errand& errand, const std::string& path);
// The same for reading. Reads of it do not block.
FileResult<Descriptor> open_to_read(const Errand& errand, const std::string& path);
// The same for a directory whose entries are to be read.
FileResult<Descriptor> open_directory(const Errand& errand, const std::string& path);

// A name in a directory, whether there is such an entry or not. It is no link at the time.
struct Place {
  Descriptor directory;
  std::string name;  // without slashes; "." for a path that ends in a directory itself
  bool exists = false;
  struct stat info = {};
  Descriptor object;  // open where the path led through a link that has no text, such as /dev/stdout
};
// The place at the end of a path: of the link itself, or of what that leads to.
enum class LastLink : uint8_t { Keep, Follow };
FileResult<Place> locate(const Errand& errand, const std::string& path, LastLink last);

// Opens what a descriptor of `find` is on.
FileResult<Descriptor> reopen(const Descriptor& found, int flags);
// Whether the workspace allows what the descriptor is on.
FileResult<void> check(const Errand& errand, const Descriptor& found, const std::string& path);

FileResult<struct stat> info_of(const Descriptor& file);

}  // namespace harn::effects
