#pragma once

#include "park/archive.h"

// What the families of builtins know of a program that is put away (src/park).
namespace harn::builtins {

park::Kinds park_kinds();

extern const park::HandleRow kAtomicHandle;  // atomics.cpp
extern const park::HandleRow kJoinHandle;    // parallel.cpp
extern const park::HandleRow kFlowHandle;
extern const park::HandleRow kRunHandle;         // policies.cpp
extern const park::PartRow kSharedStatePart;     // shared_state.cpp
extern const park::PartRow kMailboxesPart;       // mailboxes.cpp
extern const park::PartRow kBreakersPart;        // circuit.cpp
extern const park::PartRow kSupervisorsPart;     // supervisor.cpp
extern const park::PartRow kUuidsPart;           // uuid.cpp
extern const park::PartRow kSignalsPart;         // signals.cpp
extern const park::PartRow kHttpStreamsPart;     // http_stream.cpp
extern const park::PartRow kHttpSessionsPart;    // http.cpp
extern const park::PartRow kEventSourcesPart;    // sse.cpp
extern const park::PartRow kWebSocketsPart;      // websocket.cpp
extern const park::PartRow kWebSocketMocksPart;  // websocket_mock.cpp
extern const park::PartRow kPostgresPart;        // postgres.cpp
extern const park::PartRow kHostMocksPart;       // host.cpp
extern const park::PartRow kHttpMocksPart;       // http_mock.cpp
extern const park::PartRow kEventLogPart;        // event_log.cpp
extern const park::PartRow kOpenFilesPart;       // files.cpp
extern const park::PartRow kLifecyclePart;       // lifecycle.cpp
extern const park::PartRow kFileWatchesPart;     // file_watch.cpp
extern const park::PartRow kModelSettingsPart;   // llm_catalog.cpp
extern const park::PartRow kPromptsPart;         // templates.cpp
extern const park::PartRow kSessionsPart;        // sessions.cpp
extern const park::PartRow kModelsPart;          // llm.cpp

}  // namespace harn::builtins
