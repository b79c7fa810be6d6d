#include "effects/file_changes.h"

#include <utility>

namespace harn::effects {

using Kind = FileChange::Kind;

void FileChanges::created(const std::string& path) {
  auto [at, is_first] = changes_.try_emplace(path, Change{.kind = Kind::Created});
  if (!is_first && at->second.kind == Kind::Deleted) at->second.kind = Kind::Modified;
}

void FileChanges::modified(const std::string& path) {
  changes_.try_emplace(path, Change{.kind = Kind::Modified, .was_there = true});
}

void FileChanges::deleted(const std::string& path) {
  auto [at, is_first] = changes_.try_emplace(path, Change{.kind = Kind::Deleted, .was_there = true});
  if (is_first) return;
  Change change = at->second;
  if (change.was_there) at->second = {.kind = Kind::Deleted, .was_there = true};
  else changes_.erase(at);
  if (change.kind == Kind::Moved) deleted(change.old_path);
}

void FileChanges::moved(const std::string& old_path, const std::string& path, bool replaced) {
  std::string origin = old_path;
  bool is_new = false;
  if (auto old = changes_.find(old_path); old != changes_.end()) {
    Change change = old->second;
    is_new = change.kind == Kind::Created;
    if (change.kind == Kind::Moved) origin = change.old_path;
    changes_.erase(old);
    if (change.kind == Kind::Moved && change.was_there) deleted(old_path);
  }
  if (auto target = changes_.find(path); target != changes_.end()) {
    Change change = target->second;
    replaced = change.was_there;
    changes_.erase(target);
    if (change.kind == Kind::Moved) deleted(change.old_path);
  }
  if (is_new) changes_[path] = {.kind = replaced ? Kind::Modified : Kind::Created, .was_there = replaced};
  else if (origin == path) changes_[path] = {.kind = Kind::Modified, .was_there = true};
  else changes_[path] = {.kind = Kind::Moved, .old_path = std::move(origin), .was_there = replaced};
}

void FileChanges::overflowed(const std::string& path) { overflowed_ = path; }

std::vector<FileChange> FileChanges::take() {
  std::vector<FileChange> all;
  if (!overflowed_.empty()) all.push_back({.kind = Kind::Overflow, .path = std::exchange(overflowed_, {})});
  for (auto& [path, change] : changes_) all.push_back({change.kind, path, std::move(change.old_path)});
  changes_.clear();
  return all;
}

}  // namespace harn::effects
