#pragma once

#include <string>
#include <string_view>

#include "log/event_log.h"

// The lines of a log that is kept as text: each is a JSON object.
//
//   {"log":1,"topic":"orders","first":1,"max_age_ms":0,"max_count":0,"max_bytes":0}    the first line of every file
//   {"id":1,"at_ms":1700000000000,"kind":"placed","payload":"{\"n\":1}","headers":"","key":""}
//   {"first":5,"max_age_ms":0,"max_count":9,"max_bytes":0}         what is kept from here on: no event before the first
//
// What is no UTF-8 has "payload_base64" and the like in its place. Only what was written here is read: the fields are in this
// order. Plain functions for any thread.
namespace harn::log {

struct Line {
  enum class What : uint8_t { Head, Event, Keeping };
  What what = What::Event;
  Event event;           // Event
  std::string topic;     // Head
  uint64_t version = 0;  // Head
  uint64_t first = 0;    // Head, Keeping
  Retention retention;   // Head, Keeping
};

constexpr uint64_t kLinesVersion = 1;

// With the end of the line.
std::string head_line(const std::string& topic, uint64_t first, const Retention& retention);
std::string event_line(const Event& event);
std::string keeping_line(uint64_t first, const Retention& retention);

// Without the end of the line; nothing when it is none of these.
std::optional<Line> parse_line(std::string_view text);

}  // namespace harn::log
