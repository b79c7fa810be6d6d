#include <gtest/gtest.h>

#include <thread>

#include "harn/harn.h"

namespace harn::embed {
namespace {

// What a program prints and what it gives, or the kind of its error.
std::string top_level(Options options, std::string text) {
  std::string out;
  options.output = [&](Stream, std::string_view written) { out += written; };
  Vm vm(std::move(options));
  Loaded loaded = vm.load_text("test.harn", std::move(text));
  return out + (loaded.error ? loaded.error->kind + ": " + loaded.error->message : "ok");
}

TEST(Load, RunsTheTopLevel) {
  EXPECT_EQ(top_level({}, "println(1 + 1)"), "2\nok");
  EXPECT_EQ(top_level({.argv = {"a", "b"}}, "println(argv.join(\"+\"))"), "a+b\nok");
  Vm vm;
  EXPECT_EQ(vm.load_text("test.harn", "let x = 20\nx + 1").value, Value(21));
}

TEST(Load, ProblemsAreDiagnostics) {
  Vm vm;
  Loaded loaded = vm.load_text("test.harn", "fn f( {\n  return 1\n}\n");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error->kind, "invalid");
  ASSERT_FALSE(loaded.diagnostics.empty());
  const Diagnostic& first = loaded.diagnostics[0];
  EXPECT_EQ(first.severity, Diagnostic::Severity::Error);
  EXPECT_EQ(first.file, "test.harn");
  EXPECT_EQ(first.line, 1u);
  EXPECT_TRUE(first.code.starts_with("HARN-PAR-")) << first.code;
  EXPECT_EQ(loaded.error->code, first.code);
  EXPECT_EQ(vm.call("f").error().kind, "closed");
}

TEST(Load, AFileThatIsNotThere) {
  Vm vm;
  Loaded loaded = vm.load_file("/no/such/file.harn");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error->kind, "not_found");
}

TEST(Load, OnceForEachVm) {
  Vm vm;
  EXPECT_EQ(vm.call("f").error().kind, "closed");
  ASSERT_TRUE(vm.load_text("a.harn", "1"));
  EXPECT_EQ(vm.load_text("b.harn", "1").error->kind, "unsupported");
  EXPECT_EQ(vm.add_function("f", "() -> int", [](const Arguments&) { return 1; }).error().kind, "unsupported");
}

TEST(Load, ATopLevelThatFails) {
  EXPECT_EQ(top_level({}, "throw \"no\""), "thrown: no");
  EXPECT_EQ(top_level({}, "json_parse(\"{\")").substr(0, 9), "invalid: ");
  EXPECT_EQ(top_level({.while_limit = 5}, "var i = 0\nwhile i < 9 { i = i + 1 }").substr(0, 7), "limit: ");
}

TEST(Load, ThePolicyOfTheHost) {
  std::string program = "println(1)\nexec(\"true\")";
  EXPECT_EQ(top_level({.deny = {"process"}}, program), "1\ndenied: capability denied: process.exec (true)");
  EXPECT_EQ(top_level({.allow = {"clock"}}, program), "1\ndenied: capability denied: process.exec (true)");
  EXPECT_EQ(top_level({.allow = {"process.exec"}}, program), "1\nok");
  EXPECT_EQ(top_level({.deny = {"stdio.write"}}, program), "denied: capability denied: stdio.write (standard output)");
}

TEST(Load, TheSeedOfTheHost) {
  std::string program = "println(random_int(0, 1000000))";
  EXPECT_EQ(top_level({.seed = 7}, program), top_level({.seed = 7}, program));
  EXPECT_NE(top_level({.seed = 7}, program), top_level({.seed = 8}, program));
}

TEST(Load, InputIsAFunction) {
  std::vector<std::string> lines = {"two", "one"};
  Options options;
  options.input = [&]() -> std::optional<std::string> {
    if (lines.empty()) return std::nullopt;
    std::string line = lines.back();
    lines.pop_back();
    return line;
  };
  EXPECT_EQ(top_level(std::move(options), "println(read_line())\nprintln(read_line())\nprintln(read_line())"),
            "one\ntwo\nnil\nok");
}

TEST(Load, StopEndsATopLevelThatTakesLong) {
  Vm vm;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    vm.stop();
  });
  Loaded loaded = vm.load_text("test.harn", "for i in 0 to 1000000000000 { }");
  stopper.join();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error->kind, "cancelled");
  EXPECT_EQ(vm.call("f").error().kind, "closed");
}

TEST(Load, TheEntryIsNamed) {
  Vm vm;
  Loaded loaded = vm.load_text("test.harn", "pipeline greet(task) { return \"hi \" + task }");
  EXPECT_EQ(loaded.entry, "greet");
  EXPECT_EQ(vm.call(loaded.entry, {"you"}).value(), Value("hi you"));
}

}  // namespace
}  // namespace harn::embed
