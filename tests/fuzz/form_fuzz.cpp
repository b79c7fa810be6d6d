#include <cstdint>
#include <string>

#include "base/assert.h"
#include "base/url.h"
#include "builtins/families.h"
#include "fuzz/call_row.h"

using namespace harn;
using vm::text_value;
using vm::Value;

// A URL that was read and written means the same.
static void check_url(std::string_view text) {
  masked_url(text);
  encoded_url(text);
  form_decoded(text);
  auto url = parse_url(text);
  if (!url) return;
  // Programs may build URLs of a query with its `?`, and of a fragment with its `#`: a second one is not told from that.
  if (url->query.value_or("").starts_with('?') || url->fragment.value_or("").starts_with('#')) return;
  auto again = parse_url(url->text());
  HARN_ASSERT(again && again->text() == url->text(), "a URL has changed");
}

static void check_cookies(std::string_view text) {
  Value args[] = {text_value(text)};
  auto cookies = call_row(builtins::cookie_rows(), "cookie_parse", args);
  HARN_ASSERT(cookies || !text.empty(), "no cookies are no error");
}

// A form that was read, with the fields as they are, can be written and read again.
static void check_form(std::string_view body) {
  Value args[] = {Value(vm::new_bytes(body)), text_value("multipart/form-data; boundary=x")};
  auto form = call_row(builtins::multipart_rows(), "multipart_parse", args);
  if (!form) return;
  const Value* fields = form->as_dict()->find("fields");
  const Value* count = form->as_dict()->find("field_count");
  HARN_ASSERT(count->as_int() == static_cast<int64_t>(vm::list_size(*fields)), "fields are not counted right");
}

// The first byte says what the others are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(input) + 1, size - 1);
  switch (input[0] % 3) {
    case 0: check_url(text); break;
    case 1: check_cookies(text); break;
    default: check_form(text);
  }
  return 0;
}
