#include "format/format.h"

#include "base/text.h"
#include "diag/diagnostic.h"
#include "format/lists.h"
#include "format/printer.h"

namespace harn::formatter {

using namespace syntax;

Printer::Printer(const Tree& tree, const Options& options)
    : tree_(tree),
      source_(tree.source->text()),
      layout_(options.line_width),
      comments_(tree.comments.data()),
      comment_count_(tree.comments.size()) {}

std::string Printer::run() {
  out_.reserve(source_.size() + source_.size() / 8);
  uint32_t begin = source_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (source_.substr(begin).starts_with("#!")) {
    size_t end = std::min(source_.find('\n', begin), source_.size());
    size_t next = std::min(source_.find_first_not_of(" \t\r\n", end), source_.size());
    out_ += text::trim_end(source_.substr(begin, end - begin));
    begin = static_cast<uint32_t>(end);
    out_ += blank_between(begin, static_cast<uint32_t>(next)) ? "\n\n" : "\n";
  }
  sequence(
      tree_.items.size(), begin, static_cast<uint32_t>(source_.size()), true,
      [&](size_t i) { return tree_.items[i]->span.start; }, [&](size_t i) { return tree_.items[i]->span.end; },
      [&](size_t i) { statement(tree_.items[i]); });
  layout_.print(out_);
  layout_.finish(out_);
  return std::move(out_);
}

std::string format(const Tree& tree, const Options& options) {
  Printer printer(tree, options);
  std::string out = printer.run();
  if (!printer.moved_comments()) return out;
  // Now that every comment is where it can stay, lay it out again.
  constexpr int kMostRounds = 6;
  for (int round = 0; round < kMostRounds; ++round) {
    diag::Sink sink;
    auto again = parse(std::make_shared<SourceFile>(tree.source->path(), out), sink);
    if (sink.has_errors()) return out;
    std::string next = Printer(*again, options).run();
    if (next == out) break;
    out = std::move(next);
  }
  return out;
}

}  // namespace harn::formatter
