// The trace of a run, as a tree for people and as JSON lines for programs.
#include <map>

#include "base/fmt.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/watch.h"
#include "vm/task.h"

namespace harn::cli {

namespace {

using effects::Span;
using effects::SpanEnd;

std::string time_text(vm::Nanoseconds time) {
  double ms = static_cast<double>(time) / vm::kMillisecond;
  if (ms < 1) return fmt::format("{:.0f} us", ms * 1000);
  return ms < 1000 ? fmt::format("{:.1f} ms", ms) : fmt::format("{:.2f} s", ms / 1000);
}

std::string_view end_name(SpanEnd end) {
  switch (end) {
    case SpanEnd::Open: return "open";
    case SpanEnd::Done: return "done";
    case SpanEnd::Failed: return "failed";
    case SpanEnd::Denied: return "denied";
    case SpanEnd::OverBudget: return "over_budget";
    case SpanEnd::Mocked: return "mocked";
    case SpanEnd::Replayed: return "replayed";
  }
  return "";
}

class Tree {
 public:
  explicit Tree(const std::vector<Span>& spans) {
    for (const Span& span : spans) {
      if (span.parent) inside_[span.parent].push_back(&span);
      else tasks_[span.task].push_back(&span);
    }
  }

  std::string text() {
    for (auto& [task, spans] : tasks_) {
      out_ += vm::task_id_text(task) + "\n";
      add(spans, 1);
    }
    return std::move(out_);
  }

 private:
  // The same thing several times in a row is one line: a program may print a million.
  void add(const std::vector<const Span*>& spans, size_t depth) {
    for (size_t i = 0; i < spans.size();) {
      size_t end = i + 1;
      vm::Nanoseconds took = spans[i]->took;
      while (end < spans.size() && is_same(*spans[i], *spans[end])) took += spans[end++]->took;
      add_line(*spans[i], end - i, took, depth);
      i = end;
    }
  }

  bool is_same(const Span& a, const Span& b) const {
    return a.name == b.name && a.shown == b.shown && a.end == b.end && a.error == b.error && a.identity == b.identity &&
           !inside_.contains(a.id) && !inside_.contains(b.id);
  }

  void add_line(const Span& span, size_t count, vm::Nanoseconds took, size_t depth) {
    std::string what = span.shown.empty() ? span.name : fmt::format("{} ({})", span.name, span.shown);
    if (count > 1) what += fmt::format(" x{}", count);
    if (!span.identity.empty()) what += fmt::format(" for {}", span.identity);
    std::string line = fmt::format("{:{}}{}", "", depth * 2, text::visible(what));
    out_ += fmt::format("{:<58} {:>9}  at {}", line, time_text(took), time_text(span.began));
    if (span.end != SpanEnd::Done) out_ += fmt::format("  {}", end_name(span.end));
    if (!span.error.empty()) out_ += fmt::format(": {}", text::visible(span.error));
    out_ += '\n';
    if (auto found = inside_.find(span.id); found != inside_.end()) add(found->second, depth + 1);
  }

  std::map<uint64_t, std::vector<const Span*>> tasks_;
  std::map<effects::SpanId, std::vector<const Span*>> inside_;
  std::string out_;
};

}  // namespace

std::string trace_tree(const std::vector<Span>& spans) { return Tree(spans).text(); }

std::string trace_line(const Span& span) {
  JsonWriter json;
  json.object().field("span", static_cast<int64_t>(span.id));
  if (span.parent) json.field("parent", static_cast<int64_t>(span.parent));
  json.field("task", vm::task_id_text(span.task)).field("name", span.name).field("request", span.shown);
  if (!span.identity.empty()) json.field("identity", span.identity);
  json.field("start_us", span.began / 1000).field("duration_us", span.took / 1000).field("end", end_name(span.end));
  if (!span.error.empty()) json.field("error", span.error);
  return json.end().take() + "\n";
}

}  // namespace harn::cli
