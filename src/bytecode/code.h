#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"

// Compiled programs. Plain data: the VM links it to values when it loads it.
//
// The compiler makes a Program; whoever loads it gives it to the VM (Vm::load), which keeps it until it ends, because
// closures and traces point into it. Programs that were compiled together share the Code of modules. After a Code was
// made nothing writes to it, so workers read it without locks; the number that the VM gives a TypeCheck is the one exception.
namespace harn::bytecode {

enum class Format : uint8_t { None, A, AB, ABC, ABx, AsBx, sJ, AJump, ABCJump, ABCX, AXJump };

enum class Op : uint8_t {
#define HARN_OPCODE(name, ...) name,
#include "bytecode/opcodes.def"
#undef HARN_OPCODE
  Count,
};

// Where control goes behind an instruction, and whether it can throw: see opcodes.def.
enum class Flow : uint8_t { Next, Branch, Loop, Always, Jump, End, Arms, Gosub, EndGosub, Generator };
enum class Fails : uint8_t { Never, May, Back };

struct OpRow {
  std::string_view name;
  Format format;
  std::string_view reads;
  std::string_view writes;
  std::string_view numbers;
  Flow flow;
  Fails fails;
  std::string_view doc;
};
const OpRow& row(Op op);
// Words an instruction of this format takes.
constexpr uint32_t length(Format format) {
  switch (format) {
    case Format::AJump:
    case Format::ABCJump:
    case Format::ABCX: return 2;
    case Format::AXJump: return 3;
    default: return 1;
  }
}

using Word = uint32_t;
constexpr Word encode(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
  return static_cast<Word>(op) | a << 8 | b << 16 | c << 24;
}
constexpr Op op_of(Word w) { return static_cast<Op>(w & 0xFF); }
constexpr uint32_t a_of(Word w) { return w >> 8 & 0xFF; }
constexpr uint32_t b_of(Word w) { return w >> 16 & 0xFF; }
constexpr uint32_t c_of(Word w) { return w >> 24; }
constexpr uint32_t bx_of(Word w) { return w >> 16; }
constexpr int32_t sbx_of(Word w) { return static_cast<int16_t>(w >> 16); }
constexpr int32_t sj_of(Word w) { return static_cast<int32_t>(w) >> 8; }
constexpr int32_t sc_of(Word w) { return static_cast<int8_t>(w >> 24); }

// What instructions can name. A function that needs more keeps the others in far registers.
constexpr uint32_t kMaxRegisters = 250;
// What one Concat joins.
constexpr uint32_t kMostParts = 32;

// Where a variable that is not in a register lives (SetPath).
enum class Place : uint8_t { Global, Capture /* a captured cell */, Cell /* a cell in a register */ };

// Raise: which error. Name: a name that means nothing.
enum class RaiseKind : uint8_t { Runtime, Plain, Thrown, Name, Count };

using Keys = std::vector<std::string>;

// An enum declaration: variants with their payload counts (-1: none).
// Which declaration an enum or struct comes from: two may have one name. A number that differs for each.
using DeclarationId = uint64_t;
constexpr DeclarationId kResultDeclaration = 1;

// A list or dict that is known when compiling, such as the schema of a type. Parts may be shared.
struct Data;
using DataPtr = std::shared_ptr<const Data>;

struct EnumShape {
  std::string name;
  std::vector<std::pair<std::string, int>> variants;
  DeclarationId declaration;
};
struct StructShape {
  std::string name;
  std::vector<std::string> fields;
  DeclarationId declaration;
  DataPtr schema;     // of its instances
  DataPtr instances;  // {field: how}: which fields hold instances of types (compile/instances.h); null: none
};

struct Data {
  using List = std::vector<DataPtr>;
  using Dict = std::vector<std::pair<std::string, DataPtr>>;
  std::variant<std::monostate, bool, int64_t, std::string, List, Dict> value;
};

using Constant = std::variant<std::monostate, int64_t, double, std::string, Keys, EnumShape, StructShape, DataPtr>;

// A type as parameter checks see it. Types are made together and point at each other: whoever holds one of them as
// a shared_ptr holds them all.
struct TypeCheck {
  enum class Kind : uint8_t {
    Any,
    Int,
    Float,
    Number,
    String,
    Bytes,
    Bool,
    List,
    Dict,
    Set,
    Nil,
    Closure,
    Shape,
    Union,
    Intersection,
    LiteralString,
    LiteralInt,
    LiteralBool,
    Struct,
    Enum,     // a value of the named declaration
    Nominal,  // of a struct or enum of that name, which is declared elsewhere
    Again,    // the type that this is a part of
  };
  struct Field {
    std::string name;
    bool optional;
    const TypeCheck* type;
  };
  Kind kind = Kind::Any;
  std::string text;               // for messages; LiteralString: the text
  DeclarationId declaration = 0;  // Struct, Enum
  int64_t number = 0;             // LiteralInt, LiteralBool; Struct: whether the fields of instances are checked too
  std::vector<Field> fields;      // Shape, Struct; Enum: the values of variants, each under the variant's name
  std::vector<const TypeCheck*> items;   // Union, Intersection; List, Set: element; Dict: value
  const TypeCheck* again = nullptr;      // Again: one of those around this one
  mutable uint32_t number_plus_one = 0;  // as the VM counts types; 0: not yet (vm/known_type.h)

