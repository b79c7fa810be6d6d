#pragma once

#include "log/sqlite.h"

// How the events of a log lie in a SQLite file.
namespace harn::log {

// Number of a topic and number of an event in it make one number, by which events are stored: those of a topic are
// neighbours, in order, and are found without an index.
constexpr int kIdBits = 40;
constexpr uint64_t kMostEvents = (uint64_t{1} << kIdBits) - 1;  // of a topic
constexpr uint64_t kMostTopics = (uint64_t{1} << (63 - kIdBits)) - 1;

constexpr int64_t place_of(uint64_t topic, uint64_t id) { return static_cast<int64_t>(topic << kIdBits | id); }
constexpr uint64_t id_at(int64_t place) { return static_cast<uint64_t>(place) & kMostEvents; }

// A connection to the file, which becomes a log if it is new. Fails when it is something else.
Result<std::unique_ptr<Connection>> connect(const Sqlite& sqlite, const std::string& path);

}  // namespace harn::log
