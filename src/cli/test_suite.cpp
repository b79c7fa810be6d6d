#include "cli/test_suite.h"

#include <memory>

#include "cli/capture_host.h"
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/project.h"
#include "engine/sources.h"

namespace harn::cli {

// ---- verdicts ----

static void append_text(std::string& out, std::string_view text) {
  uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

static std::string take_text(std::string_view& from) {
  uint64_t size;
  memcpy(&size, from.data(), sizeof size);
  std::string out(from.substr(sizeof size, size));
  from.remove_prefix(sizeof size + size);
  return out;
}

std::string Verdict::pack() const {
  std::string out(1, passed ? 'p' : 'f');
  append_text(out, error);
  append_text(out, output);
  return out;
}

Verdict Verdict::unpack(std::string_view packed) {
  Verdict verdict;
  verdict.passed = packed.starts_with('p');
  packed.remove_prefix(1);
  verdict.error = take_text(packed);
  verdict.output = take_text(packed);
  return verdict;
}

// ---- user tests ----

namespace {

struct TestFile {
  std::string path;
  std::string problem;                         // why it cannot run
  std::unique_ptr<bytecode::Program> program;  // null: it cannot
  engine::Surroundings surroundings;
  vm::Limits limits;
};

struct TestPlace {
  size_t file;
  size_t pipeline;
};

// The files, compiled once in the parent; children find them in their copy of its memory.
struct UserTests {
  std::vector<TestFile> files;
  std::vector<TestPlace> places;  // by test number
  Cassettes cassettes = Cassettes::None;

  Verdict run(uint32_t number) const {
    const TestFile& file = files[places[number].file];
    if (!file.program) return {.passed = false, .error = file.problem, .output = ""};
    CaptureHost host(CaptureHost::Keep::Yes);
    engine::Machine machine(host, settings(file.limits, kTestWorkers));
    TimeoutTarget target(machine.vm());
    TestCassette cassette(cassettes, file.surroundings.project_root, file.path,
                          file.program->pipelines[places[number].pipeline].name);
    cassette.begin(machine.vm());
    auto outcome = machine.run(engine::copy(*file.program), file.surroundings, places[number].pipeline);
    Ending ending = ending_of(outcome, Answers::No, Snippet::No, diag::Colour::No);
    if (ending.kind == Ending::Kind::Exited && ending.exit_code != 0) {
      ending.message = fmt::format("the test called exit({})\n", ending.exit_code);
    }
    ending.message += cassette.end(machine.vm());
    return {.passed = ending.exit_code == 0 && ending.message.empty(), .error = ending.message, .output = host.all()};
  }
};

Result<void> prepare(TestFile& file, engine::ManyFiles& sources, size_t number) {
  auto project = HARN_TRY(find_project(file.path));
  file.limits.while_limit = HARN_TRY(while_limit(project, std::nullopt));
  file.surroundings.project_root = project.root;
  if (auto error = sources.read_error(number)) return std::unexpected(std::move(*error));
  file.program = sources.program(number);
  if (!file.program) return fail(ErrorKind::Invalid, diag::render_all(sources.problems(number), diag::Colour::No));
  return {};
}

}  // namespace

Result<Suite> find_tests(const std::vector<std::string_view>& paths, std::string_view filter, Cassettes cassettes) {
  auto tests = std::make_shared<UserTests>();
  tests->cassettes = cassettes;
  Suite suite{.name = "user", .root = std::string(paths[0])};
  auto add = [&](std::string name, size_t file, size_t pipeline) {
    suite.lanes.back().push_back(static_cast<uint32_t>(tests->places.size()));
    suite.cases.push_back({std::move(name), tests->files[file].path});
    tests->places.push_back({file, pipeline});
  };
  auto sources = HARN_TRY(find_sources(paths));
  engine::ManyFiles compiled(sources, engine::ManyFiles::For::Running);
  for (size_t number = 0; number < sources.size(); ++number) {
    TestFile& file = tests->files.emplace_back(TestFile{.path = sources[number]});
    suite.lanes.emplace_back();
    if (auto ready = prepare(file, compiled, number); !ready) {
      file.problem = ready.error().message;
      add("compile", number, 0);
      continue;
    }
    const auto& pipelines = file.program->pipelines;
    for (size_t i = 0; i < pipelines.size(); ++i) {
      bool wanted = pipelines[i].is_test && pipelines[i].name.find(filter) != std::string::npos;
      if (wanted) add(pipelines[i].name, number, i);
    }
  }
  for (const auto& lane : suite.lanes) suite.file_count += !lane.empty();
  suite.job = [tests](uint32_t number) { return tests->run(number).pack(); };
  return suite;
}

}  // namespace harn::cli
