#include "cli/json.h"

#include "base/fmt.h"
#include "data/json.h"
#include "cli/output.h"

namespace harn::cli {

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
  data::append_json_string(out_, name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  data::append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(int64_t value) { return raw(fmt::format("{}", value)); }

JsonWriter& JsonWriter::decimal(double value) { return raw(fmt::format("{:.3f}", value)); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

std::string envelope(int schema_version, std::string_view data, const Problem& problem) {
  JsonWriter json;
  json.object().field("schemaVersion", schema_version);
  json.key("ok").boolean(problem.code.empty());
  json.key("data").raw(data.empty() ? "null" : data).key("error");
  if (problem.code.empty()) {
    json.raw("null");
  } else {
    json.object().field("code", problem.code).field("message", problem.message);
    json.key("details").raw("null").end();
  }
  json.key("warnings").list().end();
  return json.end().take() + "\n";
}

void print_envelope(int schema_version, std::string_view data, const Problem& problem) {
  write_out(envelope(schema_version, data, problem));
}

}  // namespace harn::cli
