// Text in images. What becomes of the rows is written in Harn: src/std/prelude/vision.harn.
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "effects/ocr.h"
#include "vm/fiber.h"
#include "vm/vm.h"

namespace harn::builtins {

using namespace vm;

namespace {

// It is an argument of a program.
bool is_language(std::string_view text) {
  auto may_be_in_it = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '+' || c == '-'; };
  return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), may_be_in_it);
}

// (image, language, timeout_ms)
Outcome<Value> recognize(Call& call) {
  effects::RecognizeText request{.image = std::string(HARN_TRY(call.bytes(0)))};
  request.language = HARN_TRY(call.text_or(1, request.language));
  request.timeout_ms = HARN_TRY(call.integer_or(2, request.timeout_ms));
  if (!is_language(request.language))
    return throw_text(ErrorKind::Invalid, "vision_ocr: language is '{}', expected one such as eng, or deu+eng",
                      request.language);
  if (request.timeout_ms < 1)
    return throw_text(ErrorKind::Invalid, "vision_ocr: timeout_ms is {}, expected 1 or more", request.timeout_ms);
  auto rows = HARN_TRY(effects::perform(effects::Run::current(call.vm()), request));
  return text_value(text::to_valid_utf8(rows));
}

constinit const Builtin kRows[] = {
    {.name = "__recognize_text",
     .signature = "(image: bytes, language?: string, timeout_ms?: int) -> string",
     .doc = "The text in an image, as tesseract's tab-separated values.",
     .example = "unwrap_err(try { __recognize_text(bytes_from_hex(\"00\")) }).starts_with(\"vision_ocr: \")",
     .needs = Capability::Process,
     .wait = on_fiber<recognize>},
    {.name = "vision_ocr",
     .signature = "(image: string | dict, options?: dict) -> dict",
     .doc = "Reads the text in an image: a path, {path}, {storage: {path}}, {bytes_base64, mime_type, name?} or "
            "{data_url, "
            "name?}. Options are language and timeout_ms. Uses the program `tesseract`.",
     .example = "unwrap_err(try { vision_ocr({bytes_base64: \"AA==\", mime_type: \"image/png\"}) "
                "}).starts_with(\"vision_ocr: \")",
     .needs = Capability::Process,
     .prelude = "vision:vision_ocr"},
};

}  // namespace

std::span<const Builtin> vision_rows() { return kRows; }

}  // namespace harn::builtins
