#include "builtins/join.h"

#include "base/result.h"
#include "builtins/bounds.h"

namespace harn::builtins {

using namespace vm;

// Texts are measured first and written once: joining many is done to build large documents.
static Outcome<Value> join_texts(std::span<const Value> texts, std::string_view separator) {
  size_t total = texts.empty() ? 0 : separator.size() * (texts.size() - 1);
  for (const Value& text : texts) total += text.as_string()->size;
  HARN_CHECK(check_text_size(total));
  auto joined = new_string(total);
  char* at = joined->data();
  for (size_t i = 0; i < texts.size(); ++i) {
    step();
    if (i > 0) at = std::copy(separator.begin(), separator.end(), at);
    std::string_view text = texts[i].as_string()->view();
    at = std::copy(text.begin(), text.end(), at);
  }
  return Value(std::move(joined));
}

Outcome<Value> join_list(const Value& list, std::string_view separator) {
  if (list.is_list()) {
    auto items = std::as_const(*list.as_list()).values();
    bool texts = std::all_of(items.begin(), items.end(), [](const Value& item) { return item.is_string(); });
    if (texts) return join_texts(items, separator);
  }
  HARN_CHECK(check_list_size(list_size(list)));
  std::string out;
  for (size_t i = 0, size = list_size(list); i < size; ++i) {
    step();
    if (i > 0) out += separator;
    display_to(out, list_item(list, i));
    HARN_CHECK(check_text_size(out.size()));
  }
  return text_value(out);
}

}  // namespace harn::builtins
