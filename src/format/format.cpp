#include "format/format.h"

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
  bool has_script_line = source_.substr(begin).starts_with("#!");
  if (has_script_line) {
    size_t end = std::min(source_.find('\n', begin), source_.size());
    std::string_view line = source_.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out_ += line;
    begin = static_cast<uint32_t>(end);
    out_ += blank_between(begin, static_cast<uint32_t>(source_.find_first_not_of(" \t\r\n", begin) ==
                                                               std::string_view::npos
                                                           ? begin
                                                           : source_.find_first_not_of(" \t\r\n", begin)))
                ? "\n\n"
                : "\n";
  }
  sequence(
      tree_.items.size(), begin, static_cast<uint32_t>(source_.size()), true,
      [&](size_t i) { return tree_.items[i]->span.start; },
      [&](size_t i) { return tree_.items[i]->span.end; },
      [&](size_t i) { statement(tree_.items[i]); });
  layout_.print(out_);
  layout_.finish(out_);
  return std::move(out_);
}

std::string format(const Tree& tree, const Options& options) {
  return Printer(tree, options).run();
}

}  // namespace harn::formatter
