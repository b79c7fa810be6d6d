#include <gtest/gtest.h>

#include "builtins/registry.h"
#include "effects/host_function.h"
#include "embed/host_function.h"
#include "engine/machine.h"
#include "engine/sources.h"
#include "support/memory_host.h"
#include "vm/ops.h"

namespace harn::embed {
namespace {

using effects::CallHostFunction;

// A program that calls a function of the host, on a machine whose effects somebody attends to.
class Attended {
 public:
  explicit Attended(Function function)
      : function_(*HostFunction::create("ask", "(what: any) -> any", std::move(function), Runs::Aside,
                                        std::make_shared<CallsUnderWay>())) {}

  effects::Run& run() { return effects::Run::of(machine_.vm()); }

  std::string evaluate(std::string text) {
    auto loaded = engine::load_text("test.harn", std::move(text), library_.catalog());
    auto outcome = machine_.load(engine::compile(*loaded), {});
    return outcome ? vm::display(*outcome) : "error: " + vm::describe(*outcome.error());
  }

 private:
  std::unique_ptr<HostFunction> function_;
  const vm::Builtin* rows_[1] = {&function_->row()};
  builtins::Library library_{rows_};
  test::MemoryHost host_;
  engine::Machine machine_{host_, {.workers = 2, .library = &library_}};
};

Result<Value> fails(const Arguments&) { return fail("unsupported", "should not be asked"); }

TEST(HostFunctionEffect, IsRecordedAndPlayed) {
  const char* program =
      "struct P { x: int }\n"
      "[ask({a: [1, 2.5]}), ask(P({x: 1})), try { ask(nil) } catch (e: NotFoundError) { e.code }]";
  std::vector<effects::TapeEntry> tape;
  Attended recorded([](const Arguments& arguments) -> Result<Value> {
    if (arguments[0].is_nil()) return fail("not_found", "nothing", "E1");
    return List{arguments[0], Bytes{"b"}};
  });
  recorded.run().record(std::make_shared<effects::Recorder>([&](const auto& entry) { tape.push_back(entry); }));
  std::string first = recorded.evaluate(program);
  EXPECT_TRUE(first.ends_with("E1]")) << first;
  EXPECT_EQ(tape.size(), 3u);
  Attended played(fails);
  played.run().replay(std::make_shared<effects::Player>(tape));
  EXPECT_EQ(played.evaluate(program), first);
}

TEST(HostFunctionEffect, SecretsAreNotRecorded) {
  std::string bytes;
  Attended recorded([](const Arguments&) -> Result<Value> { return Dict{{"token", "s3cr3t-s3cr3t"}}; });
  recorded.run().world().secrets.add("token", "s3cr3t-s3cr3t");
  recorded.run().record(std::make_shared<effects::Recorder>(
      [&](const auto& entry) { bytes += entry.question.request + entry.answer.bytes; }));
  EXPECT_EQ(recorded.evaluate("ask([\"s3cr3t-s3cr3t\"]).token"), "s3cr3t-s3cr3t");
  EXPECT_EQ(bytes.find("s3cr3t"), std::string::npos);
  EXPECT_NE(bytes.find("redacted"), std::string::npos);
}

TEST(HostFunctionEffect, IsMocked) {
  Attended attended(fails);
  effects::set_mock<CallHostFunction>(
      attended.run(), [](const CallHostFunction& request) -> std::optional<vm::Outcome<CallHostFunction::Answer>> {
        if (vm::display(request.arguments) != "[1]") return std::nullopt;
        return CallHostFunction::Answer{vm::text_value("mocked " + request.function)};
      });
  EXPECT_EQ(attended.evaluate("[ask(1), try { ask(2) } catch (e) { e }]"), "[mocked ask, should not be asked]");
}

}  // namespace
}  // namespace harn::embed
