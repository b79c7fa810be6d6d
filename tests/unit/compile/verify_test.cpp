// The verifier against code of the compiler: sound as it is, and found out when it is broken.
#include "bytecode/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/fmt.h"
#include "compile/program.h"
#include "small_catalog.h"

namespace harn::bytecode {
namespace {

class NoFiles : public modules::SourceLoader {
  std::optional<std::string> read(const std::string&) override { return std::nullopt; }
  bool is_file(const std::string&) override { return false; }
  bool is_directory(const std::string&) override { return false; }
};

constexpr const char* kSource = R"(
enum Shape { Circle(r: int), Square(a: int), Line, Point }
struct Pos { x: int, y: int }
impl Pos { fn sum(self) { return self.x + self.y } }
fn area(s) {
  match s {
    Shape.Circle(r) -> { return r * r * 3 }
    Shape.Square(a) -> { return a * a }
    Shape.Line -> { return 0 }
    Shape.Point -> { return 0 }
  }
}
fn numbers(n) { for i in 0 to n { yield i } }
fn safe(f, count = 2, ...rest) {
  var tries = 0
  try {
    for item in [1, 2, ...rest] {
      defer { tries = tries + 1 }
      if item == count { continue }
      try { f(item) } catch (e: TypeError) { log(e) } finally { tries = tries + 10 }
    }
  } catch (e) {
    return "failed ${e} after ${tries}"
  }
  while tries > 100 { tries = tries - 1 }
  return tries
}
fn nested(depth) { return if depth == 0 { [] } else { [nested(depth - 1)] } }
pipeline test(task) {
  let counter = { step -> step + len("abc") }
  var total = 0
  let add = { n -> total = total + n }
  for i in 0 to 3 { add(counter(i)) }
  let [a, b, ...more] = [1, 2, 3, 4]
  let {x, y, ...others} = {x: 1, y: 2, z: 3}
  var grid = [[1, 2], [3, 4]]
  grid[0][1] = a + b
  var p = Pos {x: 1, y: 2}
  p.x = p.sum()
  mutex { log(total) }
  log(area(Shape.Circle(2)), safe({ n -> throw "no" }, 1, 5), nested(3), {...others, more: more}, p?.x ?? 0)
  for n in numbers(3) { log(n) }
  match grid { [first, ...rest] -> { log(first) }
    _ -> { log("none") }
   }
}
)";

std::unique_ptr<Program> compiled(const char* source, uint32_t near = 0) {
  NoFiles loader;
  test::SmallCatalog catalog;
  diag::Sink sink;
  modules::Graph graph(loader, {});
  auto* main = graph.load_text("test.harn", source, "");
  compile::CompileOptions options;
  options.verify = true;
  options.near_registers = near;
  options.resolve.unknown_variables = false;
  auto program = compile::compile_program(graph, *main, catalog, sink, options);
  EXPECT_TRUE(program) << diag::render_all(sink, diag::Colour::No);
  return program;
}

constexpr uint32_t kBuiltins = 2;  // of the small catalog

std::string fault_of(const Program& program) {
  auto fault = verify(program, kBuiltins);
  return fault ? fault->text() : "";
}

void each_code(Code& code, const std::function<void(Code&)>& use) {
  use(code);
  for (auto& function : code.functions) each_code(*function, use);
}
Code& find_code(Program& program, std::string_view name) {
  Code* found = nullptr;
  each_code(*program.modules[0], [&](Code& code) {
    if (code.name == name) found = &code;
  });
  EXPECT_TRUE(found) << name;
  return *found;
}
// The place of the first instruction of this kind.
uint32_t find_op(const Code& code, Op op) {
  for (uint32_t at : instruction_starts(code)) {
    if (op_of(code.words[at]) == op) return at;
  }
  ADD_FAILURE() << code.name << " has no " << row(op).name;
  return 0;
}

TEST(Verify, AcceptsWhatTheCompilerMakes) {
  for (uint32_t near : {0u, 1u, 2u, 3u, 7u}) EXPECT_EQ(fault_of(*compiled(kSource, near)), "") << near;
}

TEST(Verify, SaysWhereAndWhat) {
  auto program = compiled("fn f(a) { return a + 1 }\nlog(f(1))");
  Code& code = find_code(*program, "f");
  code.words[find_op(code, Op::AddInt)] = encode(Op::AddInt, 1, 7, 1);
  auto fault = verify(*program, kBuiltins);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->wrong, Wrong::Register);
  EXPECT_EQ(fault->function, "f");
  EXPECT_EQ(fault->word, 0u);
  EXPECT_EQ(fault->text(), "`f` at word 0: AddInt names register 7, there are 2");
}

