#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// UTF-8 and small text questions. Text that came in as bytes may be broken UTF-8; every function
// here then treats each bad byte as one character and never reads past the end.
namespace harn::text {

inline bool is_identifier_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }
bool is_identifier(std::string_view word);

bool is_ascii(std::string_view bytes);
size_t count_chars(std::string_view utf8);
bool is_valid_utf8(std::string_view bytes);
// Replaces every broken sequence by U+FFFD.
std::string to_valid_utf8(std::string_view bytes);

// The number of bytes of the character that starts at `at` (at least 1).
size_t char_size(std::string_view utf8, size_t at);
// The byte offset of character number `index`, or the size of the text when there are fewer.
size_t char_offset(std::string_view utf8, size_t index);
// The byte offset of the character that `count` characters from there to the end begin with.
size_t char_offset_from_end(std::string_view utf8, size_t count);
// The code point that starts at `at`; a bad byte decodes as U+FFFD.
char32_t decode(std::string_view utf8, size_t at);
void append_utf8(std::string& out, char32_t code_point);

// Unicode white space, as `trim` sees it.
bool is_space(char32_t code_point);
// A to Z in lower case; everything else stays.
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string ascii_lower(std::string_view text);
// Whether a text fits a pattern in which `*` stands for any characters. It goes back to the last star only, so the time is
// at most that of all places times the length of the pattern.
bool matches_stars(std::string_view pattern, std::string_view text);

std::string_view trim(std::string_view utf8);
std::string_view trim_start(std::string_view utf8);
std::string_view trim_end(std::string_view utf8);

std::vector<std::string_view> split(std::string_view text, std::string_view separator);
// "a, b" as its words, without white space around them; empty ones are left out.
std::vector<std::string> comma_list(std::string_view text);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// Number of single-character edits between two words, at most `limit` + 1.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);
// The candidates closest to `word` (best first, at most `most`), close enough to be a slip of the
// keyboard; empty when nothing is. Of two that are equally close the one listed first is better.
std::vector<std::string_view> close_names(std::string_view word, std::span<const std::string_view> candidates,
                                          size_t most = 3);

// What a person reads on a terminal must not move the cursor, clear lines or turn the direction of text around: characters that would are written
// as `\u{1b}`, ends of lines, unless they are kept, as `\n`.
enum class Lines : uint8_t { Written, Kept };
std::string visible(std::string_view text, Lines lines = Lines::Written);

// "1 item", "2 items".
std::string plural(size_t count, std::string_view noun);
// "2 arguments", "1 to 3 arguments"; "at least 1 argument" when `most` is SIZE_MAX.
std::string argument_count(size_t least, size_t most);

}  // namespace harn::text
