#include <cstdint>
#include <string>

#include "base/assert.h"
#include "templates/parser.h"
#include "templates/renderer.h"
#include "vm/dict.h"

using namespace harn;

// Every path is the same small template, so that includes go as deep as they may.
class OnePart : public templates::Loader {
 public:
  vm::Outcome<templates::Loaded> include(const std::string& path, const std::string&, const std::string&) override {
    auto tree = templates::parse("[{{ x }}{{ include p with { x: loop } }}]", path);
    return templates::Loaded{std::make_shared<templates::Template>(*tree), path};
  }
};

static vm::Value bindings() {
  auto list = vm::new_list();
  for (int i = 0; i < 3; ++i) list->push(vm::Value::integer(i));
  return vm::DictBuilder()
      .add("x", vm::text_value("some téxt\nlines "))
      .add("p", vm::text_value("part"))
      .add("l", vm::Value(std::move(list)))
      .add("d", vm::DictBuilder().add("a", vm::Value::number(0.5)).done())
      .done();
}

// Whatever the text is, it is an error with a place or a text; and spans lie in that.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(input), size);
  auto tree = templates::parse(text, "");
  if (!tree) {
    HARN_ASSERT(tree.error().place.line > 0, "a mistake has no place");
    return 0;
  }
  OnePart loader;
  std::vector<templates::Span> spans;
  auto rendered =
      templates::render(loader, {std::make_shared<templates::Template>(*std::move(tree)), ""}, bindings(), &spans);
  if (!rendered) return 0;
  for (const templates::Span& span : spans) {
    HARN_ASSERT(span.start <= span.end && span.end <= rendered->size(), "a span is outside of the text");
  }
  return 0;
}
