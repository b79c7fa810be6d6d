#include "engine/prompts.h"

#include <algorithm>
#include <set>

#include "base/fmt.h"
#include "base/text.h"
#include "engine/files.h"
#include "modules/graph.h"
#include "modules/manifest.h"
#include "modules/path.h"
#include "std/embedded.h"
#include "templates/asset_path.h"
#include "templates/check.h"
#include "templates/parser.h"

namespace harn::engine {

namespace {

using diag::Code;

// From the braces that open a directive to those that close it, or to the end of the line.
Span directive_at(const SourceFile& source, templates::Place place) {
  uint32_t start = source.positions().offset({place.line, place.column});
  std::string_view rest = source.text().substr(start);
  rest = rest.substr(0, rest.find('\n'));
  size_t close = rest.find("}}");
  return {start, start + static_cast<uint32_t>(close == rest.npos ? rest.size() : close + 2)};
}

// The folder of the nearest harn.toml; nothing where there is none.
std::optional<std::string> project_of(const std::string& folder) {
  for (std::string at = real_path(folder).value_or("/");; at = modules::path::directory(at)) {
    if (exists(modules::path::join(at, "harn.toml"))) return at;
    if (at == "/" || exists(modules::path::join(at, ".git"))) return std::nullopt;
  }
}

}  // namespace

bool is_template_path(std::string_view path) { return path.ends_with(".prompt"); }

PromptChecks::Problems PromptChecks::of_use(const compile::TemplateUse& use) {
  const modules::Module& module = *use.module;
  diag::Sink& sink = uses_.emplace_back(diag::Sink::kAll);
  auto path = find(
      {use.builtin, std::string(use.path->value), modules::path::directory(module.path), module.source, use.path->span},
      sink);
  if (path) return of_file(*path);
  Problems problems;
  for (const diag::Diagnostic& one : sink.diagnostics()) problems.push_back(&one);
  return problems;
}

// What a template includes depends on the first one: files must be in its folder, and none may include itself.
class PromptChecks::Walk {
 public:
  Walk(PromptChecks& checks, const std::string& first)
      : checks_(checks),
        folder_(real_path(modules::path::directory(first)).value_or("")),
        found_(checks.uses_.emplace_back(diag::Sink::kAll)) {}

  Problems from(const std::string& first) {
    enter(first);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.next == top.file->includes.size()) {
        open_.pop_back();
      } else {
        follow(top.file->includes[top.next++]);
      }
    }
    for (const diag::Diagnostic& one : found_.diagnostics()) problems_.push_back(&one);
    return std::move(problems_);
  }

 private:
  struct Open {
    std::string path;  // without links
    const File* file;
    size_t next = 0;  // of its inclusions
  };

  void enter(const std::string& path) {
    std::string real = real_path(path).value_or(path);
    if (!seen_.insert(real).second) return;
    const File* file = checks_.file(path);
    if (!file) return;
    for (const diag::Diagnostic& one : file->own.diagnostics()) problems_.push_back(&one);
    open_.push_back({std::move(real), file});
  }

  void follow(const Inclusion& inclusion) {
    std::string real = real_path(inclusion.file).value_or(inclusion.file);
    bool is_bound = !templates::is_asset_path(inclusion.mention.path);
    if (is_bound && !is_inside(real)) return report(inclusion.mention, "it escapes template root " + folder_);
    auto circle = std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.path == real; });
    if (circle == open_.end()) return enter(inclusion.file);
    std::string chain;
    for (; circle != open_.end(); ++circle) chain += circle->path + " → ";
    report(inclusion.mention, fmt::format("circular include detected: {}{}", chain, real));
  }

  bool is_inside(std::string_view real) const {
    return folder_ == "/" || (real.starts_with(folder_) && real.substr(folder_.size()).starts_with('/'));
  }

  void report(const Mention& mention, const std::string& why) {
    found_.report(Code::BadAssetPath, mention.source, mention.span, mention.who, mention.path, why);
  }

  PromptChecks& checks_;
  std::string folder_;
  diag::Sink& found_;
  std::set<std::string> seen_;
  std::vector<Open> open_;
  Problems problems_;
};

PromptChecks::Problems PromptChecks::of_file(const std::string& path) { return Walk(*this, path).from(path); }

