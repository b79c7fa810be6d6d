#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

// Patterns for paths: `*` and `?` within a name, `[a-z]`, `[!a-z]`, `{one,two}`, and `**` for any number of directories. A
// backslash takes the next character as it is. Names that begin with a dot are matched by a dot that is written out only.
//
//   auto glob = Glob::parse("src/**/*.{h,cpp}");   // or what is wrong with it
//   glob->matches("src/vm/value.h");
//
// The pattern becomes a machine that is in several states at once, so that the time for a path is at most the product of both
// lengths, whatever the pattern is. A walk carries the states of each directory along, and sees early where nothing can match.
namespace harn::effects {

class Glob {
 public:
  enum class Hidden : uint8_t { No, Yes };  // whether wildcards match names that begin with a dot
  static std::expected<Glob, std::string> parse(std::string_view pattern, Hidden hidden = Hidden::No);

  // Where the machine is after a part of a path.
  struct States {
    std::vector<uint32_t> at = {};
    bool begins_name = true;  // the next character is the first of a name
    bool is_dead() const { return at.empty(); }
  };
  States start() const;
  States after(States states, std::string_view text) const;
  bool accepts(const States& states) const;

  bool matches(std::string_view path) const { return accepts(after(start(), path)); }

 private:
  friend class GlobParser;
  enum class Kind : uint8_t { Char, Any, Class, Split, Accept };
  enum class Reach : uint8_t { Name, Path };  // whether a wildcard goes past a slash
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Node {
    Kind kind;
    Reach reach = Reach::Name;
    bool is_negated = false;                                 // Class
    char32_t character = 0;                                  // Char
    std::vector<std::pair<char32_t, char32_t>> ranges = {};  // Class
    uint32_t next = kNone;
    uint32_t other = kNone;  // Split
  };

  bool takes(const Node& node, char32_t c, bool begins_name) const;
  void add(std::vector<uint32_t>& to, std::vector<bool>& seen, uint32_t node) const;

  std::vector<Node> nodes_;
  uint32_t start_ = 0;
  Hidden hidden_ = Hidden::No;
};

}  // namespace harn::effects
