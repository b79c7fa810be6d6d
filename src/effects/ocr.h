#pragma once

#include "effects/perform.h"

// Text in images, as the program `tesseract` sees it. It gets the image as its input and runs like any other child: held to the
// workspace, killed with its task.
namespace harn::effects {

struct RecognizeText {
  using Answer = std::string;  // as tab-separated values: one row per page, block, paragraph, line and word
  static constexpr EffectRow row{.name = "vision.ocr", .capability = vm::Capability::Process};

  std::string image;             // the bytes of a file
  std::string language = "eng";  // or several, with a plus between them
  int64_t timeout_ms = 120'000;

  std::string shown() const { return fmt::format("tesseract, {} bytes", image.size()); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(image), visit(language);
  }
};
vm::Outcome<std::string> carry_out(Run& run, const RecognizeText& request);

}  // namespace harn::effects
