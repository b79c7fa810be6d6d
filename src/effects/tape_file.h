#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "effects/sandbox.h"
#include "effects/state.h"
#include "effects/tape.h"

// Recordings on disk: a program, what it was started with, and what it was told.
//
// A file is a row of frames, each with its length and a sum over its bytes. The last one says how the program ended: a
// file without it is of a run that was killed, and holds what it was told until then.
namespace harn::effects {

struct TapeHeader {
  std::string harn_version;
  std::string program;  // a path; empty: `-e` or standard input, then `text` has it
  std::string text;
  // As the program was named, and from where: that is what it shows of itself. A file can be found by `program` alone.
  std::string named, directory;
  std::string program_hash;  // of the text of all its modules
  std::vector<std::string> arguments;
  std::string task;
  // The places it was run in: those are part of what it asks for, wherever the recording is replayed from.
  std::string project_root;
  StateHome state = {};
  int64_t while_limit = 0;
  Sandbox sandbox = {};
  // Replies that stood for all models (`--llm-mock`), one on each line; with the flag, because there may be none.
  bool has_model_replies = false;
  std::string model_replies = {};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(harn_version), visit(program), visit(text), visit(named), visit(directory), visit(program_hash),
        visit(arguments), visit(task), visit(project_root), visit(state), visit(while_limit), visit(sandbox),
        visit(has_model_replies), visit(model_replies);
  }
};

struct TapeEnd {
  int64_t exit_code = 0;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(exit_code);
  }
};

class TapeWriter {
 public:
  // Only the user may read what it makes.
  static Result<std::unique_ptr<TapeWriter>> create(const std::string& path, const TapeHeader& header);
  ~TapeWriter();
  TapeWriter(const TapeWriter&) = delete;

  void add(const TapeEntry& entry);
  // Fails when something could not be written since the start.
  Result<void> finish(const TapeEnd& end);

 private:
  explicit TapeWriter(std::string path, int file) : path_(std::move(path)), file_(file) {}
  void frame(char kind, const std::string& bytes);
  void flush();

  std::string path_;
  int file_;
  int error_ = 0;  // errno of the first write that failed
  std::string pending_;
};

struct TapeFile {
  TapeHeader header;
  std::vector<TapeEntry> entries;
  bool has_end = false;
  TapeEnd end;
};
Result<TapeFile> read_tape(const std::string& path);

}  // namespace harn::effects
