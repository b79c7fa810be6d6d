#include "effects/watched_tree.h"

#include <dirent.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fmt.h"
#include "base/result.h"
#include "effects/directory.h"

namespace harn::effects {

namespace {

constexpr uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
                             IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

std::string joined(const std::string& directory, std::string_view name) {
  if (directory.empty() || directory.ends_with('/')) return fmt::format("{}{}", directory, name);
  return fmt::format("{}/{}", directory, name);
}

// The machine bounds both the watches and the users of inotify.
std::unexpected<FileFailure> no_more(const char* what) {
  return std::unexpected(
      FileFailure{ErrorKind::Limit, "ENOSPC",
                  fmt::format("the system allows no more watches; `fs.inotify.{}` says how many", what)});
}

// A directory that is gone, or was replaced, before it could be looked at is no failure: that is told, too.
bool is_gone(const FileFailure& failure) {
  return failure.code == "ENOENT" || failure.code == "ENOTDIR" || failure.code == "EACCES" || failure.code == "sandbox";
}

// Takes what is at a way and below it out of a map; the keys are what follows the way.
template <class Mapped>
std::map<std::string, Mapped> take_tree(std::map<std::string, Mapped>& all, const std::string& way) {
  std::map<std::string, Mapped> tree;
  auto take = [&](auto at) {
    tree.emplace(at->first.substr(way.size()), std::move(at->second));
    return all.erase(at);
  };
  if (auto self = all.find(way); self != all.end()) take(self);
  std::string below = way + "/";
  for (auto at = all.lower_bound(below); at != all.end() && at->first.starts_with(below);) at = take(at);
  return tree;
}

}  // namespace

bool WatchedTree::Event::is_directory() const { return (mask & IN_ISDIR) != 0; }

WatchedTree::WatchedTree(Errand errand, Depth depth) : errand_(std::move(errand)), depth_(depth) {}

FileResult<std::shared_ptr<WatchedTree>> WatchedTree::open(Errand errand, const std::string& path, Depth depth,
                                                           Stop& stop) {
  std::shared_ptr<WatchedTree> tree(new WatchedTree(std::move(errand), depth));
  tree->path_ = path;
  auto info = info_of(HARN_TRY(find(tree->errand_, path)));
  if (!info) return std::unexpected(info.error());
  if (!S_ISDIR(info->st_mode)) {
    // By its directory: programs write files by putting others in their place.
    size_t slash = path.rfind('/');
    tree->only_ = path.substr(slash + 1);
    tree->path_ = slash == path.npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
    tree->depth_ = Depth::Entries;
  }
  auto inotify = std::make_shared<const Descriptor>(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify->is_open() && errno == EMFILE) return no_more("max_user_instances");
  if (!inotify->is_open()) return file_failed(errno);
  tree->inotify_ = std::move(inotify);
  HARN_CHECK(tree->begin_again(stop));
  return tree;
}

std::string WatchedTree::path_of(const std::string& way) const {
  // The current directory as a program would write what is in it.
  if (!only_.empty() && path_ == ".") return way;
  return way.empty() ? path_ : joined(path_, way);
}

// ---- what is watched ----

// One directory, and what is in it.
FileResult<void> WatchedTree::add(const std::string& way, Stop& stop) {
  Descriptor directory = HARN_TRY(open_directory(errand_, way.empty() ? path_ : joined(path_, way)));
  std::string link = fmt::format("/proc/self/fd/{}", directory.get());
  int watch = inotify_add_watch(inotify_->get(), link.c_str(), kEvents);
  if (watch < 0 && errno == ENOSPC) return no_more("max_user_watches");
  if (watch < 0) return file_failed(errno);
  ways_[watch] = way;
  watches_[way] = watch;
  // After the watch began, so that what appears from now on is seen, if twice.
  for (const DirectoryEntry& entry : HARN_TRY(entries_of(directory, stop))) {
    std::string inner = joined(way, entry.name);
    if (!only_.empty() && inner != only_) continue;
    if (entries_.emplace(inner, entry.type == DT_DIR).second) changes_.created(path_of(inner));
  }
  return {};
}

FileResult<void> WatchedTree::add_all(std::string way, Stop& stop) {
  std::vector<std::string> open = {std::move(way)};
  while (!open.empty()) {
    std::string at = std::move(open.back());
    open.pop_back();
    auto added = add(at, stop);
    if (!added && !(is_gone(added.error()) && !at.empty())) return added;
    if (!added || depth_ == Depth::Entries) continue;
    std::string below = at.empty() ? "" : at + "/";
    for (auto entry = entries_.lower_bound(below); entry != entries_.end() && entry->first.starts_with(below);
         ++entry) {
      bool is_inside = entry->first.find('/', below.size()) == std::string::npos;
      if (entry->second && is_inside && !watches_.contains(entry->first)) open.push_back(entry->first);
    }
  }
  return {};
}

FileResult<void> WatchedTree::begin_again(Stop& stop) {
  ways_.clear();
  watches_.clear();
  entries_.clear();
  HARN_CHECK(add_all("", stop));
  changes_.take();
  return {};
}

// ---- what happens ----

FileResult<std::vector<FileChange>> WatchedTree::changes(Stop& stop) {
  HARN_CHECK(read_events(stop));
  settle_gone();
  return changes_.take();
}

FileResult<void> WatchedTree::read_events(Stop& stop) {
  alignas(inotify_event) char buffer[64 * 1024];
  while (!is_over_) {
    ssize_t size = read(inotify_->get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return {};
    if (size < 0) return file_failed(errno);
    for (char* at = buffer; at < buffer + size && !is_over_;) {
      inotify_event head;
      std::memcpy(&head, at, sizeof head);
      std::string name = head.len > 0 ? at + sizeof head : "";
      at += sizeof head + head.len;
      HARN_CHECK(take(head.wd, {head.mask, head.cookie, std::move(name)}, stop));
    }
  }
  return {};
}

FileResult<void> WatchedTree::take(int watch, Event event, Stop& stop) {
  if (event.mask & IN_Q_OVERFLOW) {
    HARN_CHECK(begin_again(stop));
    changes_.overflowed(path_of(only_));
    return {};
  }
  auto directory = ways_.find(watch);
  if (directory == ways_.end()) return {};
  bool is_root = directory->second.empty();
  if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) && is_root) {
    changes_.deleted(path_of(only_));
    is_over_ = true;
    return {};
  }
  if (event.mask & IN_IGNORED) {
    auto known = watches_.find(directory->second);
    if (known != watches_.end() && known->second == watch) watches_.erase(known);
    ways_.erase(directory);
    return {};
  }
  if (event.way.empty()) return {};
  event.way = joined(directory->second, event.way);
  if (!only_.empty() && event.way != only_) return {};
  if (event.mask & IN_MODIFY) changes_.modified(path_of(event.way));
  if (event.mask & IN_DELETE) forget(event.way);
  if (event.mask & IN_MOVED_FROM) {
    settle_gone();
    gone_ = {event.cookie, event.way};
  }
  if (event.mask & (IN_CREATE | IN_MOVED_TO)) return appeared(event, stop);
  return {};
}

