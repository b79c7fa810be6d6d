// Providers keep the beginning of a request for a while and charge less for it when the next one begins with the same bytes. A recording has every
// request that its run made, so what a provider could keep can be counted afterwards.
//
// A request is read in the order in which providers put it together: tools, system text, messages. What counts is how much of the request before
// stands unchanged at the start of the next one of the same task.
#include "cli/prompt_cache.h"

#include <algorithm>
#include <map>

#include "base/fmt.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "data/json.h"
#include "effects/fields.h"
#include "effects/tape_file.h"
#include "llm/call_model.h"
#include "llm/fields.h"
#include "vm/dict.h"

namespace harn::cli {

namespace {

struct Request {
  std::string model;
  size_t bytes = 0;
  size_t before = 0;  // bytes of the request before; 0: it is the first one of its task
  size_t same = 0;
};

struct Totals {
  size_t before = 0, same = 0;
};

double percent(size_t part, size_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Line by line, so that one more message changes nothing before it.
std::string wire_text(const vm::Value& request) {
  std::string out;
  for (const vm::Value& tool : llm::items_field(request, "tools")) out += llm::json_text(tool) + "\n";
  (out += llm::text_field(request, "system")) += "\n";
  for (const vm::Value& message : llm::items_field(request, "messages")) out += llm::json_text(message) + "\n";
  return out;
}

bool is_request(const effects::TapeEntry& entry) {
  return entry.question.name == llm::CallModel::row.name || entry.question.name == llm::OpenModel::row.name;
}

std::vector<Request> requests_of(const std::vector<effects::TapeEntry>& entries) {
  std::vector<Request> out;
  std::map<uint64_t, std::string> last;  // by task
  for (const effects::TapeEntry& entry : entries) {
    llm::ModelRequest asked;
    if (!is_request(entry) || !effects::from_bytes(entry.question.request, asked)) continue;
    std::string text = wire_text(asked.request);
    std::string& before = last[entry.question.task];
    auto differs = std::ranges::mismatch(before, text);
    out.push_back({.model = fmt::format("{}:{}", llm::text_field(asked.request, "provider"),
                                        llm::text_field(asked.request, "model")),
                   .bytes = text.size(),
                   .before = before.size(),
                   .same = static_cast<size_t>(differs.in1 - before.begin())});
    before = std::move(text);
  }
  return out;
}

Totals totals_of(const std::vector<Request>& requests) {
  Totals out;
  for (const Request& one : requests) {
    out.before += one.before;
    out.same += one.same;
  }
  return out;
}

void write_json(const std::vector<Request>& requests, const Totals& all) {
  std::string out = R"({"requests": [)";
  for (const Request& one : requests) {
    if (&one != &requests.front()) out += ", ";
    out += R"({"model": )";
    data::append_json_string(out, one.model);
    out += fmt::format(R"(, "bytes": {}, "before": {}, "same": {}, "share": {:.4f}}})", one.bytes, one.before, one.same,
                       percent(one.same, one.before) / 100);
  }
  write_out(fmt::format("{}], \"share\": {:.4f}}}\n", out, percent(all.same, all.before) / 100));
}

void write_text(const std::vector<Request>& requests, const Totals& all) {
  std::string out = "request      bytes       same   share  model\n";
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request& one = requests[i];
    std::string share = one.before == 0 ? "first" : fmt::format("{:.1f} %", percent(one.same, one.before));
    out += fmt::format("{:>7}  {:>9}  {:>9}  {:>6}  {}\n", i + 1, one.bytes, one.same, share, one.model);
  }
  out += fmt::format("{:.1f} % of what could be kept was the same ({} of {} bytes)\n", percent(all.same, all.before),
                     all.same, all.before);
  write_out(out);
}

}  // namespace

int prompt_cache(const Arguments& arguments) {
  auto tape = effects::read_tape(std::string(arguments.operands()[1]));
  if (!tape) return fail_with(tape.error().message);
  std::vector<Request> requests = requests_of(tape->entries);
  if (requests.empty()) return fail_with("the recording has no requests to models");
  Totals all = totals_of(requests);
  if (arguments.has("--json")) write_json(requests, all);
  else write_text(requests, all);
  return kSuccess;
}

}  // namespace harn::cli
