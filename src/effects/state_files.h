#pragma once

#include "effects/perform.h"

// Files in which the runtime keeps the state of programs: store, checkpoints, agent state, memory, caches. People may read, copy and edit
// them, so they are replaced as a whole (base/replace_file.h), and several processes may use them at a time.
//
// All of it is for tasks on a fiber. Failures are errors that name the path, of the kinds that files have
// (file_failure.h). Folders that the program has named must be inside its workspace; the state root is the runtime's own.
namespace harn::effects {

// Where a file is: in a folder that the program has named, or in the state root (effects/state.h).
struct StatePath {
  std::string folder;        // empty: the state root; else as it is, or relative to the program's home
  std::string file;          // relative, without `..`
  std::string builtin = {};  // who asks, for messages

  std::string shown() const { return folder.empty() ? file : folder + "/" + file; }
};

struct ReadStateFile : StatePath {
  struct Answer {
    bool exists = false;
    std::string text;
    std::string path;  // for messages
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(exists), visit(text), visit(path);
    }
  };
  static constexpr EffectRow row{.name = "state.read", .capability = vm::Capability::StateRead};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file);
  }
};
vm::Outcome<ReadStateFile::Answer> carry_out(Run& run, const ReadStateFile& request);

// Makes the file and its folders, or replaces it. It is on the disk afterwards.
struct ReplaceStateFile : StatePath {
  using Answer = bool;  // false: it was not what was expected, and is as it was
  static constexpr EffectRow row{.name = "state.replace", .capability = vm::Capability::StateWrite, .version = 3};

  std::string text;
  // For those who read it and change what they have read: only if nobody else has changed it meanwhile.
  bool compares = false;
  std::string expected = {};  // `fingerprint` of what was read
  bool is_private = false;    // nobody but its owner may read it
  bool is_derived = false;    // it can be made again from what is safe elsewhere: nobody waits for the disk

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(text), visit(compares), visit(expected), visit(is_private), visit(is_derived);
  }
};
vm::Outcome<bool> carry_out(Run& run, const ReplaceStateFile& request);
std::string fingerprint(const ReadStateFile::Answer& read);

// Adds a line to the end of a file, which is made if it is not there. It is on the disk afterwards. Lines of several
// processes do not mix, and what an interrupted writer has left unfinished ends with the line before this one.
struct AppendStateLine : StatePath {
  using Answer = Done;
  static constexpr EffectRow row{.name = "state.append", .capability = vm::Capability::StateWrite};

  std::string line;  // without its end

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(line);
  }
};
vm::Outcome<Done> carry_out(Run& run, const AppendStateLine& request);

// The same for a file that whoever runs the program has named, wherever that is. Part of another effect, whose policy holds for it: a
// replay does not come here.
vm::Outcome<Done> append_line(Run& run, const std::string& path, std::string line);

struct RemoveStateFile : StatePath {
  using Answer = bool;  // false: there was none
  static constexpr EffectRow row{.name = "state.remove", .capability = vm::Capability::StateWrite};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file);
  }
};
vm::Outcome<bool> carry_out(Run& run, const RemoveStateFile& request);

// Holds a file as a lock until `let_go`, or until the program ends, however it ends: the kernel lets go of it. The file is made if it is not there, and holds the
// number of the process that has it. It stands for its folder: what writers that were killed have left there (`.NAME.*.tmp`) goes.
struct HoldStateFile : StatePath {
  struct Answer {
    bool is_held = false;
    std::string holder;  // the process that has it instead; may be empty
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_held), visit(holder);
    }
  };
  static constexpr EffectRow row{.name = "state.hold", .capability = vm::Capability::StateWrite};

  bool lets_go = false;  // gives it back: `is_held` says whether this program had it

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(lets_go);
  }
};
vm::Outcome<HoldStateFile::Answer> carry_out(Run& run, const HoldStateFile& request);

// Inside a folder that a program has named: what belongs to the runtime and not to the program. Temporary files of
// others that write at the moment are the runtime's, too.
constexpr std::string_view kOwnFolder = ".agent_state";

