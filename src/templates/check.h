#pragma once

#include "templates/template.h"

// What can be said of a template without values. Any thread.
namespace harn::templates {

struct Findings {
  // `{{ include "part.prompt" }}`: a path that is written out.
  struct Inclusion {
    Place place;
    std::string path;
  };
  // A branch of an `if` that asks what the model can do (`capabilities.vision`), or who serves it (`provider == "acme"`).
  struct Branch {
    Place place;
    bool asks_capability = false;
    bool asks_provider = false;
  };
  std::vector<Mistake> filters;  // that do not exist, or are given the wrong number of arguments
  std::vector<Inclusion> inclusions;
  std::vector<Branch> branches;  // that ask either
};
Findings look_through(const Template& tree);

}  // namespace harn::templates
