#pragma once

#include <string>
#include <vector>

#include "audit/callables.h"
#include "audit/capabilities.h"

// The ways through a body: steps with edges, in which only what invariants ask about is left.
//
//   if ready { write_file("a", "") }       0 ──> 1 "the condition is true" ──> 2 write_file ──> 4
//   log("done")                            0 ──> 3 "the condition is false" ─────────────────> 4
//
// What runs later, or perhaps never, is a way that ends where it ends: closures that are handed to somebody, tasks, `defer`.
// Such code has the gates that are open where it is made, which are open later, too. A step that fails goes on in the
// `catch` around it, with what was true before it.
namespace harn::audit {

struct Step {
  static constexpr uint32_t kNone = UINT32_MAX;
  enum class Kind : uint8_t { Pass, Call, Assign, Gate };

  Kind kind = Kind::Pass;
  const syntax::Node* node = nullptr;
  Span span;
  std::string note;            // for a way that is shown; empty: not worth a word
  std::vector<uint32_t> next;  // empty: the way ends here
  uint32_t fail = kNone;       // the `catch` around it
  bool leaves = false;         // the body is left here, back to the caller
  Gates grants = 0;            // Gate

  // ---- Call ----
  const Body* body = nullptr;
  std::string_view builtin;
  syntax::NodeList args;
  bool ends_aside = false;  // who is called may call later: nothing follows
};

struct Graph {
  std::vector<Step> steps;  // the first is the start
};

Graph make_graph(const Body& body, Callables& callables);

// `harness.fs.write_text(...)`, `budget.remaining`: names with dots between. Empty for anything else.
std::string dotted(const syntax::Node& node);

}  // namespace harn::audit
