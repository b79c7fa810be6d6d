#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "effects/run.h"
#include "support/evaluate.h"

namespace harn::effects {
namespace {

namespace fs = std::filesystem;

class StateFiles : public testing::Test {
 protected:
  StateFiles() {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    fs::create_directories(folder_ + "/inside");
    fs::create_directories(folder_ + "/outside");
    fs::create_directory_symlink(folder_ + "/outside", folder_ + "/inside/link");
  }
  ~StateFiles() override { fs::remove_all(folder_); }

  // Of a program whose workspace is the folder `inside`.
  std::string answer(const std::string& code) {
    test::MemoryVm vm;
    Run::begin(vm.vm(), {.policy = {.workspace = WorkspaceRoots{{folder_ + "/inside"}, {}}}});
    return vm.evaluate("let inside = \"" + folder_ + "/inside\"\nlet outside = \"" + folder_ + "/outside\"\n" + code);
  }

  std::string folder_ = testing::TempDir() + "harn-state-files-XXXXXX";
};

TEST_F(StateFiles, OfAProgramAreInsideItsWorkspace) {
  EXPECT_EQ(answer("__state_write(inside + \"/s\", \"a/b\", \"text\")\n__state_read(inside + \"/s\", \"a/b\")"),
            "text");
  for (std::string code :
       {"__state_write(outside, \"a\", \"x\")", "__state_read(outside, \"a\")", "__state_remove(outside, \"a\")",
        "__state_list(outside, \"\")", "__state_make(outside + \"/new\")", "__state_list(inside + \"/link\", \"\")",
        "__state_append(outside, \"a\", \"x\")", "__cache_read(outside, \"c\", \"n\", \"k\")",
        "__cache_write(outside, \"c\", \"n\", \"k\", \"t\", 0)", "__state_write(inside + \"/link\", \"a\", \"x\")"}) {
    EXPECT_EQ(answer("try { " + code + " } catch (e: DeniedError) { contains(e.message, \"sandbox violation\") }"),
              "true")
        << code;
  }
  EXPECT_TRUE(fs::is_empty(folder_ + "/outside"));
}

TEST_F(StateFiles, DoNotFollowALinkOutOfTheirFolder) {
  EXPECT_EQ(answer("try { __state_write(inside, \"link/a\", \"x\") } catch (e: DeniedError) { \"denied\" }"), "denied");
  EXPECT_TRUE(fs::is_empty(folder_ + "/outside"));
}

TEST_F(StateFiles, OfTheRuntimeAreItsOwn) {
  EXPECT_EQ(answer("store_set(\"a\", 1)\ncheckpoint(\"b\", 2)\n[store_get(\"a\"), checkpoint_get(\"b\")]"), "[1, 2]");
}

}  // namespace
}  // namespace harn::effects
