#pragma once

#include <memory>
#include <string>
#include <vector>

#include "templates/template.h"
#include "vm/error.h"
#include "vm/value.h"

// Text by a template and values.
//
//   std::string text = HARN_TRY(render(loader, template, bindings));
//
// For the running task. Does not recurse, whatever the template; calls `step` as it goes. What is wrong with a template or
// its values is an error of the program that begins with file and place.
namespace harn::templates {

// The code of errors that say where in a template something is wrong.
constexpr std::string_view kMistakeCode = "template";

// A template of a file, and what that file is called whoever asks for it.
struct Loaded {
  std::shared_ptr<const Template> tree;
  std::string identity;
};

// Where included templates come from.
class Loader {
 public:
  virtual ~Loader() = default;
  // `from` is the identity of the template that includes it, empty for text that is in no file; `root` that of the outermost
  // one. To an error that is not of `kMistakeCode` the renderer adds the place.
  virtual vm::Outcome<Loaded> include(const std::string& path, const std::string& from, const std::string& root) = 0;
};

// A template, and who included it.
struct Origin {
  std::string uri;                              // the identity of the template
  Place place = {};                             // of the directive in the includer
  std::shared_ptr<const Origin> includer = {};  // null: it is the outermost
};

// Which part of a template a part of the text comes from.
struct Span {
  Place place;
  std::shared_ptr<const Origin> origin;  // the template that the place is in
  size_t start, end;                     // bytes of the text
  std::string_view kind;
  std::string bound_value;  // of interpolations: the beginning of the value
  bool has_value = false;
};

constexpr size_t kMostIncludes = 32;  // within each other

// The text. `spans`, unless null, is told where each part of it comes from, inner parts before those around them.
vm::Outcome<std::string> render(Loader& loader, const Loaded& root, const vm::Value& bindings,
                                std::vector<Span>* spans = nullptr);

}  // namespace harn::templates
