#include "compress/codec.h"

#include "base/fmt.h"

namespace harn::compress {

std::unexpected<Error> ends_early() { return fail(ErrorKind::Invalid, "the data ends too early"); }

std::unexpected<Error> no_archive(std::string_view kind) {
  return fail(ErrorKind::Invalid, fmt::format("this is no {} archive, or it ends too early", kind));
}

std::unexpected<Error> damaged(std::string_view why) {
  if (why.empty()) return fail(ErrorKind::Invalid, "the data is damaged");
  return fail(ErrorKind::Invalid, fmt::format("the data is damaged: {}", why));
}

std::unexpected<Error> missing_library(const std::string& why) { return fail(ErrorKind::Unsupported, why); }

Result<void> Output::add(std::string_view bytes) {
  if (bytes.size() > allowed_.most - bytes_.size()) {
    return fail(ErrorKind::Limit, fmt::format("more than {} bytes would come out, {}", allowed_.most, allowed_.reason));
  }
  bytes_ += bytes;
  progress_(bytes.size());
  return {};
}

}  // namespace harn::compress
