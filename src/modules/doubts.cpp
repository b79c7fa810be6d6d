#include "modules/doubts.h"

#include <algorithm>

#include "base/text.h"

namespace harn::modules {

// The word at an offset; empty when there is none.
static std::string_view word_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && text::is_identifier_part(text[end])) ++end;
  return text.substr(at, end - at);
}

void Doubts::add_places(const syntax::Tree& tree) {
  places = tree.broken;
  any_name = tree.lacks_name;
  for (Span place : places) {
    std::string_view text = tree.source->text(place);
    for (size_t at = 0; at < text.size();) {
      std::string_view word = word_at(text, at);
      if (!word.empty()) names.insert(word);
      at += std::max<size_t>(1, word.size());
    }
  }
}

bool Doubts::add_names(const Doubts& other) {
  size_t before = names.size() + any_name;
  names.insert(other.names.begin(), other.names.end());
  any_name |= other.any_name;
  return names.size() + any_name > before;
}

bool Doubts::touch(Span span) const {
  auto place = std::lower_bound(places.begin(), places.end(), span.start,
                                [](Span one, uint32_t start) { return one.end <= start; });
  return place != places.end() && place->start < span.end;
}

// Reports that something is not declared, or that a builtin is meant because nothing else is.
static bool is_about_missing(diag::Code code) {
  using enum diag::Code;
  return code == UnknownVariable || code == UnknownCallTarget || code == UnknownVariant ||
         code == BuiltinArgumentCount || code == BadMatchPattern || code == UnknownPipeline;
}

bool Doubts::is_doubtful(std::string_view path) const {
  for (size_t at = 0;;) {
    std::string_view word = word_at(path, at);
    if (names.contains(word)) return true;
    at += word.size();
    if (word.empty() || at == path.size() || path[at] != '.') return false;
    ++at;
  }
}

bool Doubts::concern(const diag::Diagnostic& diagnostic) const {
  // Whether the other module has the name after all was looked at before it was told.
  if (diagnostic.code == diag::Code::NotExported) return touch(diagnostic.span);
  if (touch(diagnostic.span) || is_doubtful(diagnostic.source->text(diagnostic.span))) return true;
  if (any_name && is_about_missing(diagnostic.code)) return true;
  return std::any_of(diagnostic.labels.begin(), diagnostic.labels.end(),
                     [&](const diag::Label& label) { return label.source == diagnostic.source && touch(label.span); });
}

}  // namespace harn::modules
