#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// JSON that commands print with `--json`.
namespace harn::cli {

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

struct Problem {
  std::string code;     // a stable identifier: "check_failed"
  std::string message;  // empty: nothing went wrong
};
// {schemaVersion, ok, data, error, warnings} on one line of standard output. `data` is JSON.
void print_envelope(int schema_version, std::string_view data, const Problem& problem = {});
std::string envelope(int schema_version, std::string_view data, const Problem& problem = {});

}  // namespace harn::cli
