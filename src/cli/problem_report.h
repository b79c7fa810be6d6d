#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cli/json.h"
#include "diag/diagnostic.h"

namespace harn::cli {

// What commands that look for problems print about files: text for people, or an envelope.
class ProblemReport {
 public:
  using Problems = std::span<const diag::Diagnostic* const>;

  // `clean` stands behind the name of a file without problems; `code` is that of the envelope's error.
  ProblemReport(bool json, std::string_view clean, std::string_view code);

  void add(const std::string& path, Problems problems);
  void unreadable(const std::string& path, const std::string& message);
  // Prints the envelope. `fields` are added to the summary: `"fixed":3`.
  void finish(bool failed, std::string_view fields = "");

  int64_t files_with_errors() const { return errors_; }
  int64_t files_with_warnings() const { return warnings_; }

 private:
  // A module that several checked files import is reported once.
  bool is_new(const diag::Diagnostic& diagnostic) { return seen_.insert(&diagnostic).second; }
  void show(Problems problems, size_t left_out);
  void add_file(const std::string& path, std::string_view status, Problems problems);

  bool json_;
  std::string clean_, code_;
  JsonWriter report_;
  int64_t ok_ = 0, warnings_ = 0, errors_ = 0, diagnostics_ = 0;
  std::unordered_set<const diag::Diagnostic*> seen_;
};

}  // namespace harn::cli
