#include <unistd.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/project.h"
#include "cli/source_text.h"
#include "diag/diagnostic.h"
#include "format/format.h"
#include "syntax/dump.h"

namespace harn::cli {

namespace {

// The canonical text of a source. On failure the sink has the reason, or there is a bug of ours.
Result<std::string> format_source(const SourcePtr& source, uint32_t width, diag::Sink& sink) {
  auto tree = syntax::parse(source, sink);
  if (tree->has_errors) return fail(ErrorKind::Invalid, "does not parse");
  std::string text = formatter::format(*tree, {.line_width = width});
  // Nobody's program may suffer from a slip of the formatter: what it wrote must mean the same.
  diag::Sink unused;
  auto again = syntax::parse(std::make_shared<SourceFile>(source->path(), text), unused);
  if (again->has_errors || syntax::dump(*again) != syntax::dump(*tree)) {
    return fail(ErrorKind::Unsupported,
                "the formatter would change what the program means; left as it is (please report this)");
  }
  return text;
}

class Formatter {
 public:
  explicit Formatter(const Arguments& arguments)
      : check_(arguments.has("--check")), json_(arguments.has("--json")), width_(arguments.number("--line-width")) {
    report_.object().key("files").list();
  }

  void format_file(const std::string& path) {
    auto status = try_file(path);
    if (!status) {
      failed_ = true;
      if (json_) add(path, "error", status.error().message);
      else if (!status.error().message.empty()) fail_with(status.error().message);
      return;
    }
    if (json_) add(path, *status, "");
    else if (*status == "formatted") write_out(fmt::format("formatted {}\n", path));
    else if (*status == "would_reformat") write_error(fmt::format("{}: would be reformatted\n", path));
  }

  int format_input() {
    auto source = read_source("-");
    if (!source) return fail_with(source.error().message);
    auto width = width_of("");
    if (!width) return fail_with(width.error().message);
    diag::Sink sink;
    auto text = format_source(*source, *width, sink);
    if (!text) {
      Error error = explain(*source, text.error(), sink);
      return error.message.empty() ? kFailure : fail_with(error.message);
    }
    if (!check_) {
      write_out(*text);
    } else if (*text != (*source)->text()) {
      write_error("<stdin>: would be reformatted\n");
      return kFailure;
    }
    return kSuccess;
  }

  int finish() {
    if (json_) {
      report_.end().end();
      Problem problem;
      if (failed_) problem = {"fmt_failed", "some files could not be formatted"};
      else if (drifted_) problem = {"fmt_drift", "some files would be reformatted"};
      print_envelope(1, report_.take(), problem);
    }
    return failed_ || drifted_ ? kFailure : kSuccess;
  }

 private:
  Result<std::string_view> try_file(const std::string& path) {
    auto source = HARN_TRY(read_source(path));
    uint32_t width = HARN_TRY(width_of(path));
    diag::Sink sink;
    auto text = format_source(source, width, sink);
    if (!text) return std::unexpected(explain(source, text.error(), sink));
    if (*text == source->text()) return "unchanged";
    if (check_) {
      drifted_ = true;
      return "would_reformat";
    }
    HARN_CHECK(replace_file(path, *text));
    return "formatted";
  }

  // Diagnostics are shown as such; other failures become one line.
  Error explain(const SourcePtr& source, const Error& error, const diag::Sink& sink) {
    if (!sink.has_errors()) return {error.kind, fmt::format("{}: {}", source->path(), error.message)};
    if (!json_) write_error(diag::render_all(sink, colour_of(STDERR_FILENO)));
    return {error.kind, json_ ? sink.diagnostics()[0].message : ""};
  }

  Result<uint32_t> width_of(const std::string& path) {
    if (width_) return static_cast<uint32_t>(*width_);
    auto project = HARN_TRY(find_project(path));
    if (project.manifest.line_width > 0) return static_cast<uint32_t>(project.manifest.line_width);
    return formatter::Options{}.line_width;
  }

  void add(const std::string& path, std::string_view status, std::string_view error) {
    report_.object().field("path", path).field("status", status);
    if (!error.empty()) report_.field("error", error);
    report_.end();
  }

  bool check_;
  bool json_;
  std::optional<int64_t> width_;
  JsonWriter report_;
  bool failed_ = false;
  bool drifted_ = false;
};

int run_fmt(const Arguments& arguments) {
  Formatter formatter(arguments);
  if (arguments.operands().size() == 1 && arguments.operands()[0] == "-") {
    if (arguments.has("--json")) {
      return report_usage(arguments,
                          {"`--json` and `-` exclude each other", "the result of `-` is the formatted text"});
    }
    return formatter.format_input();
  }
  auto files = find_sources(arguments.operands());
  if (!files) return report_failure(arguments, "source_not_found", files.error().message);
  for (const std::string& path : *files) formatter.format_file(path);
  return formatter.finish();
}

constexpr Option kOptions[] = {
    {.name = "--check", .help = "write nothing; exit 1 when a file is not in the canonical layout"},
    {.name = "--line-width",
     .value = "N",
     .kind = ValueKind::Number,
     .least = 20,
     .help = "columns (default 100, or [fmt] line_width in harn.toml)"},
    {.name = "--json", .help = "print a JSON envelope"},
};

}  // namespace

constinit const Command kFmt = {
    .name = "fmt",
    .summary = "Rewrite files in the canonical layout",
    .operands = {.shown = "PATH...", .least = 1, .most = kAnyNumber},
    .options = kOptions,
    .notes =
        R"(A directory means all *.harn files below it; `-` formats standard input to standard output.
A file is replaced in one step and keeps its permissions. A file with syntax errors is left alone.)",
    .run = run_fmt,
};

}  // namespace harn::cli
