#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/graph.h"
#include "base/source.h"

// Goes all ways through a body and through what it calls, with the gates that are open on each way.
namespace harn::audit {

// One place on the way to a step.
struct Waypoint {
  SourcePtr source;
  Span span;
  std::string text;
};

// Texts that parameters have in a call, by position; nothing where nobody knows.
using KnownTexts = std::vector<std::optional<std::string>>;

// A step that was reached, for as long as the visitor looks at it.
class Reached {
 public:
  virtual ~Reached() = default;
  virtual const Step& step() const = 0;
  virtual const Body& body() const = 0;
  virtual Gates gates() const = 0;
  // The text that an expression is for certain.
  virtual std::optional<std::string> text_of(const syntax::Node& node) const = 0;
  // How control comes here, from the handler on.
  virtual std::vector<Waypoint> way() const = 0;
  // What is called here is nested too deep to be followed: nothing is known about it.
  virtual bool is_too_deep() const = 0;
};

// `visit` is called for each call and assignment that is reached, with each set of gates once.
//
// A function is looked at once for each set of gates and known texts that it is called with. What it leaves open behind it
// is found out by going round until nothing is new, so functions may call each other in circles.
void explore(const Body& handler, Callables& callables, const std::function<void(const Reached&)>& visit);

}  // namespace harn::audit
