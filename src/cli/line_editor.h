#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harn::cli {

// Reads lines on a terminal, with history and completion. Uses libedit when it is installed; it is
// loaded here, so that other commands do not pay for it.
class LineEditor {
 public:
  // All words that may complete the one being typed.
  using Candidates = std::function<std::vector<std::string>(std::string_view prefix)>;

  // `history`: the name of the file in ~/.harn that keeps earlier lines.
  explicit LineEditor(Candidates candidates, const std::string& history = "repl_history");
  ~LineEditor();

  // Ctrl-C at the prompt drops the line, from now on: whoever wants signals in between takes them back after each read.
  static void take_interrupts();
  // Ends a read as Ctrl-C does. For any thread, and for signal handlers.
  static void interrupt();

  enum class Ended { InputEnd, Interrupt };
  struct Line {
    std::string text;
    std::optional<Ended> ended;  // set: there is no text
  };
  Line read(const char* prompt);
  void remember(const std::string& line);

 private:
  static char* next_candidate(const char* text, int state);
  static char** complete(const char* text, int start, int end);

  static LineEditor* active_;
  Candidates candidates_;
  std::vector<std::string> found_;
  struct Library;  // the functions of libedit
  std::unique_ptr<Library> library_;
  std::string history_file_;
};

}  // namespace harn::cli
