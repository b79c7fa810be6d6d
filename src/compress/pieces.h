#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"

// gzip in pieces, for what is larger than memory: some 300 KB whatever the size. Any thread, one at a time; a library that the
// machine lacks is an Unsupported error.
//
//   auto writer = HARN_TRY(GzipWriter::create(6));
//   HARN_CHECK(writer.add(bytes, sink));   // as often as there are bytes
//   HARN_CHECK(writer.finish(sink));
namespace harn::compress {

// Gets what comes out, in pieces that are never empty. Its error ends the work.
using Sink = std::function<Result<void>(std::string_view piece)>;

class GzipWriter {
 public:
  static Result<GzipWriter> create(int level);
  GzipWriter(GzipWriter&&) noexcept;
  ~GzipWriter();

  Result<void> add(std::string_view bytes, const Sink& sink);
  Result<void> finish(const Sink& sink);

 private:
  struct State;
  explicit GzipWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Of any number of members. Damaged bytes are Invalid. A few bytes can stand for gigabytes: it is for the sink to say when
// that is enough.
class GzipReader {
 public:
  static Result<GzipReader> create();
  GzipReader(GzipReader&&) noexcept;
  ~GzipReader();

  Result<void> add(std::string_view bytes, const Sink& sink);
  // Invalid where bytes are missing.
  Result<void> finish();

 private:
  struct State;
  explicit GzipReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace harn::compress
