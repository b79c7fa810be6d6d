#include "llm/cassette.h"

#include <algorithm>
#include <map>

#include "base/result.h"
#include "base/text.h"
#include "llm/fields.h"
#include "vm/pace.h"
#include "vm/vm.h"

namespace harn::llm {

using namespace vm;

namespace {

// JSON with the keys of dicts in order: the same for what is the same.
void append_canonical(std::string& out, const Value& value) {
  if (value.is_dict()) {
    std::map<std::string_view, const Value*> sorted;
    for (auto [key, item] : value.as_dict()->entries()) sorted.emplace(key->view(), item);
    out += '{';
    for (const auto& [key, item] : sorted) {
      if (out.back() != '{') out += ',';
      data::append_json_string(out, key);
      out += ':';
      append_canonical(out, *item);
    }
    out += '}';
  } else if (value.is_list()) {
    out += '[';
    for (const Value& item : items(value)) {
      if (out.back() != '[') out += ',';
      append_canonical(out, item);
    }
    out += ']';
  } else {
    out += json_text(value);
  }
}

std::string canonical(const Value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

// A request as a file has it: without what does not change the answer, and without secrets.
Value as_written(effects::Run& run, const Value& request) {
  Value kept = new_dict();
  for (auto [key, item] : request.as_dict()->entries()) {
    if (key->view() != "stream" && !item->is_nil()) dict_set(kept, key->view(), *item);
  }
  auto read = data::parse_json(run.world().secrets.hidden(json_text(kept)));
  return read ? *std::move(read) : kept;
}

std::string shortened(const Value* value) {
  if (!value) return "nothing";
  std::string text = canonical(*value);
  size_t end = text::char_offset(text, 120);
  return end < text.size() ? text.substr(0, end) + "..." : text;
}

struct Difference {
  std::string path;
  const Value* recorded = nullptr;
  const Value* asked = nullptr;
};

std::optional<Difference> first_difference(const Value* recorded, const Value* asked, const std::string& path);

std::optional<Difference> in_dicts(const Value& recorded, const Value& asked, const std::string& path) {
  std::map<std::string_view, std::pair<const Value*, const Value*>> all;
  for (auto [key, item] : recorded.as_dict()->entries()) all[key->view()].first = item;
  for (auto [key, item] : asked.as_dict()->entries()) all[key->view()].second = item;
  for (const auto& [key, both] : all) {
    std::string place = path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    if (auto found = first_difference(both.first, both.second, place)) return found;
  }
  return std::nullopt;
}

std::optional<Difference> in_lists(std::span<const Value> recorded, std::span<const Value> asked,
                                   const std::string& path) {
  for (size_t i = 0; i < std::max(recorded.size(), asked.size()); ++i) {
    auto item = [&](std::span<const Value> list) { return i < list.size() ? &list[i] : nullptr; };
    if (auto found = first_difference(item(recorded), item(asked), fmt::format("{}[{}]", path, i))) return found;
  }
  return std::nullopt;
}

std::optional<Difference> first_difference(const Value* recorded, const Value* asked, const std::string& path) {
  if (recorded && asked) {
    if (recorded->is_dict() && asked->is_dict()) return in_dicts(*recorded, *asked, path);
    if (recorded->is_list() && asked->is_list()) return in_lists(items(*recorded), items(*asked), path);
    if (canonical(*recorded) == canonical(*asked)) return std::nullopt;
  }
  return Difference{path, recorded, asked};
}

// An answer as something to queue.
Value mock_entry(const ModelAnswer& answer) {
  DictBuilder entry;
  if (answer.answer.is_nil()) {
    DictBuilder error;
    for (std::string_view name : {"category", "message", "retry_after_ms"}) {
      if (has_field(answer.failure, name)) error.add(name, field(answer.failure, name));
    }
    return entry.add("error", error.done()).done();
  }
  entry.add("text", field(answer.answer, "text"));
  if (auto calls = items_field(answer.answer, "tool_calls"); !calls.empty()) {
    Value list = new_list();
    for (const Value& call : calls) {
      push(list, DictBuilder().add("name", field(call, "name")).add("arguments", field(call, "arguments")).done());
    }
    entry.add("tool_calls", list);
  }
  for (std::string_view name : {"thinking", "thinking_summary", "stop_reason", "model", "input_tokens", "output_tokens",
                                "cache_read_tokens", "cache_write_tokens"}) {
    if (has_field(answer.answer, name)) entry.add(name, field(answer.answer, name));
  }
  return entry.done();
}

}  // namespace

void Cassette::record(Form form) {
  std::lock_guard guard(lock_);
  form_ = form;
}

void Cassette::replay(std::string_view lines) {
  std::lock_guard guard(lock_);
  is_replaying_ = true;
  for (std::string_view line : text::split(lines, "\n")) {
    if (!text::trim(line).empty()) entries_.push_back({.line = std::string(line), .key = {}});
  }
}

bool Cassette::is_replaying() {
  std::lock_guard guard(lock_);
  return is_replaying_;
}

bool Cassette::is_recording() {
  std::lock_guard guard(lock_);
  return form_.has_value();
}

Outcome<void> Cassette::read_keys(effects::Run& run) {
  if (std::exchange(has_keys_, true)) return {};
  for (Entry& entry : entries_) {
    auto read = data::parse_json(entry.line);
    const Value request = read ? field(*read, "request") : Value();
    if (!request.is_dict())
      return throw_text(ErrorKind::Invalid, "cassette: line {} is no recorded call; record it again",
                        &entry - &entries_[0] + 1);
    entry.key = canonical(as_written(run, request));
  }
  return {};
}

// To the call that should have come next.
std::string Cassette::difference(const Value& request) const {
  auto next = std::ranges::find_if(entries_, [](const Entry& entry) { return !entry.is_used; });
  if (entries_.empty()) return "nothing was recorded";
  if (next == entries_.end()) return fmt::format("all {} recorded calls are used up", entries_.size());
  auto recorded = data::parse_json(next->key);
  auto found = recorded ? first_difference(&*recorded, &request, "") : std::nullopt;
  if (!found) return "it was recorded less often";
  return fmt::format("call {} was recorded with another `{}`: {}, now it is {}", next - entries_.begin() + 1,
                     found->path, shortened(found->recorded), shortened(found->asked));
}

Outcome<std::optional<ModelAnswer>> Cassette::answer(effects::Run& run, const Value& request) {
  std::lock_guard guard(lock_);
  if (!is_replaying_) return std::nullopt;
  HARN_CHECK(read_keys(run));
  Value written = as_written(run, request);
  std::string key = canonical(written);
  auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return !entry.is_used && entry.key == key; });
  if (found == entries_.end()) {
    return throw_text(ErrorKind::NotFound,
                      "cassette: no answer was recorded for this call of {}:{}: {}; record it again with `--record`",
                      text_field(request, "provider"), text_field(request, "model"), difference(written));
  }
  found->is_used = true;
  auto line = data::parse_json(found->line);
  return ModelAnswer{field(*line, "answer"), field(*line, "failure")};
}

void Cassette::keep(effects::Run& run, const Value& request, const ModelAnswer& answer, bool is_mocked) {
  std::lock_guard guard(lock_);
  if (!form_ || (is_mocked && *form_ == Form::Calls)) return;
  Value line = *form_ == Form::MockEntries ? mock_entry(answer)
                                           : DictBuilder()
                                                 .add("request", as_written(run, request))
                                                 .add(answer.answer.is_nil() ? "failure" : "answer",
                                                      answer.answer.is_nil() ? answer.failure : answer.answer)
                                                 .done();
  written_ += run.world().secrets.hidden(json_text(line)) + "\n";
}

std::string Cassette::lines() {
  std::lock_guard guard(lock_);
  return written_;
}

}  // namespace harn::llm
