#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harn::data {

// Writes one value, in order. Commas come by themselves:
//   json.object().field("path", path).key("spans").list() ... .end().end();
class JsonWriter {
 public:
  JsonWriter& object() { return open('{', '}'); }
  JsonWriter& list() { return open('[', ']'); }
  JsonWriter& end();
  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& number(int64_t value);
  JsonWriter& decimal(double value);  // three places
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& raw(std::string_view json);  // a value that is JSON already

  JsonWriter& field(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, int64_t value) { return key(name).number(value); }

  std::string take() { return std::move(out_); }

 private:
  JsonWriter& open(char opener, char closer);
  void separate();

  std::string out_;
  std::vector<char> closers_;
  bool needs_comma_ = false;
};

}  // namespace harn::data
