#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "templates/renderer.h"

// The last texts that were rendered, for whoever looks at a text and asks where in which template a part of it comes from, or
// the other way round: a debugger, a person who reads a prompt.
//
//   const Render* render = renders.find("prompt-3");
//   const Span* span = span_at(render->spans, 120);   // {{ user.name }} at 4:7 of span->origin->uri
namespace harn::templates {

struct Render {
  std::string id;  // "prompt-3"
  std::vector<Span> spans;
};

// Not safe to use from several threads.
class Renders {
 public:
  static constexpr size_t kMost = 64;

  // The oldest goes when there are more.
  void keep(Render render);
  // Null: there was none of that name, or it is too old.
  const Render* find(std::string_view id) const;
  const std::deque<Render>& all() const { return all_; }

 private:
  std::deque<Render> all_;
};

// What a byte of the text comes from: a value rather than text, that rather than a block around it; of equals the shortest. Null: the
// text is shorter.
const Span* span_at(const std::vector<Span>& spans, size_t offset);
// What became of a line of a template, whoever included it, in the order of the text. Text has no line, and is part of the blocks around it.
std::vector<const Span*> spans_of(const std::vector<Span>& spans, std::string_view uri, uint32_t line);

}  // namespace harn::templates
