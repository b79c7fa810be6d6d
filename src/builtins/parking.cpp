#include "builtins/parking.h"

#include "builtins/terminal.h"
#include "effects/run.h"

namespace harn::builtins {

using park::Archive;

namespace {

// Rules about connections go with the program: taking it up must not be a way around them.
void egress_fields(Archive& archive, effects::Run& run) {
  auto rules = archive.is_reading() ? nullptr : run.egress();
  bool has_rules = rules != nullptr;
  archive.number(has_rules);
  if (!has_rules) return;
  effects::EgressTexts texts = rules ? rules->texts() : effects::EgressTexts();
  std::string source = rules ? rules->source() : "";
  archive.items(texts.allow, [&](std::string& text) { archive.text(text); });
  archive.items(texts.deny, [&](std::string& text) { archive.text(text); });
  archive.number(texts.allows_others);
  archive.text(source);
  if (!archive.is_reading()) return;
  auto read = effects::EgressRules::parse(texts, source);
  if (!read) return archive.fail("a rule about connections makes no sense");
  // Those of the environment that it goes on in stay.
  if (!run.egress()) (void)run.set_egress(*std::move(read));
}

// The world is another one afterwards; what tests have put in its place, and tapes, belong to this one.
void world_fields(Archive& archive, vm::Vm& vm) {
  effects::Run& run = effects::Run::of(vm);
  effects::World& world = run.world();
  auto attending = run.attending();
  if (archive.is_looking() && (!world.mocks.empty() || attending.recorder || attending.player)) {
    archive.refuse("a test or a tape stands in for the world outside");
  }
  bool has_seed = world.seed.has_value();
  uint64_t seed = world.seed.value_or(0);
  archive.number(has_seed);
  archive.word(seed);
  if (archive.is_reading()) world.seed = has_seed ? std::optional(seed) : std::nullopt;
  egress_fields(archive, run);
}
constexpr park::PartRow kWorldPart = {"world", world_fields};

void terminal_fields(Archive& archive, vm::Vm& vm) {
  Terminal& terminal = Terminal::of(vm);
  if (archive.is_looking() && terminal.errors) archive.refuse("its standard error is being captured");
  archive.choice(terminal.color_mode, ColorMode::Never);
  archive.choice(terminal.log_level, LogLevel::Error);
}
constexpr park::PartRow kTerminalPart = {"terminal", terminal_fields};

}  // namespace

park::Kinds park_kinds() {
  return {.handles = {&kAtomicHandle, &kJoinHandle, &kFlowHandle, &kRunHandle},
          .parts = {&kWorldPart,       &kTerminalPart,     &kSharedStatePart,   &kMailboxesPart,   &kBreakersPart,
                    &kSupervisorsPart, &kUuidsPart,        &kSignalsPart,       &kHttpStreamsPart, &kHttpSessionsPart,
                    &kHttpMocksPart,   &kEventSourcesPart, &kHostMocksPart,     &kEventLogPart,    &kOpenFilesPart,
                    &kFileWatchesPart, &kPromptsPart,      &kLifecyclePart,     &kWebSocketsPart,  &kWebSocketMocksPart,
                    &kPostgresPart,    &kSessionsPart,     &kModelSettingsPart, &kModelsPart}};
}

}  // namespace harn::builtins