// The files below `file`, which is a folder, or below `folder` itself where that is empty: as paths relative to it,
// sorted, without the runtime's own.
struct ListStateFiles : StatePath {
  struct Answer {
    bool exists = false;
    std::vector<std::string> files;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(exists), visit(files);
    }
  };
  static constexpr EffectRow row{.name = "state.list", .capability = vm::Capability::StateRead, .version = 2};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file);
  }
};
vm::Outcome<ListStateFiles::Answer> carry_out(Run& run, const ListStateFiles& request);

struct MakeStateFolder {
  using Answer = Done;
  static constexpr EffectRow row{.name = "state.make_folder", .capability = vm::Capability::StateWrite};

  std::string folder;

  std::string shown() const { return folder; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder);
  }
};
vm::Outcome<Done> carry_out(Run& run, const MakeStateFolder& request);

// ---- caches: texts by namespace and key in a file of SQLite (log/cache_file.h) ----

struct CacheRead : StatePath {
  struct Answer {
    bool exists = false;
    std::string text;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(exists), visit(text);
    }
  };
  static constexpr EffectRow row{.name = "cache.read", .capability = vm::Capability::StateRead};

  std::string space;
  std::string key;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(space), visit(key);
  }
};
vm::Outcome<CacheRead::Answer> carry_out(Run& run, const CacheRead& request);

struct CacheChange : StatePath {
  enum class What : uint8_t { Write, Remove, Clear };
  using Answer = int64_t;  // how many entries went
  static constexpr EffectRow row{.name = "cache.change", .capability = vm::Capability::StateWrite};

  What what = What::Write;
  std::string space;
  std::string key;          // not for Clear
  std::string text = {};    // for Write
  int64_t max_entries = 0;  // for Write; 0: no limit

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(what), visit(space), visit(key), visit(text), visit(max_entries);
  }
};
vm::Outcome<int64_t> carry_out(Run& run, const CacheChange& request);

// ---- memories: an index beside their log (log/memory_index.h) ----

// Looks words up. Where the log has more than the index, the answer is that part of the log instead: whoever reads it adds it (`AddMemories`) and asks again.
struct SearchMemories : StatePath {
  struct Answer {
    bool is_short = false;  // the log is so short that nobody needs an index
    bool is_behind = false;
    bool begins_anew = false;  // what is in the index is of another log: `AddMemories` empties it first
    int64_t from = 0;          // where the part of the log begins
    std::string log;           // whole lines
    int64_t records = 0, words = 0;
    std::vector<int64_t> frequencies;
    std::vector<int64_t> places;
    std::vector<std::string> hits;  // records as JSON
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_short), visit(is_behind), visit(begins_anew), visit(from), visit(log), visit(records), visit(words);
      visit(frequencies), visit(places), visit(hits);
    }
  };
  static constexpr EffectRow row{.name = "memory.search", .capability = vm::Capability::StateRead};

  std::vector<std::string> terms;
  int64_t limit = 50;
  int64_t shortest = 0;  // a log below this many bytes is short

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(terms), visit(limit), visit(shortest);
  }
};
vm::Outcome<SearchMemories::Answer> carry_out(Run& run, const SearchMemories& request);

// `file` is the log; the lists have an item for each entry, in order. A record that is empty is forgotten.
struct AddMemories : StatePath {
  using Answer = Done;
  static constexpr EffectRow row{.name = "memory.index", .capability = vm::Capability::StateWrite};

  bool begins_anew = false;
  int64_t upto = 0;  // bytes of the log that are in the index then
  std::string tail;  // the last of them
  std::vector<std::string> ids, records, texts;
  std::vector<int64_t> words;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit(folder), visit(file), visit(begins_anew), visit(upto), visit(tail), visit(ids), visit(records), visit(texts);
    visit(words);
  }
};
vm::Outcome<Done> carry_out(Run& run, const AddMemories& request);

}  // namespace harn::effects
