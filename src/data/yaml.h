#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/format_error.h"
#include "vm/value.h"

// YAML text from values and back, by the core schema of YAML 1.2.
namespace harn::data {

// The value of a text with one document; nil for one without. Aliases share the value of their anchor.
Parsed<vm::Value> parse_yaml(std::string_view text);

// Where the parts of a document are, for whoever has to say what is wrong with one of them.
struct YamlPlaces {
  struct Place {
    std::string path;  // "rules[0].when.path"
    size_t line = 0;   // from 1
  };
  std::vector<Place> all;       // in the order of the document
  std::vector<Place> repeated;  // keys that their mapping has already; the last one counts
};

// The same, and where everything is. A document that cannot be read may have places all the same.
Parsed<vm::Value> parse_yaml(std::string_view text, YamlPlaces& places);

// Appends the value in block style. Fails when it nests too deeply or grows too large; `out` is then unusable.
Written append_yaml(std::string& out, const vm::Value& value);

}  // namespace harn::data
