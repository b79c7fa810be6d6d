#include "base/result.h"
#include "builtins/families.h"
#include "templates/parser.h"
#include "templates/renderer.h"

namespace harn::builtins {
namespace {

using namespace vm;
using templates::Loaded;

// Files are not read yet.
class NoFiles : public templates::Loader {
 public:
  Outcome<Loaded> include(const std::string& path, const std::string&, const std::string&) override {
    return throw_text(ErrorKind::Unsupported, "render_string: including {} is not supported yet", path);
  }
};

Outcome<Value> render_string(Call& call) {
  auto text = HARN_TRY(call.text(0));
  auto tree = templates::parse(text, "");
  if (!tree) return throw_text(ErrorKind::Invalid, "{}", templates::message_of(tree.error(), ""));
  NoFiles files;
  return text_value(
      HARN_TRY(templates::render(files, {std::make_shared<templates::Template>(*std::move(tree)), ""}, call.arg(1))));
}

constinit const Builtin kRows[] = {
    {.name = "render_string",
     .signature = "(template: string, bindings?: dict) -> string",
     .doc = "Fills in a template with the values of a dict.",
     .example = R"(render_string("Hi {{ name | upper }}", {name: "ada"}) == "Hi ADA")",
     .call = render_string},
};

}  // namespace

std::span<const Builtin> template_rows() { return kRows; }

}  // namespace harn::builtins
