#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/yaml.h"
#include "vm/value.h"

// A file that begins with YAML between two lines of `---` and goes on with a text:
//
//   ---
//   name: builder
//   ---
//   You build things.
//
// A byte order mark and lines that end with CR LF make no difference; a `---` further down belongs to the text.
namespace harn::data {

struct FrontMatter {
  struct Problem {
    size_t line = 1;  // of the file, from 1
    std::string field = {};
    std::string message;
    std::string fix;
  };
  vm::Value fields;      // a dict; nil where there is none that can be read
  std::string body;      // its lines end with "\n"
  size_t body_line = 1;  // the line on which the body begins
  YamlPlaces places;     // lines are those of the file
  std::vector<Problem> problems;
};

// Never fails: what is wrong is in `problems`, all of it that can be seen at once.
FrontMatter parse_front_matter(std::string_view text);

}  // namespace harn::data