  std::string shown() const { return kind == Kind::LiteralString ? '"' + text + '"' : text; }
};
using TypeCheckPtr = std::shared_ptr<const TypeCheck>;
struct ParamCheck {
  std::string parameter;
  bool rest = false;  // each item is checked
  TypeCheckPtr type;
};

struct Handler {
  uint32_t start;  // word offsets: [start, end)
  uint32_t end;
  uint32_t target;
  uint32_t reg;              // receives the error
  bool cleanup;              // finally and defer: runs for cancellation too
  uint32_t cleanup_end = 0;  // the clean-up code is [target, cleanup_end)
};

struct LineEntry {
  uint32_t word;    // from this word on
  uint32_t offset;  // the source offset
};

struct Capture {
  enum class From : uint8_t { Register, Far, Capture, Self };  // of the enclosing function
  From from;
  uint32_t index;
};

// An inline cache: the names a site looks for.
struct CacheName {
  std::string name;
  std::string owner;  // JumpIfNotVariant: the enum
  DeclarationId declaration = 0;
};

// FindArm: where the arms of a match begin, by variant, behind the test for it.
struct ArmTable {
  DeclarationId declaration;
  std::vector<uint32_t> targets;  // word offsets
};

// SetPathLocal: the way from a variable to one of its parts.
struct PathSteps {
  static constexpr uint32_t kKey = UINT32_MAX;  // the next key in a register
  std::vector<uint32_t> caches;                 // of a field each, or kKey
};

struct Code {
  std::string name;  // for stack traces
  SourcePtr source;
  bool hidden = false;  // prelude code: left out of stack traces
  bool is_generator = false;
  bool is_stream = false;
  uint32_t required_params = 0;
  uint32_t param_count = 0;  // without the rest parameter
  bool has_rest = false;
  uint32_t registers = 0;
  uint8_t far_register = 0;  // which one holds the far registers, if there are any
  std::vector<std::string> param_names;
  std::vector<Word> words;
  std::vector<Constant> constants;
  std::vector<CacheName> caches;
  std::vector<Capture> captures;
  std::vector<Handler> handlers;  // innermost first
  std::vector<LineEntry> lines;
  std::vector<ParamCheck> checks;
  std::vector<ArmTable> arm_tables;
  std::vector<PathSteps> paths;
  std::vector<std::shared_ptr<Code>> functions;

  uint32_t source_offset(uint32_t word) const;
};

// A whole program: the start code of each module, in the order they run, and the entry points.
struct PipelineEntry {
  struct Param {
    std::string name;
    bool has_default;
  };
  std::string name;
  uint32_t global;            // where its closure is
  std::vector<Param> params;  // without `...rest`
  bool is_test = false;
};
// The names of a program's variables, by index. Programs that were compiled together share one list.
class GlobalNames {
 public:
  GlobalNames() : GlobalNames(std::vector<std::string>()) {}
  GlobalNames(std::vector<std::string> names)
      : names_(std::make_shared<const std::vector<std::string>>(std::move(names))) {}
  size_t size() const { return names_->size(); }
  const std::string& operator[](size_t index) const { return (*names_)[index]; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

struct Program {
  std::vector<std::shared_ptr<Code>> modules;  // run first to last; the last is the main module
  GlobalNames globals;
  std::vector<PipelineEntry> pipelines;  // of the main module
  std::vector<uint32_t> owned;           // globals that are dropped when the program ends, the last first
};

std::string disassemble(const Code& code);

}  // namespace harn::bytecode