// Puts a plain jump where an instruction of several words is, to the word that lies so far behind it.
void put_jump(Code& code, uint32_t at, uint32_t distance) {
  uint32_t end = at + length(row(op_of(code.words[at])).format);
  code.words[at] = encode(Op::Jump) | (end + distance - (at + 1)) << 8;
  for (uint32_t word = at + 1; word < end; ++word) code.words[word] = encode(Op::ReturnNil);
}

// ---- one thing at a time ----

struct Broken {
  Wrong wrong;
  const char* source;
  const char* function;
  void (*damage)(Code&);
};

const Broken kBroken[] = {
    {Wrong::Instruction, "log(1)", "main", [](Code& code) { code.words[0] = 0xFF; }},
    {Wrong::Instruction, "log(1)", "main", [](Code& code) { code.words.push_back(encode(Op::CallBuiltin)); }},
    {Wrong::Instruction, "fn f() { return 1 }", "f", [](Code& code) { code.words[0] = encode(Op::Yield, 0, 0); }},
    {Wrong::Operand, "log(1)", "main", [](Code& code) { code.words[find_op(code, Op::CallBuiltin) + 1] = 99; }},
    {Wrong::Operand, "log(\"a\")", "main", [](Code& code) { code.constants.clear(); }},
    {Wrong::Operand, "log({a: 1, b: 2})", "main",
     [](Code& code) {
       std::get<Keys>(code.constants.at(0)) = {"a", "a"};
     }},
    {Wrong::Operand, "fn f(x) { return x.y }", "f", [](Code& code) { code.caches.clear(); }},
    {Wrong::Operand, "fn f(x) { return x.y }", "f",
     [](Code& code) { code.words[find_op(code, Op::GetField)] |= 0xFF000000; }},
    {Wrong::Operand, "fn f(x) { return \"${x} ${x}\" }", "f",
     [](Code& code) { code.words[find_op(code, Op::Concat)] = encode(Op::Concat, 1, 2, 0); }},
    {Wrong::Register, "fn f(x) { let g = x\n g(1)\n return g }", "f",
     [](Code& code) {
       Word& word = code.words[find_op(code, Op::CallLocal)];
       word = encode(Op::CallLocal, a_of(word), b_of(word), a_of(word));
     }},
    {Wrong::Register, "fn f(xs) { for (k, v) in xs { log(k, v) } }", "f",
     [](Code& code) {
       Word& word = code.words[find_op(code, Op::PairUnpack)];
       word = encode(Op::PairUnpack, b_of(word), b_of(word));
     }},
    {Wrong::Content, "fn f(a) { let b = 1\n return a + b }", "f",
     [](Code& code) { code.words[find_op(code, Op::LoadInt)] = encode(Op::LoadNil, 0); }},
    {Wrong::Content, "fn f(c) { if c { log(1) }\n return [c] }", "f",
     [](Code& code) { code.words[find_op(code, Op::NewList)] = encode(Op::LoadUnset, 1); }},
    {Wrong::Content, "fn f(a, b = 2) { return a + b }", "f",  // an argument that was left out
     [](Code& code) { code.words[find_op(code, Op::LoadInt)] = encode(Op::LoadNil, 0); }},
    {Wrong::Content, "fn f() { var n = 1\n let g = { -> n = n + 1 }\n g()\n return n }", "f",
     [](Code& code) { code.words[find_op(code, Op::NewCell)] = encode(Op::Move, 0, 1); }},
    {Wrong::Content, "fn f(a) { let b = a\n return [b, a] }", "f",
     [](Code& code) { code.words[find_op(code, Op::Move)] = encode(Op::Steal, 1, 0); }},
    {Wrong::Content, "fn f(x) { try { x() } catch (e) { log(e) } }", "f",
     [](Code& code) { code.handlers.at(0).reg = 0; }},
    {Wrong::Content, "enum E { A(n: int), B }\nfn f(x) { match x { E.A(n) -> { log(n) } _ -> { log(0) } } }", "f",
     [](Code& code) { put_jump(code, find_op(code, Op::JumpIfNotVariant), 0); }},
    {Wrong::Content, "fn f(n) { for i in 0 to n { log(i) } }", "f",
     [](Code& code) {
       uint32_t at = find_op(code, Op::RangePrepInclusive);
       put_jump(code, at, code.words[at + 1]);
     }},
    {Wrong::Content, "fn f(x, g) { log(g(x), x) }", "f",
     [](Code& code) {  // what lies above the arguments of a call is gone
       Word& word = code.words[find_op(code, Op::CallLocal)];
       word = encode(Op::CallSelf, 0, 0);
     }},
    {Wrong::Jump, "fn f(c) { if c { log(1) } }", "f",
     [](Code& code) { code.words[find_op(code, Op::JumpIfNot) + 1] -= 2; }},
    {Wrong::Jump, "fn f(c) { if c { log(1) } }", "f",
     [](Code& code) { code.words[find_op(code, Op::JumpIfNot) + 1] = 1000; }},
    {Wrong::Jump, "fn f(c) { if c { log(1) } }", "f",
     [](Code& code) { code.words[find_op(code, Op::JumpIfNot) + 1] = static_cast<Word>(-2); }},
    {Wrong::End, "fn f(c) { return c }", "f", [](Code& code) { code.words.back() = encode(Op::LoadNil, 0); }},
    {Wrong::End, "fn f(c) { return c }", "f", [](Code& code) { code.words.clear(); }},
    {Wrong::Handler, "fn f(x) { try { x() } catch (e) { log(e) } }", "f",
     [](Code& code) { code.handlers.at(0).end = 1000; }},
    {Wrong::Handler, "fn f(x) { try { x() } catch (e) { log(e) } }", "f",
     [](Code& code) { code.handlers.at(0).target = code.handlers.at(0).start; }},
    {Wrong::Handler, "fn f(x) { try { try { x() } finally { log(1) } } catch (e) { log(e) } }", "f",
     [](Code& code) { std::swap(code.handlers.at(0), code.handlers.at(1)); }},
    {Wrong::CleanUp, "fn f(x) { defer { log(1) }\n return x() }", "f",
     [](Code& code) {
       uint32_t at = find_op(code, Op::Gosub);
       put_jump(code, at, code.words[at + 1]);
     }},
    {Wrong::CleanUp, "fn f(x) { defer { log(1) }\n return x() }", "f",
     [](Code& code) { code.words[find_op(code, Op::EndGosub)] = encode(Op::ReturnNil); }},
    {Wrong::Content, "fn f(x) { defer { log(1) }\n defer { log(2) }\n return x() }", "f",
     [](Code& code) {  // the second piece goes back to where the first was called from
       uint32_t first = find_op(code, Op::EndGosub);
       for (uint32_t at : instruction_starts(code)) {
         if (op_of(code.words[at]) == Op::EndGosub) code.words[at] = code.words[first];
       }
     }},
    {Wrong::Capture, "fn f(n) { return { -> n } }", "f",
     [](Code& code) { code.functions.at(0)->captures.at(0).from = Capture::From::Capture; }},
    {Wrong::Capture, "fn f(n) { var k = n\nlet g = { -> k }\nk = 2\nreturn g }", "f",
     [](Code& code) { code.functions.at(0)->captures.at(0).from = Capture::From::Self; }},
    {Wrong::Parameters, "fn f(n) { return n }", "f", [](Code& code) { code.required_params = 2; }},
    {Wrong::Parameters, "fn f(n) { return n }", "f", [](Code& code) { code.registers = 0; }},
    {Wrong::Table, "fn f(n) { return n + n.x }", "f", [](Code& code) { code.lines.at(1).word = 0; }},
    {Wrong::Table, "fn f(n) { return n + n.x }", "f", [](Code& code) { code.lines.at(0).offset = 1'000'000; }},
};

