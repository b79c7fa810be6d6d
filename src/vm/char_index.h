#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Where the characters of a long text beyond ASCII begin: the byte offset of every 32nd.
//
// A string with room for 128 bytes or more keeps the address of its index behind its text; the index
// is made when somebody first asks for a character by number. It covers a beginning of the text:
// while one task owns the string and appends to it, the index is extended by what was added. Once
// several tasks share the string its index never changes: who needs more makes a whole one, and the
// old one stays for those who are reading it.
namespace harn::vm {

struct StringObject;

struct CharIndex {
  static constexpr size_t kStep = 32;

  CharIndex* older;   // replaced by this one, freed with it
  uint32_t capacity;  // offsets there is room for
  uint32_t count;     // offsets known: of characters 0, kStep, 2 * kStep, ...

  uint32_t* offsets() { return reinterpret_cast<uint32_t*>(this + 1); }
  const uint32_t* offsets() const { return reinterpret_cast<const uint32_t*>(this + 1); }
  void destroy();
  // For a text that its one owner has cut to that many characters.
  void shorten(size_t chars) { count = static_cast<uint32_t>(std::min<size_t>(count, (chars + kStep - 1) / kStep)); }

  // The index of a text with one, with at least `count` offsets (no more than it has such characters).
  static const CharIndex* of(const StringObject& text, size_t count);
};

}  // namespace harn::vm
