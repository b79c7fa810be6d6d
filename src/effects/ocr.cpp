#include "effects/ocr.h"

#include "base/text.h"
#include "effects/process.h"

namespace harn::effects {

using namespace vm;

// Of what a program says about its failure: the first line that is not empty.
static std::string first_line(std::string_view text) {
  text = text::trim(text);
  return text::to_valid_utf8(text.substr(0, std::min<size_t>(text.find('\n'), 300)));
}

Outcome<std::string> carry_out(Run& run, const RecognizeText& request) {
  RunProcess process{.what = "vision_ocr",
                     .words = {"tesseract", "stdin", "stdout", "-l", request.language, "tsv"},
                     .directory = "",
                     .program = "tesseract"};
  process.input = request.image;
  process.timeout_ms = request.timeout_ms;
  auto done = carry_out(run, process);
  if (!done && done.error()->error_kind == ErrorKind::NotFound)
    return throw_text(ErrorKind::NotFound,
                      "vision_ocr: the program `tesseract` is not there; install the package tesseract-ocr");
  if (!done) return std::unexpected(std::move(done).error());
  if (done->timed_out)
    return throw_text(ErrorKind::Timeout, "vision_ocr: tesseract took more than {} ms", request.timeout_ms);
  if (done->status == 0) return std::move(done->out);
  if (done->err.find("traineddata") != std::string::npos)
    return throw_text(
        ErrorKind::NotFound,
        "vision_ocr: tesseract does not know the language `{}`; install its package, as in tesseract-ocr-deu",
        request.language);
  std::string why = first_line(done->err);
  return throw_text(ErrorKind::Invalid, "vision_ocr: tesseract cannot read the image: {}",
                    why.empty() ? fmt::format("it ended with status {}", done->status) : why);
}

}  // namespace harn::effects