TEST(Verify, FindsWhatIsBroken) {
  for (const Broken& broken : kBroken) {
    auto program = compiled(broken.source);
    broken.damage(find_code(*program, broken.function));
    auto fault = verify(*program, kBuiltins);
    ASSERT_TRUE(fault) << broken.source;
    bool is_expected = fault->wrong == broken.wrong ||
                       (broken.wrong == Wrong::Capture && fault->wrong == Wrong::Operand);  // there is no such capture
    EXPECT_TRUE(is_expected) << broken.source << "\n" << fault->text();
  }
}

TEST(Verify, AFunctionThatIsCalledWhereItIsStaysThere) {
  auto program = compiled("fn f() { return 1 }\nfn g() { return f() }\nlog(g())");
  Code& code = find_code(*program, "g");
  uint32_t called = code.words[find_op(code, Op::TailCallGlobal) + 1];
  code.words = {encode(Op::LoadNil, 0), encode(Op::AssignGlobal) | called << 16, encode(Op::ReturnNil)};
  code.lines.clear();
  Code& main = *program->modules[0];
  main.words[find_op(main, Op::CallGlobal) + 1] = called;
  auto fault = verify(*program, kBuiltins);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->wrong, Wrong::Program);
}

// ---- everything, a bit ----

// Whether a word is wrong by itself, whatever is around it.
bool is_nonsense(const Code& code, uint32_t at) {
  Op op = op_of(code.words[at]);
  if (op >= Op::Count) return true;
  if (op == Op::Large) return false;
  WideOperands operands = operands_at(code, {}, at);
  for (const Read& read : facts(op).reads) {
    RegisterRange range = registers_of(read.access, operands);
    if (range.first + range.count > code.registers) return true;
  }
  for (const Write& write : facts(op).writes) {
    RegisterRange range = registers_of(write.access, operands);
    if (range.first + range.count > code.registers) return true;
  }
  return false;
}

