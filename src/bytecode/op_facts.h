#pragma once

#include <array>
#include <cstdint>

#include "bytecode/code.h"

// What the rows of opcodes.def say, read at compile time: a row that says too little, or something that nobody knows,
// is a compile error. Constant data, for any thread.
namespace harn::bytecode {

// What a register holds, as far as instructions care. Nil, lists and functions are values to a program; the others only
// exist between instructions of one function.
enum class Holds : uint8_t {
  Nothing,   // never written, or something that a call has overwritten
  Given,     // it was given away: nil
  Value,     // a value of the program
  Unset,     // a value, or unset: a variable that is not declared yet, an argument that was left out
  Int,       // values whose kind is known ...
  List,      // a list, no range
  Items,     // a list or a range
  Dict,      // a dict, no struct
  Record,    // a dict or a struct
  Enum,      // ... until here
  Cell,      // the cell of a captured variable
  Error,     // an error that a handler got
  Far,       // the far registers
  Counter,   // a loop over ints: the next one,
  Limit,     // and where it ends
  Source,    // a loop: what it goes over,
  Position,  // and how far it is
  Permits,   // how many permits were held when a `mutex` block was entered
  Address,   // where clean-up code goes back to
  Anything,  // in rows: any of the above that was written
  Whatever,  // in rows: not even that
  Copy,      // in rows: what the register that is read holds
  Same,      // in rows: what it held before
};

enum class Access : uint8_t { A, A1, B, C, BPlusC, APlusB, AThroughB, BThroughC, Captures };

// What becomes of a register that is read.
enum class Taken : uint8_t { No, Always, IfItWorks, IfItWorksAndC };

struct Read {
  Access access;
  Holds wants = Holds::Value;
  Taken taken = Taken::No;
  bool only_jumping = false;  // taken only where the instruction jumps
};
struct Write {
  Access access;
  Holds gives = Holds::Value;
  bool only_jumping = false;
};

enum class Field : uint8_t { A, B, C, X };  // Bx is B

// What an operand means that names no register.
enum class Meaning : uint8_t {
  Zero,  // not used
  Number,
  Flag,         // 0 or 1
  Mode,         // 0 to 2
  One,          // 1
  Three,        // 3
  Parts,        // of a text: 1 to kMostParts
  Keys,         // how many there are: at least 1
  Count,        // of far registers from X on
  Constant,     // one that is a value
  Text,         // a constant, as are the next four
  Names,        // Keys
  NamesOfC,     // as many as C says, all different
  EnumShape,    //
  StructShape,  //
  Cache,
  Global,
  CalledGlobal,  // a function that is never assigned
  Library,
  Capture,
  CellCapture,
  Builtin,
  Function,
  Check,
  Arms,
  Path,
  Place,     // Place
  Variable,  // of the place that A says
  FarCount,
  Far,
  Instruction,  // one that `Large` can stand for
  RaiseKind,
};
struct Number {
  Field field;
  Meaning meaning;
};

// A few of something, in place.
template <class T>
class Few {
 public:
  constexpr void add(T one) { items_[size_++] = one; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }
  constexpr size_t size() const { return size_; }

 private:
  std::array<T, 3> items_{};
  uint8_t size_ = 0;
};

struct OpFacts {
  Few<Read> reads;
  Few<Write> writes;
  Few<Number> numbers;
  // The callee's registers begin at the arguments: nothing that is needed lies above them.
  bool is_call = false;

  constexpr bool has(Field field, Meaning meaning) const {
    for (const Number& number : numbers) {
      if (number.field == field && number.meaning == meaning) return true;
    }
    return false;
  }
};
const OpFacts& facts(Op op);

}  // namespace harn::bytecode
