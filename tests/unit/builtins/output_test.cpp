#include <gtest/gtest.h>

#include "data_call.h"

namespace harn::builtins {
namespace {

using namespace vm;

std::string output_of(std::string_view name, std::vector<Value> args) {
  DataCall data;
  auto result = data.call(name, std::move(args));
  return result ? data.host.out : "!" + display(caught_value(*result.error()));
}

TEST(Output, Prints) {
  EXPECT_EQ(output_of("log", {L({I(1), S("a")})}), "[harn] [1, a]\n");
  EXPECT_EQ(output_of("log", {}), "[harn] \n");
  EXPECT_EQ(output_of("print", {S("x")}), "x");
  EXPECT_EQ(output_of("println", {}), "\n");
  DataCall data;
  data.run("eprintln", S("oops"));
  data.run("capture_stderr_start");
  data.run("eprint", S("kept"));
  EXPECT_EQ(data.run("capture_stderr_take"), "kept");
  data.run("eprint", S("again"));
  EXPECT_EQ(data.host.err, "oops\nagain");
}

TEST(Output, Progress) {
  EXPECT_EQ(output_of("__progress_line", {S("p"), S("m")}), "[p] m\n");
  EXPECT_EQ(output_of("__progress_line", {S("p"), S("m"), I(3)}), "[p] m (3%)\n");
  EXPECT_EQ(output_of("__progress_line", {S("p"), S("m"), I(3), I(4)}), "[p] m (3/4)\n");
  EXPECT_EQ(output_of("__progress_line",
                      {S("p"), S("m"), D({{"mode", S("bar")}, {"current", I(1)}, {"total", I(4)}, {"width", I(4)}})}),
            "[p] [#---] m (1/4)\n");
  EXPECT_EQ(output_of("__progress_line", {S("p"), S("m"), D({{"mode", S("bar")}, {"current", I(9)}})}),
            "[p] [----------] m (9/0)\n");
  EXPECT_EQ(output_of("__progress_line", {S("p"), S("m"), D({{"mode", S("spinner")}, {"step", I(-1)}})}), "[p] \\ m\n");
}

TEST(Output, Colors) {
  DataCall data;
  EXPECT_EQ(data.run("color", S("x"), S("red")), "x");
  data.run("set_color_mode", S("always"));
  EXPECT_EQ(data.run("color", S("x"), S("bright_white")), "\x1b[97mx\x1b[0m");
  EXPECT_EQ(data.run("color", I(5), S("gray")), "\x1b[90m5\x1b[0m");
  EXPECT_EQ(data.run("bold", S("x")), "\x1b[1mx\x1b[0m");
  data.run("set_color_mode", S("auto"));
  data.host.variables["NO_COLOR"] = "";
  data.run("mock_tty", S("stdout"), B(true));
  EXPECT_EQ(data.run("dim", S("x")), "x");
  data.host.variables["FORCE_COLOR"] = "1";
  EXPECT_EQ(data.run("dim", S("x")), "\x1b[2mx\x1b[0m");
  EXPECT_EQ(data.run("set_color_mode", S("x")),
            "!set_color_mode: invalid mode 'x'. Expected 'auto', 'always', or 'never'.");
}

TEST(Output, ReadsAndMocks) {
  DataCall data;
  data.host.in = "one\ntwo\nthree";
  EXPECT_EQ(data.run("read_line"), "one");
  data.run("mock_stdin", S("a\r\nb\n"));
  EXPECT_EQ(data.run("read_line"), "a");
  EXPECT_EQ(data.run("read_line"), "b");
  EXPECT_EQ(data.run("read_line"), "nil");
  data.run("unmock_stdin");
  EXPECT_EQ(data.run("prompt_user", S("? ")), "two");
  EXPECT_EQ(data.run("read_stdin"), "three");
  EXPECT_EQ(data.run("is_stdout_tty"), "false");
  EXPECT_EQ(data.run("mock_tty", S("x"), B(true)),
            "!mock_tty: invalid stream 'x'. Expected 'stdin', 'stdout', or 'stderr'.");
}

TEST(Output, LogLines) {
  EXPECT_EQ(output_of("log_info", {S("hi"), D({{"b", L({I(1)})}, {"a", I(2)}})}),
            "{\"ts\":\"2023-11-14T22:13:20.123Z\",\"level\":\"info\",\"msg\":\"hi\",\"a\":2,\"b\":\"[1]\"}\n");
  EXPECT_EQ(output_of("log_json", {S("k"), L({I(1)})}),
            "{\"ts\":\"2023-11-14T22:13:20.123Z\",\"key\":\"k\",\"value\":[1]}\n");
  DataCall data;
  data.run("log_set_level", S("warn"));
  data.run("log_info", S("hidden"));
  EXPECT_EQ(data.host.out, "");
  EXPECT_EQ(data.run("log_set_level", S("x")),
            "!log_set_level: invalid level 'x'. Expected debug, info, warn, or error");
}

TEST(Convert, Numbers) {
  DataCall data;
  EXPECT_EQ(data.run("to_int", S("+42")), "42");
  EXPECT_EQ(data.run("to_int", S(" 42")), "nil");
  EXPECT_EQ(data.run("to_int", S("4.2")), "nil");
  EXPECT_EQ(data.run("to_int", S("+-4")), "nil");
  EXPECT_EQ(data.run("to_int", S("99999999999999999999")), "nil");
  EXPECT_EQ(data.run("to_int", F(-2.9)), "-2");
  EXPECT_EQ(data.run("to_int", F(1e300)), "9223372036854775807");
  EXPECT_EQ(data.run("to_int", B(true)), "1");
  EXPECT_EQ(data.run("to_float", S("1e3")), "1000.0");
  EXPECT_EQ(data.run("to_float", S("-inf")), "-inf");
  EXPECT_EQ(data.run("to_float", S("1e999")), "inf");
  EXPECT_EQ(data.run("to_float", S("x")), "nil");
}

TEST(Convert, Values) {
  DataCall data;
  EXPECT_EQ(data.run("len", Value()), "0");
  EXPECT_EQ(data.run("len", new_range(0, INT64_MAX)), std::to_string(INT64_MAX));
  EXPECT_EQ(data.run("range", I(3)), "[0, 1, 2]");
  EXPECT_EQ(data.run("range", S("a")), "!Type error: range(n): expected integer argument");
  EXPECT_EQ(data.run("iter", I(1)), "!Type error: iter: value of type int is not iterable");
  EXPECT_EQ(data.run("to_list", I(1)), "[1]");
  EXPECT_EQ(data.run("concat", S("a"), S("b")), "ab");
  EXPECT_EQ(data.run("merge", D({{"a", I(1)}}), D({{"a", I(2)}})), "{a: 2}");
  EXPECT_EQ(data.run("hash_value", L({I(1)})), data.run("hash_value", new_range(1, 1)));
  EXPECT_NE(data.run("hash_value", I(1)), data.run("hash_value", F(1)));
  EXPECT_EQ(data.run("hash_value", set_of({I(1), I(2)})), data.run("hash_value", set_of({I(2), I(1)})));
  data.run("hash_value", nested_list(100'000));
  Value list = L({I(1)});
  EXPECT_EQ(data.run("is_same", list, list), "true");
  EXPECT_EQ(data.run("is_same", list, L({I(1)})), "false");
  EXPECT_EQ(data.run("addr_of", list), data.run("addr_of", list));
  EXPECT_EQ(data.run("unwrap", new_err(S("no"))), "!Runtime error: unwrap called on Err: no");
  EXPECT_EQ(data.run("unwrap", I(1)), "1");
  EXPECT_EQ(data.run("unreachable"), "!unreachable code was reached");
}

TEST(Testing, Assertions) {
  DataCall data;
  EXPECT_EQ(data.run("assert", I(0)), "!Assertion failed");
  EXPECT_EQ(data.run("assert", I(0), S("why")), "!why");
  EXPECT_EQ(data.run("assert_eq", I(1), I(2)), "!Assertion failed: expected 2, got 1");
  EXPECT_EQ(data.run("assert_ne", I(1), I(1)), "!Assertion failed: values should not be equal: 1");
  EXPECT_EQ(data.run("throw_error", S("m"), S("nope")), "!{category: generic, message: m}");
}

TEST(Testing, Categories) {
  DataCall data;
  EXPECT_EQ(data.run("error_category", S("HTTP 401: no")), "auth");
  EXPECT_EQ(data.run("error_category", S("took 14290 ms")), "generic");
  EXPECT_EQ(data.run("error_category", S("Error [circuit_open]: x timeout")), "circuit_open");
  EXPECT_EQ(data.run("error_category", D({{"category", S("overloaded")}})), "overloaded");
  EXPECT_EQ(data.run("error_category", I(1)), "generic");
  EXPECT_EQ(data.run("is_timeout", S("it timed out")), "true");
}

TEST(Testing, JunitReports) {
  DataCall data;
  std::string xml = R"(<?xml version="1.0"?><testsuites><testsuite><!-- > -->
<testcase classname="C" name="a &lt;b&gt;" time="0.25"/>
<testcase name="f"><failure message="m&#65;">text <![CDATA[<raw>]]></failure><system-out> out </system-out></testcase>
<testcase name="s"><skipped/></testcase>
<testcase name="e"><error>boom</error></testcase></testsuite><testcase name="cut)";
  auto result = data.call("parse_junit_xml", {S(xml)});
  const ListObject* list = result->as_list();
  ASSERT_EQ(list->size, 4u);
  EXPECT_EQ(display(list->items[0]),
            "{duration_ms: 250, message: , name: C::a <b>, status: passed, stderr: , stdout: }");
  EXPECT_EQ(display(list->items[1]),
            "{duration_ms: 0, message: mA\ntext <raw>, name: f, status: failed, stderr: , stdout: out}");
  EXPECT_EQ(display(*list->items[2].as_dict()->find("status")), "skipped");
  EXPECT_EQ(display(*list->items[3].as_dict()->find("message")), "boom");
  EXPECT_EQ(data.run("parse_junit_xml", S("<<<>>")), "[]");
  EXPECT_EQ(data.run("parse_junit_xml", I(1)), "!parse_junit_xml: expected string or bytes, got int");
}

}  // namespace
}  // namespace harn::builtins