FileResult<void> WatchedTree::appeared(const Event& event, Stop& stop) {
  if (event.mask & IN_MOVED_TO && gone_ && gone_->cookie == event.cookie) {
    moved(std::exchange(gone_, std::nullopt)->way, event.way);
    return {};
  }
  bool is_known = !entries_.emplace(event.way, event.is_directory()).second;
  if (!is_known) changes_.created(path_of(event.way));
  // A name that was known has been given to another file. One that was made was found by looking before it was told.
  else if (event.mask & IN_MOVED_TO) changes_.modified(path_of(event.way));
  if (!event.is_directory() || depth_ == Depth::Entries || watches_.contains(event.way)) return {};
  return add_all(event.way, stop);
}

void WatchedTree::moved(const std::string& from, const std::string& to) {
  bool replaced = !take_tree(entries_, to).empty();
  for (auto& [rest, is_directory] : take_tree(entries_, from)) entries_.emplace(to + rest, is_directory);
  for (auto& [rest, watch] : take_tree(watches_, from)) {
    watches_[to + rest] = watch;
    ways_[watch] = to + rest;
  }
  changes_.moved(path_of(from), path_of(to), replaced);
}

void WatchedTree::forget(const std::string& way) {
  take_tree(entries_, way);
  // One that was moved elsewhere is there still, and so would be its watches.
  for (auto& [rest, watch] : take_tree(watches_, way)) {
    inotify_rm_watch(inotify_->get(), watch);
    ways_.erase(watch);
  }
  changes_.deleted(path_of(way));
}

void WatchedTree::settle_gone() {
  if (auto gone = std::exchange(gone_, std::nullopt)) forget(gone->way);
}

}  // namespace harn::effects
