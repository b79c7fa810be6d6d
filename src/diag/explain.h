#pragma once

// The pages of explain/*.md, embedded by embed.cmake.
namespace harn::diag {

struct Explanation {
  const char* id;
  const char* page;
};

extern const Explanation kExplanations[];
extern const unsigned kExplanationCount;

}  // namespace harn::diag
