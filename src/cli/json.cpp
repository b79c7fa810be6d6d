#include "cli/json.h"

#include "cli/output.h"

namespace harn::cli {

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
