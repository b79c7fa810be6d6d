#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "effects/file_job.h"
#include "effects/places.h"

// The bytes of files, by descriptor. Everything waits in a way that a `Stop` ends, which is then ECANCELED.
namespace harn::effects {

// Up to the end. What has more than `most` bytes is an error, for a regular file before any of it is read.
FileResult<std::string> read_all(const Descriptor& file, uint64_t most, Stop& stop);
// The next bytes, at most `most`; none at the end.
FileResult<std::string> read_some(const Descriptor& file, size_t most, Stop& stop);
// All of it, a piece at a time, from the start where there is one; `visit` may end that.
using VisitPiece = std::function<FileResult<void>(std::string_view piece)>;
FileResult<void> read_pieces(const Descriptor& file, Stop& stop, const VisitPiece& visit);
FileResult<void> write_all(const Descriptor& file, std::string_view bytes, Stop& stop);
FileResult<void> copy_all(const Descriptor& from, const Descriptor& to, Stop& stop);

// Puts what `fill` writes in the place of a file, or makes one. A regular file is replaced at once, by one that is complete: who
// reads it meanwhile, and what is there after a crash or with a full disk, is either the old one or the new one. The new one has
// the old one's mode and owner, or `mode`. A FIFO or device is written to, and so is a file in a directory where nothing can be
// made.
using Fill = std::function<FileResult<void>(const Descriptor& to)>;
FileResult<void> write_whole(const Place& place, std::optional<mode_t> mode, const Fill& fill, Stop& stop);

// For adding to the end; makes the file.
FileResult<Descriptor> open_to_append(const Place& place, Stop& stop);

}  // namespace harn::effects
