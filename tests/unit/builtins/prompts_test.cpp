// A text that was rendered can be asked where its parts come from, and a template what became of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/fmt.h"
#include "support/evaluate.h"

namespace harn {
namespace {

class Prompts : public ::testing::Test {
 protected:
  Prompts() { std::filesystem::create_directories(folder_); }
  ~Prompts() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // What `body` gives, in which `r` is what render_with_provenance gives for the page.
  std::string of(const std::string& page, std::string_view body) {
    return test::MemoryVm().evaluate(fmt::format(
        "{{ -> let r = render_with_provenance(\"{}\", {{name: \"ada\", inner: {{word: \"deep\"}}}})\n{} }}()", page,
        body));
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("harn-prompts-{}", getpid());
};

TEST_F(Prompts, KnowWhereABytesComesFrom) {
  std::string part = file("part.prompt", "{{ if inner }}in\n{{ inner.word }}{{ end }}");
  std::string page = file("page.prompt", "Hi {{ name | upper }}\n {{ include \"part.prompt\" }}.");
  auto at = [&](int offset, std::string_view what) {
    return of(page, fmt::format("let s = prompt_span_at(r.prompt_id, {})\n{}", offset, what));
  };
  // "Hi ADA\n in\ndeep."
  EXPECT_EQ(at(0, "s.kind"), "text");
  EXPECT_EQ(at(4, "[s.kind, s.template_line, s.template_col, s.bound_value, s.included_from]"),
            "[expr, 1, 4, ADA, []]");
  // A value rather than the block and the include around it.
  EXPECT_EQ(at(12, "[s.kind, s.template_line, s.template_col, s.output_start]"), "[expr, 2, 1, 11]");
  EXPECT_EQ(at(12, "s.template_uri"), part);
  EXPECT_EQ(at(12, "s.included_from"), fmt::format("[{{template_col: 2, template_line: 2, template_uri: {}}}]", page));
  EXPECT_EQ(at(8, "[s.kind, s.template_uri]"), fmt::format("[text, {}]", part));
  EXPECT_EQ(at(15, "s.kind"), "text");
  EXPECT_EQ(at(16, "s"), "nil");
  EXPECT_EQ(at(-1, "s"), "nil");
}

TEST_F(Prompts, KnowWhatBecameOfALine) {
  std::string part = file("part.prompt", "[{{ inner.word }}]");
  std::string page = file("page.prompt", "{{ include \"part.prompt\" }}\n{{ include \"part.prompt\" }}");
  EXPECT_EQ(
      of(page,
         fmt::format("prompt_spans_of(\"{}\", 1).map({{ s -> [s.prompt_id, s.output_start, s.output_end] }})", part)),
      "[[prompt-1, 1, 5], [prompt-1, 8, 12]]");
  EXPECT_EQ(of(page, fmt::format("prompt_spans_of(\"{}\", 2).map({{ s -> [s.kind, s.output_start] }})", page)),
            "[[include, 7]]");
  EXPECT_EQ(of(page, fmt::format("prompt_spans_of(\"{}\", 9)", page)), "[]");
}

TEST_F(Prompts, ForgetTextsThatAreOld) {
  std::string page = file("page.prompt", "x");
  EXPECT_EQ(
      of(page, fmt::format("let ids = (1 to 64).to_list().map({{ _ -> render_with_provenance(\"{}\").prompt_id }})\n"
                           "[prompt_span_at(r.prompt_id, 0), prompt_span_at(ids[0], 0)?.kind, ids[63]]",
                           page)),
      "[nil, text, prompt-65]");
}

}  // namespace
}  // namespace harn
