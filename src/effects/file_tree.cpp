#include "effects/file_tree.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "effects/directory.h"
#include "effects/file_io.h"
#include "effects/git_files.h"

namespace harn::effects {

namespace {

FileResult<std::vector<std::string>> list(const Errand& errand, const std::string& path) {
  auto directory = std::make_shared<Descriptor>(HARN_TRY(open_directory(errand, path)));
  return on_file_thread("a directory", Leave::AtOnce, [directory](Stop& stop) -> FileResult<std::vector<std::string>> {
    std::vector<std::string> names;
    for (DirectoryEntry& entry : HARN_TRY(entries_of(*directory, stop))) names.push_back(std::move(entry.name));
    return names;
  });
}

// ---- making ----

// Makes one and opens it; one that is there is opened.
FileResult<Descriptor> make_step(const Errand& errand, const Descriptor& in, const std::string& name,
                                 const std::string& path) {
  HARN_CHECK(check_name(errand, in, name, path));
  if (mkdirat(in.get(), name.c_str(), 0777) != 0 && errno != EEXIST) return file_failed(errno);
  Descriptor made(openat(in.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!made.is_open()) return file_failed(errno);
  HARN_CHECK(check(errand, made, path));
  return made;
}

// From the part of the path that is there on.
FileResult<void> make(const Errand& errand, const std::string& path) {
  std::vector<std::string> missing;
  std::string at = path;
  FileResult<Descriptor> found = find(errand, at);
  while (!found && found.error().code == "ENOENT" && !at.empty()) {
    while (at.size() > 1 && at.ends_with('/')) at.pop_back();
    size_t slash = at.rfind('/');
    missing.push_back(at.substr(slash + 1));
    at = slash == std::string::npos ? "." : at.substr(0, slash + 1);
    found = find(errand, at);
  }
  Descriptor in = HARN_TRY(std::move(found));
  if (missing.empty() && !S_ISDIR(HARN_TRY(info_of(in)).st_mode)) return file_failed(EEXIST);
  for (; !missing.empty(); missing.pop_back()) in = HARN_TRY(make_step(errand, in, missing.back(), path));
  return {};
}

// ---- copying ----

FileResult<void> copy(const Errand& errand, const CopyFile& request) {
  Errand reading = errand;
  reading.access = Access::Read;
  auto from = std::make_shared<Descriptor>(HARN_TRY(open_to_read(reading, request.from)));
  struct stat info = HARN_TRY(info_of(*from));
  if (S_ISDIR(info.st_mode)) return file_failed(EISDIR);
  auto place = std::make_shared<Place>(HARN_TRY(locate(errand, request.to, LastLink::Follow)));
  std::optional<mode_t> mode = S_ISREG(info.st_mode) ? std::optional(info.st_mode) : std::nullopt;
  return on_file_thread("a copy of a file", Leave::AfterTheEnd, [from, place, mode](Stop& stop) {
    return write_whole(
        *place, mode, [&](const Descriptor& to) { return copy_all(*from, to, stop); }, stop);
  });
}

struct Move {
  FileResult<void> done;
  bool was_copy = false;
};

Move move(const Errand& errand, const CopyFile& request) {
  auto from = locate(errand, request.from, LastLink::Keep);
  if (!from) return {std::unexpected(from.error())};
  auto to = locate(errand, request.to, LastLink::Keep);
  if (!to) return {std::unexpected(to.error())};
  int source = from->directory.get();
  if (renameat(source, from->name.c_str(), to->directory.get(), to->name.c_str()) == 0) return {};
  if (errno != EXDEV) return {file_failed(errno)};
  auto copied = copy(errand, request);
  if (copied && unlinkat(source, from->name.c_str(), 0) != 0) copied = file_failed(errno);
  return {std::move(copied), true};
}

}  // namespace

vm::Outcome<std::vector<std::string>> carry_out(Run& run, const ListDirectory& request) {
  auto names = list(errand(run, request, "list", Access::Read), request.path);
  if (!names) return file_error("Failed to list directory", request.path, names.error());
  return std::move(*names);
}

vm::Outcome<Done> carry_out(Run& run, const MakeDirectory& request) {
  auto made = make(errand(run, request, "create", Access::Write), request.path);
  if (!made) return file_error("Failed to create directory", request.path, made.error());
  return Done();
}

vm::Outcome<Done> carry_out(Run& run, const DeleteFile& request) {
  std::string path = request.path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  auto place = locate(errand(run, request, "delete", Access::Write), path, LastLink::Keep);
  if (!place) return file_error("Failed to delete file", request.path, place.error());
  // A directory has to be removed from the one it is in, which `.` does not name.
  if (place->name == ".") return file_error("Failed to delete directory", request.path, failure_of(EINVAL));
  if (!place->exists || !S_ISDIR(place->info.st_mode)) {
    if (unlinkat(place->directory.get(), place->name.c_str(), 0) == 0) return Done();
    return file_error("Failed to delete file", request.path, failure_of(errno));
  }
  auto tree = std::make_shared<Place>(std::move(*place));
  auto removed =
      on_file_thread("a directory", Leave::AfterTheEnd, [tree](Stop& stop) { return remove_tree(*tree, stop); });
  if (!removed) return file_error("Failed to delete directory", request.path, removed.error());
  return Done();
}

vm::Outcome<Done> carry_out(Run& run, const CopyFile& request) {
  Errand who = errand(run, request, request.moves ? "move" : "copy", Access::Write);
  Move moved = request.moves ? move(who, request) : Move{copy(who, request)};
  if (moved.done) return Done();
  const FileFailure& failure = moved.done.error();
  std::string reason = failure.is_whole ? failure.reason
                       : moved.was_copy ? fmt::format("move_file: copy failed: {}", failure.reason)
                                        : fmt::format("Failed to {} {} to {}: {}", request.moves ? "move" : "copy",
                                                      text::to_valid_utf8(request.from),
                                                      text::to_valid_utf8(request.to), failure.reason);
  return file_error("", request.from, {failure.kind, failure.code, std::move(reason), true});
}

}  // namespace harn::effects
