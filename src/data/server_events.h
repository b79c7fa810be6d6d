#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Server-sent events, as the HTML standard has them, taken out of a stream of bytes as they come.
//
//   EventReader reader;
//   for (ServerEvent& event : reader.add(piece)) ...
//
// What is not UTF-8 is replaced. Not for several threads at once.
namespace harn::data {

struct ServerEvent {
  std::string name = "message";
  std::string data;
  std::string id;  // the last one that was given, perhaps with an earlier event
  std::optional<int64_t> retry_ms;
};

class EventReader {
 public:
  // The events that are complete with this piece. Nothing: a line or an event is larger than it may be.
  std::optional<std::vector<ServerEvent>> add(std::string_view piece, size_t most_bytes);

 private:
  void end_line(std::vector<ServerEvent>& events);
  void take_field(std::string_view name, std::string_view value);

  std::string line_;
  bool after_return_ = false;  // the next byte may be the second half of a line end
  bool is_first_ = true;       // line, where a byte order mark may be
  std::string data_, name_, id_;
  bool has_data_ = false;
  std::optional<int64_t> retry_ms_;
};

}  // namespace harn::data
