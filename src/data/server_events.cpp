#include "data/server_events.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace harn::data {

std::optional<std::vector<ServerEvent>> EventReader::add(std::string_view piece, size_t most_bytes) {
  std::vector<ServerEvent> events;
  // The next of each: looked for once, however long the lines are.
  size_t feed = piece.find('\n'), carriage_return = piece.find('\r');
  for (size_t at = 0; at < piece.size();) {
    size_t end = std::min(feed, carriage_return);
    bool is_second_half = std::exchange(after_return_, false) && end == at && end == feed;
    line_ += piece.substr(at, end - at);
    if (line_.size() + data_.size() > most_bytes) return std::nullopt;
    if (end == piece.npos) break;
    at = end + 1;
    after_return_ = end == carriage_return;
    (after_return_ ? carriage_return : feed) = piece.find(piece[end], at);
    if (is_second_half) continue;
    end_line(events);
    line_.clear();
    if (data_.size() > most_bytes) return std::nullopt;
  }
  return events;
}

void EventReader::end_line(std::vector<ServerEvent>& events) {
  std::string_view line = line_;
  if (is_first_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  is_first_ = false;
  if (!line.empty()) {
    size_t colon = line.find(':');
    if (colon == 0) return;  // a comment
    std::string_view value = colon == line.npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    return take_field(line.substr(0, colon), value);
  }
  if (has_data_) {
    data_.pop_back();  // the end of its last line
    events.push_back(
        {name_.empty() ? "message" : text::to_valid_utf8(name_), text::to_valid_utf8(data_), id_, retry_ms_});
  }
  data_.clear();
  name_.clear();
  has_data_ = false;
  retry_ms_.reset();
}

void EventReader::take_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    name_ = value;
  } else if (name == "data") {
    data_.append(value).append(1, '\n');
    has_data_ = true;
  } else if (name == "id") {
    if (value.find('\0') == value.npos) id_ = text::to_valid_utf8(value);
  } else if (name == "retry") {
    int64_t ms = 0;
    auto read = std::from_chars(value.data(), value.data() + value.size(), ms);
    if (read.ec == std::errc() && read.ptr == value.data() + value.size() && ms >= 0) retry_ms_ = ms;
  }
}

}  // namespace harn::data
