#include <algorithm>
#include <map>

#include "base/text.h"
#include "diag/diagnostic.h"
#include "diag/snippet.h"

// A diagnostic as text and as JSON. How a line of source and its marks are drawn is in snippet.cpp.
namespace harn::diag {

namespace {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Info: return "info";
  }
  return {};
}

Style severity_style(Severity severity) {
  switch (severity) {
    case Severity::Error: return Style::Error;
    case Severity::Warning: return Style::Warning;
    case Severity::Info: return Style::Info;
  }
  return Style::Plain;
}

std::string shown_path(const SourcePtr& source, uint32_t offset) {
  Position at = source->position(offset);
  std::string path = source->path().empty() ? "<input>" : source->path();
  std::replace(path.begin(), path.end(), '\\', '/');
  return format("{}:{}:{}", path, at.line, at.column);
}

// Which part of the toolchain speaks, for the JSON record.
std::string_view origin(std::string_view id) {
  if (id.starts_with("HARN-PAR")) {
    int number = id.back() - '0' + 10 * (id[id.size() - 2] - '0');
    bool lexer = (number >= 3 && number <= 6) || number == 9 || number == 14;
    return lexer ? "lexer" : "parser";
  }
  if (id.starts_with("HARN-LNT")) return "lint";
  if (id.starts_with("HARN-INV")) return "invariant";
  for (std::string_view before : {"HARN-IMP", "HARN-MOD", "HARN-PRM", "HARN-CAP", "HARN-ORC-010"}) {
    if (id.starts_with(before)) return "preflight";
  }
  return "type";
}

void append_json(std::string& out, std::string_view text) {
  std::string valid = text::to_valid_utf8(text);
  out += '"';
  for (char c : valid) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<uint8_t>(c) < 0x20) out += format("\\u{:04x}", static_cast<int>(c));
        else out += c;
    }
  }
  out += '"';
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += format(",\"{}\":", name);
  append_json(out, value);
}

void append_span(std::string& out, Span span) {
  out += format(",\"span\":{{\"start\":{},\"end\":{}}}", span.start, span.end);
}

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& diagnostic, Colour colour) : diagnostic_(diagnostic), paint_(colour) {}

  std::string run() {
    headline();
    if (diagnostic_.source) {
      main_snippet();
      other_files();
    }
    for (const std::string& help : diagnostic_.helps) {
      out_ += format("{}: {}\n", paint_("help", Style::Help), help);
    }
    if (diagnostic_.source) {
      for (const Fix& fix : diagnostic_.fixes) suggestion(fix);
    }
    out_ += format("{} = run `harn explain {}` to learn more\n", std::string(gutter_width_ + 1, ' '),
                   row(diagnostic_.code).id);
    return std::move(out_);
  }

 private:
  void headline() {
    std::string head = format("{}[{}]", severity_name(diagnostic_.severity), row(diagnostic_.code).id);
    out_ += format("{}: {}\n", paint_(head, severity_style(diagnostic_.severity)),
                   paint_(diagnostic_.message, Style::Bold));
  }

  void main_snippet() {
    std::vector<Mark> marks = {{diagnostic_.span, diagnostic_.label, true}};
    for (const Label& label : diagnostic_.labels) {
      if (label.source == diagnostic_.source) marks.push_back({label.span, label.text, false});
    }
    Snippet snippet(*diagnostic_.source, std::move(marks));
    gutter_width_ = snippet.gutter_width();
    std::string path = shown_path(diagnostic_.source, diagnostic_.span.start);
    out_ += format("{}{} {}\n", std::string(gutter_width_ + 1, ' '), paint_("-->", Style::Gutter), path);
    out_ += snippet.render(paint_, severity_style(diagnostic_.severity));
  }

  void other_files() {
    std::vector<const Label*> rest;
    for (const Label& label : diagnostic_.labels) {
      if (label.source && label.source != diagnostic_.source) rest.push_back(&label);
    }
    for (const Label* label : rest) {
      Snippet snippet(*label->source, {{label->span, label->text, false}});
      out_ += format("{}{} {}\n", std::string(snippet.gutter_width() + 1, ' '), paint_(":::", Style::Gutter),
                     shown_path(label->source, label->span.start));
      out_ += snippet.render(paint_, severity_style(diagnostic_.severity));
    }
  }

  void suggestion(const Fix& fix) {
    out_ += format("{}: {}{}\n", paint_("help", Style::Help), fix.title,
                   fix.safe ? "" : " (may change what the program does)");
    out_ += render_edit(*diagnostic_.source, fix.span, fix.replacement, gutter_width_, paint_);
  }

  const Diagnostic& diagnostic_;
  Paint paint_;
  std::string out_;
  size_t gutter_width_ = 1;
};

}  // namespace

std::string render(const Diagnostic& diagnostic, Colour colour) { return TextRenderer(diagnostic, colour).run(); }

std::string render_all(const Sink& sink, Colour colour) {
  std::vector<const Diagnostic*> all;
  for (const Diagnostic& diagnostic : sink.diagnostics()) all.push_back(&diagnostic);
  std::string out = render_all(std::move(all), colour);
  if (sink.dropped() > 0) out += format("\nand {} more\n", sink.dropped());
  return out;
}

std::string render_all(std::vector<const Diagnostic*> sorted, Colour colour) {
  size_t dropped = sorted.size() - std::min(sorted.size(), Sink::kMost);
  sorted.resize(sorted.size() - dropped);
  // Files in the order they were first spoken of, places from top to bottom.
  std::map<const SourceFile*, size_t> files;
  for (const Diagnostic* diagnostic : sorted) files.try_emplace(diagnostic->source.get(), files.size());
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Diagnostic* a, const Diagnostic* b) {
    if (a->source != b->source) return files[a->source.get()] < files[b->source.get()];
    return a->span.start < b->span.start;
  });
  std::string out;
  for (const Diagnostic* diagnostic : sorted) {
    if (!out.empty()) out += '\n';
    out += render(*diagnostic, colour);
  }
  if (dropped > 0) out += format("\nand {} more\n", dropped);
  return out;
}

std::string_view origin(Code code) { return origin(row(code).id); }

std::string render_json(const Diagnostic& diagnostic) {
  const CodeRow& code = row(diagnostic.code);
  std::string out = format("{{\"source\":\"{}\"", origin(code.id));
  append_field(out, "severity", severity_name(diagnostic.severity));
  append_field(out, "code", code.id);
  append_field(out, "message", diagnostic.message);
  if (diagnostic.source) {
    Position at = diagnostic.source->position(diagnostic.span.start);
    append_span(out, diagnostic.span);
    out += format(",\"line\":{},\"column\":{}", at.line, at.column);
    append_field(out, "path", diagnostic.source->path());
  }
  if (!diagnostic.helps.empty()) {
    std::string all;
    for (const std::string& help : diagnostic.helps) {
      if (!all.empty()) all += '\n';
      all += help;
    }
    append_field(out, "help", all);
  }
  if (!diagnostic.fixes.empty()) {
    out += ",\"fixes\":[";
    for (size_t i = 0; i < diagnostic.fixes.size(); ++i) {
      const Fix& fix = diagnostic.fixes[i];
      if (i > 0) out += ',';
      out += "{\"title\":";
      append_json(out, fix.title);
      append_span(out, fix.span);
      append_field(out, "replacement", fix.replacement);
      out += format(",\"safe\":{}}}", fix.safe);
    }
    out += ']';
  }
  out += '}';
  return out;
}

}  // namespace harn::diag
