// Templates (src/templates) for programs: which file a path means, what was read before, and where rendered text comes from.
#include <map>
#include <mutex>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "effects/environment.h"
#include "effects/files.h"
#include "effects/template_file.h"
#include "modules/manifest.h"
#include "modules/path.h"
#include "std/embedded.h"
#include "templates/asset_path.h"
#include "templates/parser.h"
#include "templates/renderer.h"
#include "templates/renders.h"
#include "vm/fiber.h"
#include "vm/trace.h"

namespace harn::builtins {
namespace {

using namespace vm;
using effects::perform;
using templates::Loaded;

using Tree = std::shared_ptr<const templates::Template>;

// What the templates of a VM have in common.
struct Prompts {
  static constexpr size_t kMostKept = 256;

  // A file is read every time and parsed when its text has changed: to ask for its time would take as long, and would be
  // wrong for changes within a tick of the clock.
  struct Kept {
    std::string text;
    Tree tree;
  };
  SpinLock lock;
  templates::Renders renders;
  std::map<std::string, std::shared_ptr<const Kept>> parsed;  // by path
  int64_t prompts = 0;                                        // that got an id
  int64_t rendered = 0;                                       // that were marked
};

Outcome<Tree> parse(std::string_view text, const std::string& path) {
  auto tree = templates::parse(text, path);
  if (!tree) {
    return with_facts(throw_text(ErrorKind::Invalid, "{}", templates::message_of(tree.error(), path)),
                      templates::kMistakeCode);
  }
  return std::make_shared<const templates::Template>(*std::move(tree));
}

Outcome<Tree> parse_file(Prompts& prompts, const std::string& path, std::string text) {
  std::shared_ptr<const Prompts::Kept> kept;
  {
    std::lock_guard lock(prompts.lock);
    if (auto found = prompts.parsed.find(path); found != prompts.parsed.end()) kept = found->second;
  }
  if (kept && kept->text == text) return kept->tree;
  Tree tree = HARN_TRY(parse(text, path));
  kept = std::make_shared<const Prompts::Kept>(std::move(text), tree);
  std::lock_guard lock(prompts.lock);
  if (prompts.parsed.size() >= Prompts::kMostKept) prompts.parsed.clear();
  prompts.parsed[path] = std::move(kept);
  return tree;
}

// ---- files ----

// The templates of one call. Paths begin at the folder of the source that calls; in an included template at its own.
class Files : public templates::Loader {
 public:
  explicit Files(Call& call)
      : call_(call), run_(effects::Run::current(call.vm())), prompts_(call.vm().local<Prompts>()) {}

  Outcome<Loaded> open(const std::string& path) {
    if (templates::is_library_path(path)) return of_library(path, "Failed to read template");
    return read(HARN_TRY(resolve(path, "")), "", "Failed to read template");
  }

  Outcome<Loaded> include(const std::string& path, const std::string& from, const std::string& root) override {
    bool is_plain = !templates::is_library_path(path) && !templates::is_asset_path(path);
    if (from.starts_with(kLibrary) && is_plain) return beside_library(path, from);
    if (templates::is_library_path(path)) return of_library(path, kIncluded);
    std::string folder = from.empty() ? "" : modules::path::directory(from);
    std::string file = HARN_TRY(resolve(path, folder));
    if (templates::is_asset_path(path)) return read(file, "", kIncluded);
    // From the library only `@` leads to files, which may include what is beside them.
    bool has_folder = !root.empty() && !root.starts_with(kLibrary);
    std::string within = has_folder       ? modules::path::directory(root)
                         : folder.empty() ? HARN_TRY(paths()).asset_root
                                          : folder;
    return read(file, within, kIncluded);
  }

 private:
  static constexpr const char* kIncluded = "failed to read included template";
  static constexpr std::string_view kLibrary = "std://";

  // What comes with Harn; `std/x` is called `std://x`. No file is read.
  Outcome<Loaded> of_library(const std::string& path, const char* failure) {
    const stdlib::EmbeddedPrompt* found = stdlib::embedded_prompt(modules::path::normalize(path));
    if (!found) return throw_text(ErrorKind::NotFound, "{} {}: the library has no such asset", failure, path);
    std::string identity = std::string(kLibrary) + std::string(found->path.substr(std::string_view("std/").size()));
    return Loaded{HARN_TRY(parse_file(prompts_, identity, std::string(found->text))), identity};
  }

  Outcome<Loaded> beside_library(const std::string& path, const std::string& from) {
    std::string folder = "std/" + modules::path::directory(from.substr(kLibrary.size()));
    std::string file = modules::path::normalize(modules::path::join(folder, path));
    if (!file.starts_with("std/"))
      return throw_text(ErrorKind::Invalid, "{} {}: it escapes template root", kIncluded, path);
    return of_library(file, kIncluded);
  }

  // Asked for once, when it is needed.
  Outcome<effects::FindPaths::Answer> paths() {
    if (!paths_) {
      std::string_view source = calling_source(Scheduler::current());
      std::string folder = source.empty() ? "" : modules::path::directory(source);
      paths_ = HARN_TRY(perform(run_, effects::FindPaths{folder == "." ? "" : folder}));
    }
    return *paths_;
  }

