// What a confined child can and cannot do, tried with real children.
#include "net/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "net/process.h"

namespace harn::net {
namespace {

class Confined : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_confine()) GTEST_SKIP() << "this kernel has no Landlock";
    base = new_folder();
    if (base.empty()) GTEST_SKIP() << "every folder here is one that all children may write to";
    for (const char* folder : {"/inside", "/outside", "/shown"}) mkdir((base + folder).c_str(), 0755);
    std::ofstream(base + "/outside/secret") << "secret";
    std::ofstream(base + "/shown/text") << "text";
  }
  void TearDown() override {
    if (!base.empty()) run_free("rm -rf " + base);
  }

  static bool can_confine() {
    bool can = false;
    std::thread([&] { can = confine_this_thread({}).has_value(); }).join();
    return can;
  }

  // Not among temporary files, which every child may write to.
  static std::string new_folder() {
    for (std::string place : {std::string("."), std::string(getenv("HOME") ? getenv("HOME") : ".")}) {
      std::string name = place + "/confine-XXXXXX";
      if (!mkdtemp(name.data())) continue;
      std::string full = std::filesystem::canonical(name);
      if (!full.starts_with("/tmp/") && !full.starts_with("/var/tmp/")) return full;
      rmdir(full.c_str());
    }
    return "";
  }

  ProcessResult run(std::string command, bool may_use_network = false) {
    return started({.words = {"sh", "-c", std::move(command)},
                    .directory = base + "/inside",
                    .confinement = Confinement{.writable = {base + "/inside"},
                                               .readable = {base + "/shown", base + "/missing"},
                                               .may_use_network = may_use_network},
                    .must_be_confined = true});
  }
  ProcessResult run_free(std::string command) { return started({.words = {"sh", "-c", std::move(command)}}); }

  static ProcessResult started(ProcessSpec spec) {
    std::promise<ProcessResult> ended;
    auto id = start_process(std::move(spec), [&](ProcessResult result) { ended.set_value(std::move(result)); });
    EXPECT_TRUE(id) << id.error().message;
    return id ? ended.get_future().get() : ProcessResult();
  }

  std::string base;
};

TEST_F(Confined, WorksWhereItBelongs) {
  ProcessResult result =
      run("echo hi > a && cat a ../shown/text && mkdir d && mv a d/b && rm -r d && ls /usr > /dev/null");
  EXPECT_EQ(result.out, "hi\ntext") << result.err;
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(Confined, ReadsNothingElse) {
  for (const std::string& command : std::vector<std::string>{
           "cat ../outside/secret", "cat inside/../../outside/secret", "ls ../outside",
           "ln -s ../outside/secret s && cat s", "cat /proc/self/root" + base + "/outside/secret",
           "cd ../outside && cat secret", "cp ../outside/secret .", "ln ../outside/secret l && cat l",
           "cat /proc/$PPID/environ", "readlink /proc/$PPID/fd/*", "ls /proc/$PPID/root/"}) {
    ProcessResult result = run(command);
    EXPECT_NE(result.status, 0) << command << ": " << result.out;
    EXPECT_EQ(result.out.find("secret"), std::string::npos) << command;
  }
}

TEST_F(Confined, WritesNothingElse) {
  for (const std::string& command :
       std::vector<std::string>{"echo x > ../outside/new", "echo x >> ../outside/secret", "rm ../outside/secret",
                                "echo x > ../shown/text", "truncate -s 0 ../shown/text", "mv ../shown/text .",
                                "mkdir ../new", "ln -s /x ../outside/l", "mkfifo ../outside/f", "touch ../shown/text2",
                                "mknod dev c 1 3", "chroot . true", "mount -t tmpfs none ."}) {
    EXPECT_NE(run(command).status, 0) << command;
  }
  EXPECT_EQ(run_free("cat " + base + "/outside/secret " + base + "/shown/text; ls " + base).out,
            "secrettextinside\noutside\nshown\n");
}

TEST_F(Confined, HasNoNetworkUnlessItMay) {
  std::string connect = "import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM)";
  std::string local = "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)";
  std::string pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1).decode())";
  auto python = [](const std::string& code) { return "/usr/bin/env python3 -c \"" + code + "\""; };
  EXPECT_NE(run(python(connect)).status, 0);
  EXPECT_NE(run(python(local)).status, 0);
  EXPECT_EQ(run(python(pair)).out, "x\n");
  ProcessResult allowed = run(python(connect), true);
  EXPECT_EQ(allowed.status, 0) << allowed.err;
}

