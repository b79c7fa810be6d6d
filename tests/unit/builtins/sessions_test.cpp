// What agent loops ask of sessions: natives that programs cannot call.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/evaluate.h"

namespace harn {
namespace {

std::string run(std::string_view program) { return test::MemoryVm().evaluate(program); }

TEST(Sessions, TheCurrentOneIsThatOfTheInnermostLoop) {
  EXPECT_EQ(run(R"(
    let a = agent_session_open("a")
    let b = agent_session_fork(a, "b")
    fn seen() { return [agent_session_current_id(), runtime_context().agent_session_id] }
    let inside = __session_run(a, { -> [seen(), __session_run(b, { -> [seen(), await(spawn { seen() })] }), seen()] })
    [inside, seen()]
  )"),
            "[[[a, a], [[b, b], [b, b]], [a, a]], [nil, nil]]");
}

TEST(Sessions, ParentAndRootAreKnownToo) {
  EXPECT_EQ(run(R"(
    agent_session_fork(agent_session_fork(agent_session_open("a"), "b"), "c")
    __session_run("c", { -> [runtime_context().parent_agent_session_id, runtime_context().root_agent_session_id] })
  )"),
            "[b, a]");
}

TEST(Sessions, TheCurrentOneIsPutBackWhenTheLoopFails) {
  EXPECT_EQ(run(R"(
    let failed = try { __session_run(agent_session_open("a"), { -> throw "no" }) }
    [is_err(failed), agent_session_current_id()]
  )"),
            "[true, nil]");
}

TEST(Sessions, OneThatALoopRunsInIsNotEvicted) {
  EXPECT_EQ(run(R"(
    __session_run(agent_session_open("busy"), { ->
      for i in range(0, 300) { agent_session_open("s${i}") }
      nil
    })
    agent_session_exists("busy") && !agent_session_exists("s0")
  )"),
            "true");
}

TEST(Sessions, FeedbackIsTakenOnce) {
  EXPECT_EQ(run(R"(
    agent_inject_feedback(agent_session_open("a"), "nudge", "go")
    agent_inject_feedback("a", "prefill_assistant", "I")
    [__session_take_feedback("a"), __session_take_feedback("a")]
  )"),
            "[[{content: go, kind: nudge}, {content: I, kind: prefill_assistant}], []]");
}

TEST(Sessions, ASystemPromptIsOneLeadingEventAndNoMessage) {
  EXPECT_EQ(run(R"(
    let id = agent_session_open("a")
    agent_session_inject(id, {role: "user", content: "hi"})
    __session_record(id, "plan", {text: "first"})
    let news = [__session_system_prompt(id, "be brief"), __session_system_prompt(id, "be brief"), __session_system_prompt(id, "be long")]
    let snapshot = agent_session_snapshot(id)
    let fork = agent_session_snapshot(agent_session_fork_at(id, 1, "b"))
    [news, snapshot.system_prompt, snapshot.length, snapshot.events.map({ event -> event.kind }), fork.branched_at_event_index]
  )"),
            "[[true, false, true], be long, 1, [system_prompt, message, plan], 2]");
}

TEST(Sessions, MessagesThatComeWhileAModelSummarisesStay) {
  EXPECT_EQ(run(R"(
    let id = agent_session_open("a")
    for i in range(0, 6) { agent_session_inject(id, {role: "user", content: "m${i}"}) }
    let caller = { call ->
      agent_session_inject(id, {role: "user", content: "late"})
      {ok: true, value: {text: "s"}}
    }
    __session_compact(id, {strategy: "llm", keep_first: 0, keep_last: 1, llm_caller: caller})
    agent_session_snapshot(id).messages.map({ message -> message.content })
  )"),
            "[[summary of 5 earlier messages]\ns, m5, late]");
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Each message once, whatever becomes of the list.
TEST(Sessions, WhatIsNewIsWritten) {
  std::string folder = testing::TempDir() + "harn-sessions-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  test::MemoryVm vm;
  vm.host.variables["HARN_STATE_DIR"] = folder;
  EXPECT_EQ(vm.evaluate(R"(
    let id = agent_session_open("a")
    for i in range(0, 6) { agent_session_inject(id, {role: "user", content: "message ${i}"}) }
    let counts = [__session_persist(id), __session_persist(id)]
    agent_session_inject(id, {role: "user", content: "message 6"})
    let third = __session_persist(id)
    agent_session_compact(id, {keep_last: 2, compact_strategy: "truncate"})
    agent_session_inject(id, {role: "user", content: "message 0"})
    let last = __session_persist(id)
    [counts, third, last, transcript_store_load(id) == agent_session_snapshot(id).messages]
  )"),
            "[[6, 6], 7, 4, true]");
  std::string text = text_of(std::filesystem::path(folder) / "transcripts" / "a.jsonl");
  size_t at = text.find("message 0");
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(text.find("message 0", at + 1), std::string::npos) << text;

  // Another program that has a session of that name says what its messages are.
  test::MemoryVm later;
  later.host.variables["HARN_STATE_DIR"] = folder;
  EXPECT_EQ(later.evaluate(R"(
    agent_session_inject(agent_session_open("a"), {role: "user", content: "again"})
    [__session_persist("a"), transcript_store_load("a")]
  )"),
            "[1, [{content: again, role: user}]]");
  std::filesystem::remove_all(folder);
}

TEST(Sessions, RemindersCountTheirTurns) {
  EXPECT_EQ(run(R"(
    let id = agent_session_open("a")
    __session_remind(id, {body: "two", ttl_turns: 2}, "hook", 0)
    __session_remind(id, {body: "later", ttl_turns: 1}, "hook", 3)
    __session_remind(id, {body: "always"}, "hook", 0)
    var shown = []
    for turn in range(0, 5) {
      shown = shown.push(__reminders_messages(id, turn, ["system"]).map({ message -> message.content }))
      __reminders_post_turn(id, turn)
      __reminders_post_turn(id, turn - 1)
    }
    [shown, __session_transcript(id).reminder_lifecycle]
  )"),
            "[[[two, always], [two, always], [always], [later, always], [always]], {last_post_turn: 3}]");
}

TEST(Sessions, RemindersAreShownInARoleThatTheModelKnows) {
  EXPECT_EQ(run(R"(
    let id = agent_session_open("a")
    for role in ["system", "developer", "user_block"] { __session_remind(id, {body: role, role_hint: role}, "hook", 0) }
    [__reminders_messages(id, 0, ["system"]).map({ message -> message.role }), __reminders_messages(id, 0, [])[0].content]
  )"),
            "[[system, user, user], <system-reminder>\nsystem\n</system-reminder>]");
}

TEST(Sessions, SubAgentsInheritWhatIsMeantForThem) {
  EXPECT_EQ(run(R"(
    for id in ["a", "b", "c"] { agent_session_open(id) }
    for range_of in ["all", "session", "none"] { __session_remind("a", {body: range_of, propagate: range_of}, "hook", 0) }
    let counts = [__reminders_inherit("a", "b"), __reminders_inherit("b", "c")]
    let last = transcript_events_by_kind(agent_session_snapshot("c"), "system_reminder")[0].reminder
    [counts, last.body, last.source, last.originating_agent_id]
  )"),
            "[[2, 1], all, inherited, a]");
}

TEST(Sessions, StandardProvidersSpeakUpInLoops) {
  EXPECT_EQ(run(R"(
    let id = agent_session_open("a")
    let fire = { event, payload, options -> __reminders_fire(id, event, payload, options) }
    let counts = [
      fire("on_budget_threshold", {input_tokens: 60, context_window: 100}, nil),
      fire("on_budget_threshold", {input_tokens: 96, context_window: 100}, nil),
      fire("post_tool_use", {tool_name: "read", truncated: true}, nil),
      fire("session_idle", {idle_seconds: 20}, nil),
      fire("session_idle", {idle_seconds: 20}, {config: {idle_nudge: {seconds: 10}}}),
      fire("worker_resumed", {reason: "wait"}, nil),
      fire("post_compact", {archived_messages: 3}, {providers: ["-post_compact_recap"]}),
      fire("post_compact", {archived_messages: 3}, false),
      fire("post_compact", {archived_messages: 3}, {enabled: false}),
      fire("post_compact", {archived_messages: 3}, {standard: false}),
    ]
    let first = transcript_events_by_kind(agent_session_snapshot(id), "system_reminder")[0].reminder
    [counts, first.tags, first.role_hint, first.preserve_on_compact, first.source]
  )"),
            "[[0, 1, 1, 0, 1, 1, 0, 0, 0, 0], [token_pressure], developer, true, stdlib_provider]");
}

TEST(Sessions, MoreThanEightNamedProvidersAreTooMany) {
  EXPECT_TRUE(
      run(R"(__reminders_fire(agent_session_open("a"), "x", {}, {providers: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}))")
          .contains("HARN-RMD-007"));
}

}  // namespace
}  // namespace harn
