#include <gtest/gtest.h>

#include "../base/golden.h"
#include "bytecode/code.h"
#include "compile/program.h"
#include "small_catalog.h"

namespace harn {
namespace {

class NoFiles : public modules::SourceLoader {
  std::optional<std::string> read(const std::string&) override { return std::nullopt; }
  bool is_file(const std::string&) override { return false; }
  bool is_directory(const std::string&) override { return false; }
};

std::string compiled(const std::string& name, std::string text) {
  NoFiles loader;
  test::SmallCatalog catalog;
  diag::Sink sink;
  modules::Graph graph(loader, {});
  auto* main = graph.load_text(name, std::move(text), "");
  auto program = compile::compile_program(graph, *main, catalog, sink);
  if (!program) return diag::render_all(sink, diag::Colour::No);
  return bytecode::disassemble(*program->modules[0]);
}

TEST(Golden, Bytecode) {
  compiled("warm-up", "");
  test::check_goldens("bytecode", compiled);
}

// The table in opcodes.def is what the liveness pass and the disassembler believe.
TEST(Opcodes, EveryRowNamesItsRegisters) {
  for (uint32_t i = 0; i < static_cast<uint32_t>(bytecode::Op::Count); ++i) {
    const bytecode::OpRow& row = bytecode::row(static_cast<bytecode::Op>(i));
    EXPECT_FALSE(row.doc.empty()) << row.name;
    EXPECT_FALSE(row.reads.empty()) << row.name;
    EXPECT_FALSE(row.writes.empty()) << row.name;
  }
}

}  // namespace
}  // namespace harn