PromptChecks::Problems PromptChecks::doubts_of_file(const std::string& path, int64_t most) {
  Problems problems;
  const File* found = file(path);
  if (!found || !found->source) return problems;
  diag::Sink& sink = uses_.emplace_back(diag::Sink::kAll);
  int64_t count = 0;
  Span told;  // branches of one `if` have one place
  for (const auto& branch : found->branches) {
    Span span = directive_at(*found->source, branch.place);
    if (branch.asks_provider && span != told) {
      sink.report(Code::TemplateProviderBranch, found->source, span)
          .label("lint[template-provider-identity-branch]")
          .help("ask what the model can do instead");
      told = span;
    }
    if (!branch.asks_capability || ++count != most + 1) continue;
    auto all =
        std::count_if(found->branches.begin(), found->branches.end(), [](auto& one) { return one.asks_capability; });
    sink.report(Code::TemplateVariants, found->source, span, all, most)
        .label("lint[template-variant-explosion]")
        .help("write a template for each kind of model, and choose one where it is rendered");
  }
  for (const diag::Diagnostic& one : sink.diagnostics()) problems.push_back(&one);
  return problems;
}

// Null when it cannot be read.
const PromptChecks::File* PromptChecks::file(const std::string& path) {
  auto [known, is_new] = files_.try_emplace(real_path(path).value_or(path));
  if (!is_new) return &known->second;
  auto text = read_file(path);
  if (!text) return nullptr;
  read(known->second, std::make_shared<const SourceFile>(path, std::move(*text)), path);
  return &known->second;
}

void PromptChecks::read(File& file, const SourcePtr& source, const std::string& path) {
  if (!text::is_valid_utf8(source->text())) {
    file.own.report(Code::TemplateSyntax, source, Span{}, path, "it is not UTF-8");
    return;
  }
  auto tree = templates::parse(source->text(), path);
  if (!tree) {
    const templates::Mistake& mistake = tree.error();
    file.own.report(Code::TemplateSyntax, source, directive_at(*source, mistake.place), path, mistake.what);
    return;
  }
  templates::Findings findings = templates::look_through(*tree);
  for (const templates::Mistake& mistake : findings.filters) {
    file.own.report(Code::TemplateFilter, source, directive_at(*source, mistake.place), path, mistake.what);
  }
  file.source = source;
  file.branches = std::move(findings.branches);
  for (const auto& inclusion : findings.inclusions) {
    Mention mention{"include", inclusion.path, modules::path::directory(path), source,
                    directive_at(*source, inclusion.place)};
    if (auto inner = find(mention, file.own)) file.includes.push_back({*inner, std::move(mention)});
  }
  file.own.sort_by_place(0);
}

// The file that is meant, if it is there.
std::optional<std::string> PromptChecks::find(const Mention& mention, diag::Sink& sink) {
  std::string path = modules::path::normalize(modules::path::join(mention.folder, mention.path));
  if (templates::is_asset_path(mention.path)) {
    auto asset = find_asset(mention, sink);
    if (!asset) return std::nullopt;
    path = *asset;
  }
  bool is_in_library = templates::is_library_path(mention.path);
  if (is_in_library && stdlib::embedded_prompt(mention.path)) return std::nullopt;  // as it should be
  if (!is_in_library && exists(path) && !is_directory(path)) return path;
  if (!is_in_library && !other_root_.empty() && !templates::is_asset_path(mention.path)) {
    std::string there = modules::path::normalize(modules::path::join(other_root_, mention.path));
    if (exists(there) && !is_directory(there)) return there;
  }
  sink.report(Code::TemplateMissing, mention.source, mention.span, mention.who, mention.path,
              is_in_library ? "std" : path);
  return std::nullopt;
}

std::optional<std::string> PromptChecks::find_asset(const Mention& mention, diag::Sink& sink) {
  auto bad = [&](const std::string& why) {
    sink.report(Code::BadAssetPath, mention.source, mention.span, mention.who, mention.path, why);
    return std::nullopt;
  };
  auto project = project_of(mention.folder);
  if (!project) return bad("no project root: there is no harn.toml here or above");
  std::string toml = modules::path::join(*project, "harn.toml");
  auto text = read_file(toml);
  if (!text) return bad(text.error().message);
  auto manifest = modules::parse_manifest(*text, toml);
  if (!manifest) return bad(manifest.error().message);
  auto path = templates::resolve_asset(mention.path, *project, manifest->asset_roots);
  if (!path) return bad(path.error());
  return *path;
}

}  // namespace harn::engine
