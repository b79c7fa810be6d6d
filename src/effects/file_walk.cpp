#include "effects/file_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

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
  int64_t size = -1;
  int64_t modified_ns = -1;
};

// A directory that cannot be read is left out. These are about us, and what is left out because of them would be missed.
bool ends_walk(const FileFailure& failure) {
  for (std::string_view code : {"ECANCELED", "EMFILE", "ENFILE", "ENOMEM", "EIO"}) {
    if (failure.code == code) return true;
  }
  return false;
}

// Goes through a tree without recursion, and without a descriptor for each level: directories are opened by their way from
// the root. `visit(found)` says whether to go into a directory.
class Walk {
 public:
  Walk(const Errand& errand, const Descriptor& root, bool follows_links, Stop& stop, bool with_stats = false)
      : errand_(errand), root_(root), follows_links_(follows_links), with_stats_(with_stats), stop_(stop) {}

  template <class Visit>
  FileResult<void> run(Found first, Visit visit) {
    std::vector<Found> open = {std::move(first)};
    while (!open.empty()) {
      if (stop_.is_requested()) return file_failed(ECANCELED);
      Found at = std::move(open.back());
      open.pop_back();
      if (!visit(at) || at.type != DT_DIR) continue;
      size_t first = open.size();
      auto added = add_entries(at, open);
      if (!added && ends_walk(added.error())) return std::unexpected(added.error());
      std::reverse(open.begin() + static_cast<ptrdiff_t>(first), open.end());
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

  FileResult<void> add_entries(const Found& at, std::vector<Found>& open) {
    Descriptor directory = HARN_TRY(open_inside(at.way, O_RDONLY | O_DIRECTORY));
    struct stat info = HARN_TRY(info_of(directory));
    if (follows_links_ && !seen_.emplace(info.st_dev, info.st_ino).second) return {};
    for (const DirectoryEntry& entry : HARN_TRY(entries_of(directory, stop_))) {
      std::string way = joined(at.way, entry.name);
      unsigned char type = followed_type(way, entry.type);
      Found found{std::move(way), at.depth + 1, type, at.states};
      if (with_stats_ && entry.type == DT_REG &&
          fstatat(directory.get(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
        found.size = info.st_size;
        found.modified_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
      }
      open.push_back(std::move(found));
    }
    return {};
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
  bool with_stats_;
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
      entries.push_back({std::move(path), at.depth, at.type == DT_DIR, at.type == DT_REG, at.size, at.modified_ns});
      return at.depth < request.max_depth;
    };
    Walk walk(errand, root->descriptor, request.follows_links, stop, request.with_stats);
    HARN_CHECK(walk.run({.type = root->type}, visit));
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
