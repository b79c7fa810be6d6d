#pragma once

#include <functional>
#include <memory>

#include "compile/analysis.h"
#include "lint/settings.h"

// The lints as an analysis of the front end: one list of a module's nodes is made, each rule is handed those it wants.
//
//   compile::MakeAnalysis make = lint::make_linter([&](const modules::Module& module) { return &settings; });
namespace harn::lint {

// The settings for a module; null: it is not to be looked at.
using SettingsOf = std::function<const Settings*(const modules::Module& module)>;

// Reports in the order of places. Rules that the settings switch off are not asked; what comments allow is for whoever shows
// the reports to leave out (silence.h).
compile::MakeAnalysis make_linter(SettingsOf settings);

}  // namespace harn::lint
