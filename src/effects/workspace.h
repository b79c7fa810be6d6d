#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Which part of the file system a run may use.
//
// A path says nothing about where it leads: `..` and links in any part of it do. So what is checked is never a path but what a
// descriptor is open on (places.h), by the path that the system has for that; and what was checked is what is used. A file
// inside that has a second name outside (a hard link) cannot be told from another one inside.
namespace harn::effects {

enum class Access : uint8_t { Read, Write };

struct WorkspaceRoots {
  std::vector<std::string> roots;        // to read and to write
  std::vector<std::string> read_only;    // to read, besides
  std::vector<std::string> hidden = {};  // folders inside that are closed all the same

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(roots), visit(read_only), visit(hidden);
  }
};

// Never changes once it is made, so that all threads can use it.
class Workspace {
 public:
  // What is inside both. Roots are taken as they are now: without links, from the top. One that does not exist has nothing in
  // it.
  static std::shared_ptr<const Workspace> within(std::shared_ptr<const Workspace> outer, const WorkspaceRoots& roots);

  // Of the path that the system has for something, without links.
  bool allows(std::string_view real_path, Access access) const;
  // Whether a folder is inside; links in its path are followed.
  bool holds(const std::string& folder) const;
  // The folders that `allows` means, for those who can only be given folders: the kernel, which holds children to them. What is
  // read-only inside of what is not cannot be said that way, and is left writable there.
  WorkspaceRoots reachable() const;
  // Those it is made of, from the innermost: `within` each of them, in any order, is the same again.
  std::vector<WorkspaceRoots> all_roots() const;
  // "[/home/me/project]"; of the innermost.
  std::string shown() const;

 private:
  std::shared_ptr<const Workspace> outer_;  // null: everything
  WorkspaceRoots roots_;
};

}  // namespace harn::effects
