#pragma once

#include <memory>
#include <string>

#include "cli/ending.h"
#include "cli/llm_fixtures.h"
#include "cli/parking.h"
#include "cli/watch.h"
#include "effects/replay.h"
#include "engine/machine.h"

// Runs a program that has been loaded, on this process: `harn run`, `harn replay` and `harn resume`.
namespace harn::cli {

struct Prepared {
  std::string warnings;
  std::unique_ptr<bytecode::Program> program;
  engine::Surroundings surroundings;
  engine::Settings settings;
  Answers answers = Answers::No;
  WatchOptions watch = {};
  LlmFixtures llm = {};
  effects::TapeHeader header = {};                    // for a recording
  std::shared_ptr<effects::Player> player = nullptr;  // a replay
  Parking parking = {};
  Origin origin = {};            // for whoever goes on with it
  std::string state = {};        // of a program that goes on; empty: it begins
  std::string name = {};         // of the program, for people
  int mcp_peer = -1;             // where the client of a program that is served reads
  bool is_talk = false;          // a conversation (`harn chat`): it shows its agents itself
  bool has_own_records = false;  // sessions and workspaces: what its agents did is in them
  bool tells_summary = false;    // afterwards, as a line of JSON on standard error
};

// The exit code. With `json` everything that is written is an event.
int run_program(Prepared prepared, bool json);

// Of the text of all its modules.
std::string program_hash(const bytecode::Program& program);

}  // namespace harn::cli
