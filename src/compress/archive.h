#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compress/codec.h"

// Archives in memory. Plain functions for any thread.
//
// Reading takes archives for hostile. A path that is absolute or has a `..`, a link, a device: the whole archive is refused
// (Denied), since whoever packed it meant to write elsewhere. Sizes are compared with what is there, and with what is allowed,
// before memory is asked for. Folders are left out: the paths of files say all there is.
namespace harn::compress {

struct Entry {
  std::string path;
  std::string content;
  int64_t mode = 0644;  // tar only
};

// Whether a path stays in the folder that an archive is unpacked to, or why not: "`../x` leaves its folder".
Result<void> check_entry_path(std::string_view path);

// The same bytes for the same entries: times and owners are zero.
Result<std::string> tar_create(const std::vector<Entry>& entries, const Progress& progress);
// ustar, with the long names of POSIX (pax) and GNU.
Result<std::vector<Entry>> tar_extract(std::string_view bytes, const Progress& progress);

Result<std::string> zip_create(const std::vector<Entry>& entries, const Progress& progress);
// Stored and deflated entries, in Zip64 format, too; those of other methods and encrypted ones are Unsupported.
Result<std::vector<Entry>> zip_extract(std::string_view bytes, const Allowance& allowed, const Progress& progress);

}  // namespace harn::compress
