#include "data/json_writer.h"

#include "base/fmt.h"
#include "data/json.h"

namespace harn::data {

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::open(char opener, char closer) {
  separate();
  out_ += opener;
  closers_.push_back(closer);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end() {
  out_ += closers_.back();
  closers_.pop_back();
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(int64_t value) { return raw(fmt::format("{}", value)); }

JsonWriter& JsonWriter::decimal(double value) { return raw(fmt::format("{:.3f}", value)); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace harn::data
