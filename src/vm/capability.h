#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// What a program may be allowed to do to the world, or not (effects/run.h). A builtin's row names the one it needs.
namespace harn::vm {

// The part before the dot stands for all that begin with it, `*` for all but writing to the program's own output.
#define HARN_CAPABILITIES(X)         \
  X(ClockRead, "clock.read")         \
  X(ClockSleep, "clock.sleep")       \
  X(Random, "random.draw")           \
  X(Input, "stdio.read")             \
  X(Output, "stdio.write")           \
  X(FileInfo, "fs.info")             \
  X(FileRead, "fs.read")             \
  X(FileWrite, "fs.write")           \
  X(EnvRead, "env.read")             \
  X(EnvWrite, "env.write")           \
  X(SystemInfo, "system.info")       \
  X(Process, "process.exec")         \
  X(Network, "network.access")       \
  X(EventAppend, "event_log.append") \
  X(EventRead, "event_log.read")     \
  X(StateRead, "state.read")         \
  X(StateWrite, "state.write")       \
  X(HostCall, "host.call")           \
  X(Model, "llm.model")              \
  X(Mcp, "mcp.connector")            \
  X(Approval, "human.approval")

enum class Capability : uint8_t {
  None,
#define HARN_CAPABILITY(id, name) id,
  HARN_CAPABILITIES(HARN_CAPABILITY)
#undef HARN_CAPABILITY
};

constexpr std::string_view kCapabilityNames[] = {"none",
#define HARN_CAPABILITY(id, name) name,
                                                 HARN_CAPABILITIES(HARN_CAPABILITY)
#undef HARN_CAPABILITY
};
constexpr size_t kCapabilityCount = sizeof kCapabilityNames / sizeof kCapabilityNames[0];

// "clock.read"; "none".
constexpr std::string_view capability_name(Capability capability) {
  return kCapabilityNames[static_cast<size_t>(capability)];
}

}  // namespace harn::vm
