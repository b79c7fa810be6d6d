#include "cli/test_report.h"

#include <gtest/gtest.h>

#include "cli/json.h"
#include "cli/statistics.h"

namespace harn::cli {
namespace {

using Outcome = TestResult::Outcome;

TEST(Verdict, SurvivesThePipe) {
  Verdict sent{.passed = false, .error = std::string("a\0b", 3), .output = "line\n"};
  Verdict received = Verdict::unpack(sent.pack());
  EXPECT_FALSE(received.passed);
  EXPECT_EQ(received.error, sent.error);
  EXPECT_EQ(received.output, sent.output);
}

TEST(Report, JunitEscapesWhatXmlCannotHold) {
  Suite suite{.name = "user", .root = "tests"};
  suite.cases = {{"test_<a>", "x.harn"}, {"test_b", "x.harn"}};
  TestRun run{.suite = suite};
  run.results = {{.outcome = Outcome::Failed, .error = "a < b & \"c\"\x01\n"}, {.outcome = Outcome::TimedOut}};
  std::string xml = junit_report(run);
  EXPECT_NE(xml.find("tests=\"2\" failures=\"1\" errors=\"1\""), std::string::npos);
  EXPECT_NE(xml.find("name=\"test_&lt;a&gt;\""), std::string::npos);
  EXPECT_NE(xml.find("a &lt; b &amp; &quot;c&quot;\xEF\xBF\xBD"), std::string::npos);
}

TEST(Report, CountsOutcomes) {
  Suite suite{.name = "user", .root = "tests"};
  TestRun run{.suite = suite};
  run.results = {{.outcome = Outcome::Passed}, {.outcome = Outcome::Crashed}, {.outcome = Outcome::Failed}};
  EXPECT_EQ(run.passed(), 1u);
  EXPECT_EQ(run.failed(), 2u);
}

TEST(Statistics, PercentilesAreValuesThatOccurred) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(percentile(values, 50), 5);
  EXPECT_EQ(percentile(values, 95), 10);
  EXPECT_EQ(percentile({7}, 50), 7);
  EXPECT_EQ(percentile({}, 50), 0);
}

TEST(Json, WritesCommasAndEscapes) {
  JsonWriter json;
  json.object().field("a", "x\"\n").key("b").list().number(1).boolean(true).list().end().end();
  json.key("c").object().end().end();
  EXPECT_EQ(json.take(), R"({"a":"x\"\n","b":[1,true,[]],"c":{}})");
}

TEST(Json, EnvelopeSaysWhetherItWentWell) {
  EXPECT_EQ(envelope(2, "[1]"), "{\"schemaVersion\":2,\"ok\":true,\"data\":[1],\"error\":null,\"warnings\":[]}\n");
  EXPECT_EQ(envelope(1, "", {"bad", "why"}),
            "{\"schemaVersion\":1,\"ok\":false,\"data\":null,\"error\":{\"code\":\"bad\","
            "\"message\":\"why\","
            "\"details\":null},\"warnings\":[]}\n");
}

}  // namespace
}  // namespace harn::cli