  // `folder` is where plain paths begin; empty: at the source.
  Outcome<std::string> resolve(const std::string& path, std::string folder) {
    if (path.empty()) return throw_text(ErrorKind::Invalid, "{}: the path is empty", call_.row().name);
    if (templates::is_asset_path(path)) return resolve_asset(path);
    if (path.starts_with('/')) return path;
    if (folder.empty()) folder = HARN_TRY(paths()).asset_root;
    return modules::path::normalize(modules::path::join(folder, path));
  }

  Outcome<std::string> resolve_asset(const std::string& path) {
    auto places = HARN_TRY(paths());
    if (places.project_root.empty()) {
      return throw_text(ErrorKind::NotFound, "{}: no project root for `{}`: there is no harn.toml in {} or above",
                        call_.row().name, path, places.asset_root);
    }
    modules::Manifest manifest = HARN_TRY(read_manifest(places.project_root));
    auto file = templates::resolve_asset(path, places.project_root, manifest.asset_roots);
    if (!file) return throw_text(ErrorKind::Invalid, "{}: {}", call_.row().name, file.error());
    return *file;
  }

  Outcome<modules::Manifest> read_manifest(const std::string& project) {
    effects::ReadFile request;
    request.builtin = call_.row().name;
    request.path = project + "/harn.toml";
    auto manifest = modules::parse_manifest(HARN_TRY(perform(run_, request)), request.path);
    if (!manifest) return throw_text(ErrorKind::Invalid, "{}: {}", call_.row().name, manifest.error().message);
    return *std::move(manifest);
  }

  Outcome<Loaded> read(const std::string& path, const std::string& within, const char* failure) {
    effects::ReadTemplate request;
    request.builtin = call_.row().name;
    request.path = path;
    request.within = within;
    request.failure = failure;
    auto answer = HARN_TRY(perform(run_, request));
    Tree tree = HARN_TRY(parse_file(prompts_, answer.path, std::move(answer.text)));
    return Loaded{std::move(tree), std::move(answer.path)};
  }

