#pragma once

#include <deque>
#include <map>
#include <unordered_map>

#include "base/descriptor.h"
#include "log/event_lines.h"
#include "log/retention.h"

// One topic of a log that is kept as text: a folder of files of lines (event_lines.h), each named by its first event:
//
//   orders/00000000000000000001.jsonl
//   orders/00000000000000009214.jsonl      begun when the one before had some megabytes
//
// Files are only added to; what is no longer kept goes with the whole file it is in. What a file ends with behind its last line
// end was being written when the writer died, and is cut off by the next.
namespace harn::log {

std::unexpected<Error> log_failed(const std::string& path, int error_number);
std::unexpected<Error> log_damaged(const std::string& path, std::string_view how);

// What is known of a topic. One thread at a time; whoever reads what others write, or writes, has the log's turn.
class FileTopic {
 public:
  explicit FileTopic(std::string folder) : folder_(std::move(folder)) {}

  // Reads what has been added since the last time; the first time, all there is.
  Result<void> refresh();
  // Whether there is something to refresh. May be wrong by what is just happening.
  bool is_stale() const;
  bool is_there() const { return !segments_.empty(); }

  const std::string& name() const { return name_; }
  const Kept& kept() const { return kept_; }
  const Retention& retention() const { return retention_; }
  std::optional<uint64_t> id_of(const std::string& key) const;
  // What retention has to know of an event that is kept.
  struct Fact {
    uint64_t bytes = 0;
    int64_t at_ms = 0;
  };
  const Fact& fact(uint64_t id) const { return facts_[id - kept_.first]; }

  // Where to begin to read for an event, and what there is from there on.
  struct Start {
    std::vector<std::string> files;
    uint64_t offset = 0;  // in the first
    uint64_t first = 0;   // that is kept
    uint64_t last = 0;
  };
  Start start_of(uint64_t id) const;

  // Makes the file that lines can be added to, if the last one is large or there is none.
  Result<void> prepare(const std::string& topic);
  // Adds lines behind the last, durably; the topic learns of them by `refresh`. Others may meanwhile ask the topic, but not
  // change it. `undo` takes them back.
  Result<void> write(std::string_view lines) const;
  void undo() const;
  // Removes the files of which nothing is kept.
  void remove_old();

 private:
  struct Segment {
    uint64_t first = 0;
    uint64_t size = 0;  // up to the end of the last line
  };
  std::string path_of(const Segment& segment) const;
  Result<void> find_segments();
  Result<void> read_tail(Segment& segment);
  Result<void> take(Segment& segment, uint64_t offset, std::string_view text);
  Result<void> take_event(const Event& event, const Segment& segment, uint64_t offset);
  void keep_from(uint64_t first);
  Result<void> begin_segment(const std::string& topic);

  std::string folder_;
  std::string name_;
  std::deque<Segment> segments_;
  Kept kept_;
  Retention retention_;
  std::deque<Fact> facts_;                         // of what is kept
  std::map<uint64_t, std::string> keys_;           // by id
  std::unordered_map<std::string, uint64_t> ids_;  // by key
  // Now and then an event, and where it is: file and offset.
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> places_;
  uint64_t behind_last_place_ = 0;
};

// The events of a topic from a place on, as far as they are asked for. Any thread. NotFound: the files have gone meanwhile.
Result<std::vector<Event>> read_events(const FileTopic::Start& start, const ReadRequest& request);

}  // namespace harn::log
