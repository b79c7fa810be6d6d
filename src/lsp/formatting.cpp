// The canonical layout: of a whole document, of some lines, of what has just been closed.
#include <algorithm>
#include <vector>

#include "format/format.h"
#include "lsp/server.h"

namespace harn::lsp {

using namespace syntax;

namespace {

// Lines with their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// Lines of the old text, and those that take their place.
struct Hunk {
  size_t from, to;
  size_t new_from, new_to;
};

// What differs. Where that would be a lot to compare it is one hunk.
std::vector<Hunk> difference(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
  constexpr size_t kMostCells = 4'000'000;
  size_t start = 0;
  while (start < before.size() && start < after.size() && before[start] == after[start]) ++start;
  size_t end = before.size(), new_end = after.size();
  while (end > start && new_end > start && before[end - 1] == after[new_end - 1]) --end, --new_end;
  size_t rows = end - start, columns = new_end - start;
  if (rows == 0 && columns == 0) return {};
  if ((rows + 1) * (columns + 1) > kMostCells) return {{start, end, start, new_end}};
  // How many lines the rests have in common.
  std::vector<uint32_t> common((rows + 1) * (columns + 1), 0);
  auto at = [&](size_t row, size_t column) -> uint32_t& { return common[row * (columns + 1) + column]; };
  for (size_t row = rows; row-- > 0;) {
    for (size_t column = columns; column-- > 0;) {
      bool same = before[start + row] == after[start + column];
      at(row, column) = same ? at(row + 1, column + 1) + 1 : std::max(at(row + 1, column), at(row, column + 1));
    }
  }
  std::vector<Hunk> out;
  for (size_t row = 0, column = 0; row < rows || column < columns;) {
    bool same = row < rows && column < columns && before[start + row] == after[start + column];
    if (same) {
      ++row, ++column;
      continue;
    }
    size_t old_line = start + row, new_line = start + column;
    if (out.empty() || out.back().to != old_line || out.back().new_to != new_line) {
      out.push_back({old_line, old_line, new_line, new_line});
    }
    bool removes = row < rows && (column == columns || at(row + 1, column) >= at(row, column + 1));
    if (removes) out.back().to = start + ++row;
    else out.back().new_to = start + ++column;
  }
  return out;
}

}  // namespace

// The edits that lay out the lines from `first` to `last` (from 0).
std::string Server::format_lines(const Document& open, size_t first, size_t last) {
  if (open.module->tree->has_errors) return "null";
  std::string formatted = formatter::format(*open.module->tree);
  auto before = lines_of(open.text), after = lines_of(formatted);
  JsonWriter json;
  json.list();
  for (const Hunk& hunk : difference(before, after)) {
    // What is inserted belongs to the line behind it.
    if (hunk.from > last || std::max(hunk.to, hunk.from + 1) <= first) continue;
    auto offset = [&](size_t line) {
      return static_cast<uint32_t>(line < before.size() ? before[line].data() - open.text.data() : open.text.size());
    };
    std::string text;
    for (size_t line = hunk.new_from; line < hunk.new_to; ++line) text += after[line];
    json.object().key("range");
    write_range(json, open.module->source->positions(), {offset(hunk.from), offset(hunk.to)});
    json.field("newText", text).end();
  }
  return json.end().take();
}

std::string Server::formatting(const Part& params) {
  Document* open = document(params);
  if (!open || open->module->tree->has_errors) return "null";
  std::string formatted = formatter::format(*open->module->tree);
  if (formatted == open->text) return "[]";
  JsonWriter json;
  json.list().object().key("range");
  write_range(json, open->module->source->positions(), {0, static_cast<uint32_t>(open->text.size())});
  return json.field("newText", formatted).end().end().take();
}

std::string Server::range_formatting(const Part& params) {
  Document* open = document(params);
  if (!open) return "null";
  const Positions& positions = open->module->source->positions();
  uint32_t from = offset_of(positions, params["range"]["start"]), to = offset_of(positions, params["range"]["end"]);
  // A range that ends where a line begins ends in front of that line.
  if (to > from && positions.line_start(positions.line_of(to)) == to) --to;
  return format_lines(*open, positions.line_of(from) - 1, positions.line_of(to) - 1);
}

// Behind `}` all that it closes, behind `;` its line.
std::string Server::on_type_formatting(const Part& params) {
  auto at = place(params);
  if (!at || at->offset == 0) return "null";
  size_t last = at->positions->line_of(at->offset) - 1, first = last;
  if (params["ch"].text() == "}") {
    for (const Node* node : nodes_at(*at->document->module->tree, at->offset)) {
      if (node->span.end == at->offset) {
        first = at->positions->line_of(node->span.start) - 1;
        break;
      }
    }
  }
  return format_lines(*at->document, first, last);
}

}  // namespace harn::lsp