  Call& call_;
  effects::Run& run_;
  Prompts& prompts_;
  std::optional<effects::FindPaths::Answer> paths_;
};

// ---- rendering ----

Outcome<Value> bindings_of(Call& call) {
  const Value& bindings = call.arg(1);
  if (bindings.is_nil() || bindings.is_dict() || bindings.is(Kind::Struct)) return bindings;
  return type_error("{}: bindings must be a dict, got {}", call.row().name, type_name(bindings));
}

Outcome<Value> render_string(Call& call) {
  Tree tree = HARN_TRY(parse(HARN_TRY(call.text(0)), ""));
  Files files(call);
  return text_value(HARN_TRY(templates::render(files, {std::move(tree), ""}, HARN_TRY(bindings_of(call)))));
}

// Only an include waits for anything.
Step render_string_step(WaitCall& call) {
  bool may_wait = call.arg(0).is_string() && call.arg(0).as_string()->view().contains("include");
  return may_wait ? run_on_fiber(call, render_string) : blocking<render_string>(call);
}

Outcome<Value> render(Call& call) {
  auto path = HARN_TRY(call.text(0));
  Files files(call);
  Loaded root = HARN_TRY(files.open(std::string(path)));
  return text_value(HARN_TRY(templates::render(files, root, HARN_TRY(bindings_of(call)))));
}

// ---- where text comes from ----

Value span_value(const templates::Span& span) {
  auto number = [](size_t n) { return Value::integer(static_cast<int64_t>(n)); };
  DictBuilder out;
  out.add("template_line", number(span.place.line))
      .add("template_col", number(span.place.column))
      .add("output_start", number(span.start))
      .add("output_end", number(span.end))
      .add("kind", text_value(span.kind));
  if (span.has_value) out.add("bound_value", text_value(span.bound_value));
  return out.done();
}

// The name under which it can be asked about.
std::string keep(Call& call, std::vector<templates::Span> spans) {
  auto& prompts = call.vm().local<Prompts>();
  std::lock_guard lock(prompts.lock);
  std::string id = fmt::format("prompt-{}", ++prompts.prompts);
  prompts.renders.keep({id, std::move(spans)});
  return id;
}

Outcome<Value> render_with_provenance(Call& call) {
  auto path = HARN_TRY(call.text(0));
  Files files(call);
  Loaded root = HARN_TRY(files.open(std::string(path)));
  std::vector<templates::Span> spans;
  std::string text = HARN_TRY(templates::render(files, root, HARN_TRY(bindings_of(call)), &spans));
  auto list = new_list(spans.size());
  for (const templates::Span& span : spans) {
    step(8);
    list->push(span_value(span));
  }
  return DictBuilder()
      .add("text", text_value(text))
      .add("template_uri", text_value(root.identity))
      .add("prompt_id", text_value(keep(call, std::move(spans))))
      .add("spans", Value(std::move(list)))
      .done();
}

// ---- asking about texts that were rendered ----

// The span with the template that it is in, and the includes that led there, the innermost first.
Value origin_value(const templates::Span& span) {
  auto includes = new_list();
  for (auto* at = span.origin.get(); at->includer; at = at->includer.get()) {
    includes->push(DictBuilder()
                       .add("template_uri", text_value(at->includer->uri))
                       .add("template_line", Value::integer(at->place.line))
                       .add("template_col", Value::integer(at->place.column))
                       .done());
  }
  Value value = span_value(span);
  dict_set(value, "template_uri", text_value(span.origin->uri));
  dict_set(value, "included_from", Value(std::move(includes)));
  return value;
}

// (prompt_id, offset)
Outcome<Value> prompt_span_at(Call& call) {
  auto id = HARN_TRY(call.text(0));
  int64_t offset = HARN_TRY(call.integer(1));
  auto& prompts = call.vm().local<Prompts>();
  std::lock_guard lock(prompts.lock);
  const templates::Render* render = prompts.renders.find(id);
  if (!render || offset < 0) return Value();
  const templates::Span* span = templates::span_at(render->spans, static_cast<size_t>(offset));
  return span ? origin_value(*span) : Value();
}

// (template_uri, line)
Outcome<Value> prompt_spans_of(Call& call) {
  auto uri = HARN_TRY(call.text(0));
  int64_t line = HARN_TRY(call.integer(1));
  auto& prompts = call.vm().local<Prompts>();
  std::lock_guard lock(prompts.lock);
  auto found = new_list();
  for (const templates::Render& render : prompts.renders.all()) {
    for (const templates::Span* span : templates::spans_of(render.spans, uri, static_cast<uint32_t>(line))) {
      Value value = origin_value(*span);
      dict_set(value, "prompt_id", text_value(render.id));
      found->push(std::move(value));
    }
  }
  return found;
}

Outcome<Value> prompt_mark_rendered(Call& call) {
  HARN_CHECK(call.text(0));
  auto& prompts = call.vm().local<Prompts>();
  std::lock_guard lock(prompts.lock);
  return Value::integer(++prompts.rendered);
}

constinit const Builtin kRows[] = {
    {.name = "prompt_mark_rendered",
     .signature = "(prompt_id: string) -> int",
     .doc = "Notes that a prompt was used, and says how many were before, this one included.",
     .example = R"(prompt_mark_rendered("prompt-1") + 1 == prompt_mark_rendered("prompt-1"))",
     .call = prompt_mark_rendered},
    {.name = "prompt_span_at",
     .signature = "(prompt_id: string, offset: int) -> dict?",
     .doc = "What a byte of a text by render_with_provenance comes from: a span with `template_uri` and "
            "`included_from`. Only the last 64 "
            "texts are known.",
     .example = R"(prompt_span_at("prompt-0", 0) == nil)",
     .call = prompt_span_at},
    {.name = "prompt_spans_of",
     .signature = "(template_uri: string, line: int) -> list<dict>",
     .doc = "What became of a line of a template in the last 64 texts: spans with `prompt_id`.",
     .example = R"(prompt_spans_of("std://none.harn.prompt", 1) == [])",
     .call = prompt_spans_of},
    {.name = "render",
     .signature = "(path: string, bindings?: dict) -> string",
     .doc = "Fills in the template in a file with the values of a dict; the path begins at the source file, `@/` at "
            "the project.",
     .example = R"(unwrap_err(try { render("/no/such/file") }).starts_with("Failed to read template /no/such/file"))",
     .needs = Capability::FileRead,
     .flags = BuiltinFlags::Template,
     .wait = on_fiber<render>},
    {.name = "render_prompt",
     .signature = "(path: string, bindings?: dict) -> string",
     .doc = "The same as render.",
     .example = R"(unwrap_err(try { render_prompt("/no/such/file") }).starts_with("Failed to read template"))",
     .needs = Capability::FileRead,
     .flags = BuiltinFlags::Template,
     .wait = on_fiber<render>},
    {.name = "render_string",
     .signature = "(template: string, bindings?: dict) -> string",
     .doc = "Fills in a template with the values of a dict.",
     .example = R"(render_string("Hi {{ name | upper }}", {name: "ada"}) == "Hi ADA")",
     .wait = render_string_step},
    {.name = "render_with_provenance",
     .signature = "(path: string, bindings?: dict) -> dict",
     .doc = "Renders a file and says which part of the text comes from where: {text, template_uri, prompt_id, spans}.",
     .example = R"(unwrap_err(try { render_with_provenance("/no/such/file") }).starts_with("Failed to read template"))",
     .needs = Capability::FileRead,
     .flags = BuiltinFlags::Template,
     .wait = on_fiber<render_with_provenance>},
};

// Ids go on where they were when a program is taken up again; what was parsed is parsed again, and texts from before are not known.
void prompt_fields(park::Archive& archive, Vm& vm) {
  auto& prompts = vm.local<Prompts>();
  archive.number(prompts.prompts);
  archive.number(prompts.rendered);
}

}  // namespace

const park::PartRow kPromptsPart = {"prompts", prompt_fields};

std::span<const Builtin> template_rows() { return kRows; }

}  // namespace harn::builtins
