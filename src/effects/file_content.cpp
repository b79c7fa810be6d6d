#include "effects/file_content.h"

#include <cerrno>

#include "base/result.h"
#include "base/text.h"
#include "compress/pieces.h"
#include "crypto/digest.h"
#include "effects/file_io.h"

namespace harn::effects {

namespace {

struct Source {
  Descriptor descriptor;
  struct stat info = {};
};

FileResult<std::shared_ptr<Source>> open_source(Errand errand, const std::string& path) {
  errand.access = Access::Read;
  auto source = std::make_shared<Source>();
  source->descriptor = HARN_TRY(open_to_read(errand, path));
  source->info = HARN_TRY(info_of(source->descriptor));
  if (S_ISDIR(source->info.st_mode)) return file_failed(EISDIR);
  return source;
}

std::unexpected<FileFailure> failed(const Error& error) {
  return std::unexpected(FileFailure{error.kind, "", error.message});
}

FileResult<std::string> hash(const Errand& errand, const HashFile& request) {
  auto source = HARN_TRY(open_source(errand, request.path));
  return on_file_thread("a file", leave_of(source->info),
                        [source, name = request.digest](Stop& stop) -> FileResult<std::string> {
                          auto digest = crypto::Digest::start(name);
                          if (!digest) return failed({ErrorKind::Unsupported, digest.error()});
                          HARN_CHECK(read_pieces(source->descriptor, stop, [&](std::string_view piece) {
                            digest->add(piece);
                            return FileResult<void>();
                          }));
                          return digest->finish();
                        });
}

// Writes what a codec gives to a file. The codec knows nothing of files: why one could not be written is kept here.
class Target {
 public:
  Target(const Descriptor& file, uint64_t most, Stop& stop) : file_(file), most_(most), stop_(stop) {}

  Result<void> write(std::string_view piece) {
    if (piece.size() > most_ - written_) {
      return fail(ErrorKind::Limit, fmt::format("more than {} bytes would come out; max_bytes allows more", most_));
    }
    if (auto written = write_all(file_, piece, stop_); !written) {
      failure_ = std::move(written).error();
      return fail(ErrorKind::Io, {});
    }
    written_ += piece.size();
    return {};
  }
  FileResult<void> outcome(Result<void> result) {
    if (result) return {};
    return failure_ ? std::unexpected(*failure_) : failed(result.error());
  }
  uint64_t written() const { return written_; }

 private:
  const Descriptor& file_;
  uint64_t most_;
  Stop& stop_;
  uint64_t written_ = 0;
  std::optional<FileFailure> failure_;
};

FileResult<void> pack(const Source& source, Target& target, int level, Stop& stop) {
  auto sink = [&](std::string_view piece) { return target.write(piece); };
  auto writer = compress::GzipWriter::create(level);
  if (!writer) return failed(writer.error());
  HARN_CHECK(read_pieces(source.descriptor, stop,
                         [&](std::string_view piece) { return target.outcome(writer->add(piece, sink)); }));
  return target.outcome(writer->finish(sink));
}

FileResult<void> unpack(const Source& source, Target& target, Stop& stop) {
  auto sink = [&](std::string_view piece) { return target.write(piece); };
  auto reader = compress::GzipReader::create();
  if (!reader) return failed(reader.error());
  HARN_CHECK(read_pieces(source.descriptor, stop,
                         [&](std::string_view piece) { return target.outcome(reader->add(piece, sink)); }));
  return target.outcome(reader->finish());
}

// What the builtins for values in memory allow, without the bound of memory.
uint64_t most_of(const PackFile& request, const Source& source) {
  constexpr uint64_t kAlways = 64 << 20, kRatio = 250;
  if (!request.unpacks) return UINT64_MAX;
  if (request.most_bytes > 0) return static_cast<uint64_t>(request.most_bytes);
  return std::max(kAlways, static_cast<uint64_t>(source.info.st_size) * kRatio);
}

FileResult<int64_t> convert(const Errand& errand, const PackFile& request) {
  auto source = HARN_TRY(open_source(errand, request.from));
  auto place = std::make_shared<Place>(HARN_TRY(locate(errand, request.to, LastLink::Follow)));
  return on_file_thread("a file", Leave::AfterTheEnd, [=](Stop& stop) -> FileResult<int64_t> {
    uint64_t written = 0;
    auto fill = [&](const Descriptor& to) -> FileResult<void> {
      Target target(to, most_of(request, *source), stop);
      HARN_CHECK(request.unpacks ? unpack(*source, target, stop)
                                 : pack(*source, target, static_cast<int>(request.level), stop));
      written = target.written();
      return {};
    };
    HARN_CHECK(write_whole(*place, std::nullopt, fill, stop));
    return static_cast<int64_t>(written);
  });
}

}  // namespace

vm::Outcome<std::string> carry_out(Run& run, const HashFile& request) {
  auto sum = hash(errand(run, request, "read", Access::Read), request);
  if (!sum) return file_error("Failed to read file", request.path, sum.error());
  return std::move(*sum);
}

vm::Outcome<int64_t> carry_out(Run& run, const PackFile& request) {
  auto written = convert(errand(run, request, request.unpacks ? "unpack" : "pack", Access::Write), request);
  if (written) return *written;
  FileFailure failure = std::move(written).error();
  if (!failure.is_whole) {
    failure.reason = fmt::format("{}: {} to {}: {}", request.builtin, text::to_valid_utf8(request.from),
                                 text::to_valid_utf8(request.to), failure.reason);
    failure.is_whole = true;
  }
  return file_error("", request.from, failure);
}

}  // namespace harn::effects
