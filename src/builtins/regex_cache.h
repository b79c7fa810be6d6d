#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace re2 {
class RE2;
}

namespace harn::builtins {

// Shared by the cache and by searches that run aside (vm/aside.h).
using Regex = std::shared_ptr<const re2::RE2>;

// Compiled patterns, one cache for each worker. A pattern is compiled once; when there are too many, all are
// dropped and compiled again as they are needed.
class RegexCache {
 public:
  RegexCache();
  ~RegexCache();
  static RegexCache& of_thread();

  // The pattern with flags out of "imsx", compiled for `text`: `\w`, `\d` and `\s` mean Unicode
  // classes, but text that is all ASCII cannot tell, and the smaller automaton is faster. The error
  // is the sentence after "Invalid regex: ".
  std::expected<Regex, std::string> get(std::string_view pattern, std::string_view flags, bool text_is_ascii);

 private:
  std::string key_;
  std::unordered_map<std::string, Regex> compiled_;
};

// The pattern as RE2 reads it: flags in front, `(?<name>` as `(?P<name>`, the `x` flag worked off,
// and Unicode classes written out if wanted.
std::string translate_pattern(std::string_view pattern, std::string_view flags, bool use_unicode);

}  // namespace harn::builtins
