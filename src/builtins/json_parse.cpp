#include <simdjson.h>

#include "builtins/json_objects.h"
#include "builtins/json_reader.h"
#include "builtins/json_text.h"
#include "vm/objects.h"

// The fast path of JSON parsing: simdjson checks the text and we copy its tape into values.
// Whatever it does not accept goes to the exact reader, which knows where the mistake is (or that
// there is none).
namespace harn::builtins {

using namespace vm;

namespace {

class TapeReader {
 public:
  // False: something the exact reader has to look at.
  bool read(simdjson::dom::element element, Value& value, size_t depth) {
    using simdjson::dom::element_type;
    switch (element.type()) {
      case element_type::OBJECT: return read_object(element, value, depth + 1);
      case element_type::ARRAY: return read_array(element, value, depth + 1);
      case element_type::STRING:
        value = text_value(element.get_string().value_unsafe());
        return true;
      case element_type::INT64:
        value = Value::integer(element.get_int64().value_unsafe());
        return true;
      case element_type::UINT64:
        value = Value::number(static_cast<double>(element.get_uint64().value_unsafe()));
        return true;
      case element_type::DOUBLE:
        value = Value::number(element.get_double().value_unsafe());
        return true;
      case element_type::BOOL:
        value = Value::boolean(element.get_bool().value_unsafe());
        return true;
      case element_type::NULL_VALUE: value = Value(); return true;
    }
    return false;
  }

 private:
  bool read_array(simdjson::dom::element element, Value& value, size_t depth) {
    if (depth > kMaxJsonDepth) return false;
    simdjson::dom::array array = element.get_array().value_unsafe();
    auto list = new_list(array.size());
    for (simdjson::dom::element item : array) {
      Value read_item;
      if (!read(item, read_item, depth)) return false;
      list->push(std::move(read_item));
    }
    value = std::move(list);
    return true;
  }

  bool read_object(simdjson::dom::element element, Value& value, size_t depth) {
    if (depth > kMaxJsonDepth) return false;
    simdjson::dom::object object = element.get_object().value_unsafe();
    auto open = objects_.begin(depth, object.size());
    for (auto [key, item] : object) {
      objects_.add_key(open, key);
      Value read_item;
      if (!read(item, read_item, depth)) return false;
      objects_.add_value(std::move(read_item));
    }
    value = objects_.finish(open);
    return true;
  }

  ObjectBuilder objects_;
};

// Kept between calls: its buffers are as large as the largest text so far.
constexpr size_t kKeptCapacity = 4 * 1024 * 1024;

simdjson::dom::parser& shared_parser() {
  thread_local simdjson::dom::parser parser;
  return parser;
}

bool parse_fast(std::string_view text, Value& value) {
  simdjson::dom::parser large;
  simdjson::dom::parser& parser = text.size() <= kKeptCapacity ? shared_parser() : large;
  if (parser.max_depth() != kMaxJsonDepth + 1 || parser.capacity() < text.size()) {
    if (parser.allocate(std::max(text.size(), parser.capacity()), kMaxJsonDepth + 1)) return false;
  }
  auto parsed = parser.parse(text.data(), text.size());
  if (parsed.error()) return false;
  return TapeReader().read(parsed.value_unsafe(), value, 0);
}

}  // namespace

std::expected<Value, JsonError> parse_json(std::string_view text) {
  Value value;
  if (!text.empty() && parse_fast(text, value)) return value;
  return read_json_exactly(text);
}

}  // namespace harn::builtins