TEST_F(Confined, GetsNoPrivilegesAndNobodyElse) {
  EXPECT_EQ(run("grep NoNewPrivs /proc/self/status").out, "NoNewPrivs:\t1\n");
  EXPECT_NE(run("unshare -U true").status, 0);
  EXPECT_NE(run("unshare -r -m true").status, 0);
  // Neither us nor, with newer kernels, anybody else outside.
  EXPECT_NE(run("gdb -p $PPID -batch 2>&1 | grep -q Attaching").status, 0);
}

// Covered where the system allows that, and closed where not; both by root and by others.
TEST_F(Confined, SeesNothingOfWhatIsHidden) {
  mkdir((base + "/inside/keys").c_str(), 0755);
  std::ofstream(base + "/inside/keys/key") << "secret";
  std::ofstream(base + "/inside/a") << "text";
  auto run_hidden = [&](std::string command) {
    return started(
        {.words = {"sh", "-c", std::move(command)},
         .directory = base + "/inside",
         .confinement = Confinement{.writable = {base + "/inside"}, .readable = {}, .hidden = {base + "/inside/keys"}},
         .must_be_confined = true});
  };
  for (const std::string& command :
       std::vector<std::string>{"cat keys/key", "cat k*/k*", "grep -r secret .", "cat " + base + "/inside/keys/key",
                                "umount keys; cat keys/key", "cat /proc/$PPID/root" + base + "/inside/keys/key",
                                "cat /proc/$PPID/cwd/inside/keys/key", "mv keys other; cat other/key",
                                "ln keys/key l && cat l", "unshare -m cat keys/key"}) {
    ProcessResult result = run_hidden(command);
    EXPECT_EQ(result.out.find("secret"), std::string::npos) << command;
    EXPECT_NE(result.status, 0) << command << ": " << result.out;
  }
  EXPECT_EQ(run_hidden("cat a").out, "text");
  EXPECT_EQ(run_free("cat " + base + "/inside/keys/key").out, "secret");
}

// Without a view: rules alone.
TEST_F(Confined, ClosesWhatItCannotCover) {
  mkdir((base + "/inside/keys").c_str(), 0755);
  mkdir((base + "/inside/sub").c_str(), 0755);
  std::ofstream(base + "/inside/keys/key") << "secret";
  std::ofstream(base + "/inside/a") << "text";
  std::thread([&] {
    Confinement confinement{.writable = {base + "/inside"}, .readable = {}, .hidden = {base + "/inside/keys"}};
    ASSERT_TRUE(confine_this_thread(confinement));
    auto can_open = [&](const std::string& path, int flags) {
      int fd = open((base + path).c_str(), flags, 0644);
      if (fd >= 0) close(fd);
      return fd >= 0;
    };
    EXPECT_TRUE(can_open("/inside/a", O_RDWR));
    EXPECT_TRUE(can_open("/inside/sub/new", O_RDWR | O_CREAT));
    EXPECT_FALSE(can_open("/inside/keys/key", O_RDONLY));
    EXPECT_FALSE(can_open("/inside/keys/new", O_WRONLY | O_CREAT));
    EXPECT_FALSE(can_open("/inside/new", O_WRONLY | O_CREAT));
  }).join();
}

TEST_F(Confined, HoldsForWhatItStarts) {
  EXPECT_NE(run("sh -c 'sh -c \"cat ../outside/secret\"'").status, 0);
  EXPECT_NE(run("setsid sh -c 'cat ../outside/secret'").status, 0);
}

TEST_F(Confined, InheritsNothing) {
  int open_one = open((base + "/outside/secret").c_str(), O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(open_one, 3);
  EXPECT_EQ(run("ls /proc/self/fd | wc -l").out, run_free("ls /proc/self/fd | wc -l").out);
  EXPECT_EQ(run("for n in 3 4 5 6 7 8 9; do cat <&$n; done 2>/dev/null").out, "");
  close(open_one);
}

TEST_F(Confined, LeavesThisProcessAlone) {
  run("true");
  std::ifstream file(base + "/outside/secret");
  std::string word;
  file >> word;
  EXPECT_EQ(word, "secret");
}

}  // namespace
}  // namespace harn::net
