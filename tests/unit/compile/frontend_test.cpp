#include "compile/frontend.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <map>

#include "small_catalog.h"

#ifdef HARN_SANITIZED
extern "C" size_t __sanitizer_get_current_allocated_bytes();  // of the sanitizers' own allocator
#endif

namespace harn {
namespace {

// Files in a map.
class MapLoader : public modules::SourceLoader {
 public:
  std::map<std::string, std::string> files;

  std::optional<std::string> read(const std::string& path) override {
    ++reads;
    auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  }
  bool is_file(const std::string& path) override { return files.contains(path); }
  bool is_directory(const std::string&) override { return false; }

  int reads = 0;
};

struct Fixture {
  MapLoader loader;
  test::SmallCatalog catalog;
  compile::Frontend frontend{loader, {}, catalog};

  using Files = std::map<std::string, std::string>;
  explicit Fixture(const Files& files) { loader.files = files; }
  Fixture(const Fixture&) = delete;

  // "file:line CODE", each.
  std::string problems(const modules::Module* main) {
    std::string out;
    for (const diag::Diagnostic* one : frontend.problems(*main)) {
      uint32_t line = one->source->position(one->span.start).line;
      out += fmt::format("{}:{} {}\n", one->source->path(), line, diag::row(one->code).id);
    }
    return out;
  }
  static std::string names(const std::vector<const modules::Module*>& modules) {
    std::string out;
    for (const modules::Module* module : modules) out += module->path + " ";
    return out;
  }
};

TEST(Frontend, ChecksAgainAfterAnEdit) {
  Fixture test(Fixture::Files{{"main.harn", "log(1)"}});
  auto* main = test.frontend.load_file("main.harn");
  EXPECT_EQ(test.problems(main), "");
  test.frontend.replace(*main, "log(x)\nlog(");
  EXPECT_EQ(test.problems(main), "main.harn:1 HARN-NAM-001\nmain.harn:2 HARN-PAR-002\n");
  test.frontend.replace(*main, "let x = 1\nlog(x)");
  EXPECT_EQ(test.problems(main), "");
  EXPECT_TRUE(test.frontend.program(*main));
}

TEST(Frontend, TellsWhatDependsOnAFile) {
  Fixture test(Fixture::Files{{"main.harn", "import \"a\"\nimport \"c\"\nlog(one())"},
                              {"a.harn", "pub import \"b\""},
                              {"b.harn", "pub fn one() { return 1 }"},
                              {"c.harn", "let apart = 1"}});
  auto* main = test.frontend.load_file("main.harn");
  auto* b = test.frontend.load_file("b.harn");
  EXPECT_EQ(test.problems(main), "");
  int reads = test.loader.reads;
  auto changed = test.frontend.replace(*b, "pub fn two() { return 2 }");
  EXPECT_EQ(Fixture::names(changed), "b.harn a.harn main.harn ");
  EXPECT_EQ(test.problems(main), "main.harn:3 HARN-NAM-002\n");
  EXPECT_EQ(test.problems(b), "");
  test.frontend.replace(*b, "pub fn one() { return 1 }");
  EXPECT_EQ(test.problems(main), "");
  EXPECT_EQ(test.loader.reads, reads) << "nothing is read again";
}

TEST(Frontend, FindsFilesThatComeIntoBeing) {
  Fixture test(Fixture::Files{{"main.harn", "import \"lib\"\nlog(one())"}});
  auto* main = test.frontend.load_file("main.harn");
  EXPECT_EQ(test.problems(main), "main.harn:1 HARN-IMP-001\n");
  test.loader.files["lib.harn"] = "pub fn one() { return 1 }";
  test.frontend.replace(*main, "import \"lib\"\nlog(one())\n");
  EXPECT_EQ(test.problems(main), "");
}

TEST(Frontend, ModulesInACircleSeeAnEdit) {
  Fixture test(Fixture::Files{{"a.harn", "import \"b\"\nfn f() { return g() }"},
                              {"b.harn", "import \"a\"\nfn g() { return f() }"}});
  auto* a = test.frontend.load_file("a.harn");
  EXPECT_EQ(test.problems(a), "");
  auto changed = test.frontend.replace(*a, "import \"b\"\nfn h() { return g() }");
  EXPECT_EQ(changed.size(), 2u);
  EXPECT_EQ(test.problems(a), "b.harn:2 HARN-NAM-002\n");
}

TEST(Frontend, AMistakeHidesNothingElse) {
  Fixture test(Fixture::Files{
      {"main.harn", "import \"lib\"\nlog(fine(1))\nlog(half(2))\nlog(neither)"},
      {"lib.harn", "pub fn fine(x) { return x }\npub fn half(x { return x / 2 }\nfn other() { return oops }"}});
  auto* main = test.frontend.load_file("main.harn");
  EXPECT_EQ(test.problems(main), "lib.harn:2 HARN-PAR-001\nlib.harn:3 HARN-NAM-001\nmain.harn:4 HARN-NAM-001\n");
}

size_t live_bytes() {
#ifdef HARN_SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  return mallinfo2().uordblks;
#endif
}

// What an editor does all day: the front end keeps nothing of old texts.
TEST(Frontend, TenThousandEditsDoNotGrow) {
  const std::string kTexts[] = {
      "import \"lib\"\nfn f(a: int, b = 2) -> int {\n  let {x, y = 1} = {x: a}\n  return one() + x + y + "
      "b\n}\nlog(f(1))\n",
      "import \"lib\"\nfn f(a: int, b = 2) -> int {\n  let {x, y = \n  return one() + x\n}\nlog(f(1, 2, 3, 4))\n",
      "import \"other\"\npipeline base(task) { log(step()) }\npipeline default(task) extends base {\n"
      "  override step() { return two() }\n}\n",
      "import \"nowhere\"\nmatch [1] { [n] if n > 0 -> { log(n) } _ -> { log(unknown) } }\nlet s = \"open\n",
      "type P = {name: string, next: P?}\nstruct S { p: P }\nimpl S { fn g(self) { return { z -> self.p } } }\n",
  };
  Fixture test(Fixture::Files{{"main.harn", kTexts[0]},
                              {"lib.harn", "pub fn one() { return 1 }"},
                              {"other.harn", "import \"lib\"\npub fn two() { return one() + 1 }"}});
  auto* main = test.frontend.load_file("main.harn");
  size_t found = 0;
  auto edit = [&](int round) {
    test.frontend.replace(*main, kTexts[round % std::size(kTexts)]);
    found += test.frontend.problems(*main).size();
    if (round % 7 == 0) test.frontend.program(*main);
  };
  constexpr int kEdits = 10'000, kWarmUp = 100;
  for (int i = 0; i < kWarmUp; ++i) edit(i);
  size_t before = live_bytes();
  for (int i = 0; i < kEdits; ++i) edit(i);
  size_t after = live_bytes();
  EXPECT_GT(found, static_cast<size_t>(kEdits) / 2);
  EXPECT_LE(after, before + 64 * 1024) << "live bytes before and after " << kEdits << " edits";
}

}  // namespace
}  // namespace harn