// Every field of every instruction gets other values. What cannot be right is found; whether what is accepted does no
// harm, tests/fuzz/mutated_code shows.
TEST(Verify, FindsEveryOperandThatCannotBe) {
  for (uint32_t near : {0u, 3u}) {
    auto program = compiled(kSource, near);
    uint32_t tried = 0, accepted = 0;
    each_code(*program->modules[0], [&](Code& code) {
      for (uint32_t at : instruction_starts(code)) {
        Word good = code.words[at];
        for (uint32_t field = 0; field < 4; ++field) {
          for (uint32_t value : {0u, 1u, 2u, 5u, 100u, 249u, 255u}) {
            code.words[at] = (good & ~(0xFFu << field * 8)) | value << field * 8;
            if (code.words[at] == good) continue;
            bool sound = fault_of(*program).empty();
            ++tried;
            accepted += sound;
            EXPECT_FALSE(sound && is_nonsense(code, at)) << code.name << " " << at << " " << std::hex << code.words[at];
          }
        }
        code.words[at] = good;
      }
    });
    EXPECT_EQ(fault_of(*program), "");
    EXPECT_LT(accepted * 3, tried) << "most changes are found: " << accepted << " of " << tried << " were not";
  }
}

// Second and third words: indexes and distances.
TEST(Verify, FindsEveryIndexAndDistanceThatCannotBe) {
  auto program = compiled(kSource);
  each_code(*program->modules[0], [&](Code& code) {
    std::vector<uint32_t> starts = instruction_starts(code);
    for (uint32_t at : starts) {
      Format format = row(op_of(code.words[at])).format;
      for (uint32_t word = at + 1; word < at + length(format); ++word) {
        Word good = code.words[word];
        bool is_number = word == at + 1 && format != Format::AJump && format != Format::ABCJump &&
                         facts(op_of(code.words[at])).has(Field::X, Meaning::Number);
        for (Word bad : {0x7FFFFFFFu, 0xFFFFFFFFu, 1'000'000u}) {
          code.words[word] = bad;
          EXPECT_EQ(fault_of(*program).empty(), is_number) << code.name << " " << word;
        }
        code.words[word] = good;
      }
    }
  });
}

TEST(Verify, FindsEveryHandlerThatCannotBe) {
  auto program = compiled(kSource);
  each_code(*program->modules[0], [&](Code& code) {
    for (Handler& handler : code.handlers) {
      for (uint32_t Handler::*field : {&Handler::start, &Handler::end, &Handler::target, &Handler::reg}) {
        uint32_t good = handler.*field;
        handler.*field = 100'000;
        EXPECT_NE(fault_of(*program), "");
        handler.*field = good;
      }
    }
  });
  EXPECT_EQ(fault_of(*program), "");
}

TEST(Verify, KnowsWhereInstructionsBegin) {
  auto program = compiled("log(1)");
  const Code& code = *program->modules[0];
  EXPECT_EQ(instruction_starts(code), (std::vector<uint32_t>{0, 1, 3}));
}

}  // namespace
}  // namespace harn::bytecode
