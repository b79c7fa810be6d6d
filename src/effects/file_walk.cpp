#include "effects/file_walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "effects/directory.h"
#include "effects/glob.h"

namespace harn::effects {

namespace {

std::string joined(const std::string& directory, const std::string& name) {
  if (directory.empty() || directory.ends_with('/')) return directory + name;
  return directory + "/" + name;
}

// An entry below the root.
struct Found {
  std::string way;  // from the root
  int64_t depth = 0;
  unsigned char type = 0;
  Glob::States states = {};  // of a pattern after `way`
};

// Goes through a tree without recursion, and without a descriptor for each level: directories are opened by their way from
// the root. `visit(found)` says whether to go into a directory.
class Walk {
 public:
  Walk(const Errand& errand, const Descriptor& root, bool follows_links, Stop& stop)
      : errand_(errand), root_(root), follows_links_(follows_links), stop_(stop) {}

  template <class Visit>
  FileResult<void> run(Found first, Visit visit) {
    std::vector<Found> open = {std::move(first)};
    while (!open.empty()) {
      if (stop_.is_requested()) return file_failed(ECANCELED);
      Found at = std::move(open.back());
      open.pop_back();
      if (!visit(at) || at.type != DT_DIR) continue;
      auto inner = entries(at);
      if (!inner && inner.error().code == "ECANCELED") return std::unexpected(inner.error());
      if (!inner) continue;
      for (auto entry = inner->rbegin(); entry != inner->rend(); ++entry) {
        std::string way = joined(at.way, entry->name);
        unsigned char type = followed_type(way, entry->type);
        open.push_back({std::move(way), at.depth + 1, type, at.states});
      }
    }
    return {};
  }

 private:
  FileResult<Descriptor> open_inside(const std::string& way, int flags) {
    if (!follows_links_) flags |= O_NOFOLLOW;
    Descriptor opened(openat(root_.get(), way.empty() ? "." : way.c_str(), flags | O_CLOEXEC));
    if (!opened.is_open()) return file_failed(errno);
    HARN_CHECK(check(errand_, opened, way));
    return opened;
  }

  FileResult<std::vector<DirectoryEntry>> entries(const Found& at) {
    Descriptor directory = HARN_TRY(open_inside(at.way, O_RDONLY | O_DIRECTORY));
    struct stat info = HARN_TRY(info_of(directory));
    if (follows_links_ && !seen_.emplace(info.st_dev, info.st_ino).second) return std::vector<DirectoryEntry>();
    return entries_of(directory, stop_);
  }

  unsigned char followed_type(const std::string& way, unsigned char type) {
    if (type != DT_LNK || !follows_links_) return type;
    auto target = open_inside(way, O_PATH);
    if (!target) return type;
    auto info = info_of(*target);
    return info ? static_cast<unsigned char>(IFTODT(info->st_mode)) : type;
  }

  const Errand& errand_;
  const Descriptor& root_;
  bool follows_links_;
  Stop& stop_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

struct Root {
  Descriptor descriptor;
  unsigned char type = 0;
};

FileResult<std::shared_ptr<Root>> root_of(const Errand& errand, const std::string& path) {
  auto root = std::make_shared<Root>();
  root->descriptor = HARN_TRY(find(errand, path));
  root->type = static_cast<unsigned char>(IFTODT(HARN_TRY(info_of(root->descriptor)).st_mode));
  return root;
}

FileResult<WalkDirectory::Answer> walk(const Errand& errand, const WalkDirectory& request) {
  auto root = HARN_TRY(root_of(errand, request.path));
  return on_file_thread("a directory", Leave::AtOnce, [=](Stop& stop) -> FileResult<WalkDirectory::Answer> {
    WalkDirectory::Answer entries;
    auto visit = [&](const Found& at) {
      std::string path = at.way.empty() ? request.path : joined(request.path, at.way);
      entries.push_back({std::move(path), at.depth, at.type == DT_DIR, at.type == DT_REG});
      return at.depth < request.max_depth;
    };
    HARN_CHECK(Walk(errand, root->descriptor, request.follows_links, stop).run({.type = root->type}, visit));
    return entries;
  });
}

FileResult<MatchPaths::Answer> match(const Errand& errand, const MatchPaths& request, const Glob& glob) {
  bool directories_only = request.pattern.ends_with('/');
  auto root = HARN_TRY(root_of(errand, request.base));
  return on_file_thread("a directory", Leave::AtOnce, [=](Stop& stop) -> FileResult<MatchPaths::Answer> {
    MatchPaths::Answer paths;
    // The states that come with an entry are its directory's.
    auto visit = [&](Found& at) {
      if (at.depth == 0) return true;
      at.states = glob.after(std::move(at.states), std::string_view(at.way).substr(at.way.rfind('/') + 1));
      bool is_wanted = at.type == DT_DIR || !directories_only;
      if (is_wanted && glob.accepts(at.states)) paths.push_back(joined(request.base, at.way));
      at.states = glob.after(std::move(at.states), "/");
      return !at.states.is_dead();
    };
    Found first{.type = root->type, .states = glob.start()};
    HARN_CHECK(Walk(errand, root->descriptor, false, stop).run(std::move(first), visit));
    std::sort(paths.begin(), paths.end());
    return paths;
  });
}

}  // namespace

vm::Outcome<WalkDirectory::Answer> carry_out(Run& run, const WalkDirectory& request) {
  auto entries = walk(errand(run, request, "list", Access::Read), request);
  if (!entries) return file_error("walk_dir:", request.path, entries.error());
  return std::move(*entries);
}

vm::Outcome<MatchPaths::Answer> carry_out(Run& run, const MatchPaths& request) {
  std::string_view pattern = request.pattern;
  while (pattern.ends_with('/')) pattern.remove_suffix(1);
  auto glob = Glob::parse(pattern, request.with_hidden ? Glob::Hidden::Yes : Glob::Hidden::No);
  if (!glob) return vm::throw_text(ErrorKind::Invalid, "glob: {}", glob.error());
  auto paths = match(errand(run, request, "list", Access::Read), request, *glob);
  if (!paths) return file_error("glob:", request.base, paths.error());
  return std::move(*paths);
}

}  // namespace harn::effects
