#include "cli/files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>

#include "base/fmt.h"
#include "base/replace_file.h"
#include "engine/prompts.h"
#include "modules/path.h"

namespace harn::cli {

using engine::io_error;

namespace {

Result<void> written(const std::string& path, std::error_code failed) {
  if (!failed) return {};
  errno = failed.value();
  return io_error("write", path);
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view text) {
  // A read-only file must stay as it is, though its directory would let us replace it.
  if (access(path.c_str(), W_OK) != 0) return io_error("write", path);
  return written(path, harn::replace_file(path, text, Durability::Synced));
}

Result<void> write_private_file(const std::string& path, std::string_view bytes) {
  return written(path, harn::replace_file(path, bytes, Durability::Synced, Readers::OwnerOnly));
}

Result<void> write_file(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  return out ? Result<void>() : io_error("write", path);
}

namespace {

// Directories reached through symbolic links are not entered: they may lead back.
Result<void> add_sources_below(const std::string& directory, Templates templates, std::vector<std::string>& out,
                               int depth) {
  constexpr int kDeepest = 64;
  if (depth > kDeepest) return {};
  DIR* handle = opendir(directory.c_str());
  if (!handle) return io_error("read", directory);
  std::vector<std::pair<std::string, bool>> entries;
  while (dirent* entry = readdir(handle)) {
    std::string name = entry->d_name;
    if (name.starts_with('.')) continue;
    std::string path = modules::path::join(directory, name);
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) entries.emplace_back(path, true);
    bool is_wanted = name.ends_with(".harn") || (templates == Templates::Yes && engine::is_template_path(name));
    if (!S_ISDIR(info.st_mode) && is_wanted && !is_directory(path)) entries.emplace_back(path, false);
  }
  closedir(handle);
  std::sort(entries.begin(), entries.end());
  for (auto& [path, is_directory] : entries) {
    if (is_directory) HARN_CHECK(add_sources_below(path, templates, out, depth + 1));
    else out.push_back(path);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> find_sources(const std::vector<std::string_view>& paths, Templates templates) {
  std::vector<std::string> out;
  for (std::string_view given : paths) {
    std::string path(given);
    if (!is_directory(path)) {
      if (!exists(path)) return io_error("read", path);
      out.push_back(std::move(path));
      continue;
    }
    size_t before = out.size();
    HARN_CHECK(add_sources_below(path, templates, out, 0));
    if (out.size() == before) {
      return fail(ErrorKind::NotFound, fmt::format("no .harn files in {}", path));
    }
  }
  std::set<std::string> seen;
  std::erase_if(out, [&](const std::string& path) { return !seen.insert(modules::path::normalize(path)).second; });
  return out;
}

}  // namespace harn::cli
