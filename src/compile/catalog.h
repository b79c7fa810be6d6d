#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bytecode/builtin_row.h"

// The builtins as the compiler sees them: names, numbers, signatures. It calls none of them.
namespace harn::compile {

struct BuiltinInfo {
  uint32_t id = 0;  // what CallBuiltin carries
  bytecode::Signature signature;
  bytecode::BuiltinFlags flags = bytecode::BuiltinFlags::None;
  bool touches_world = false;        // it needs a capability
  std::string_view capability = {};  // which: "fs.read"; empty for one that needs none
};

// A method of values of a builtin type.
struct MethodInfo {
  std::string_view receiver;  // the type, as `type_of` names it
  std::string_view name;
  bytecode::Signature signature;  // without the receiver, whose items are `T` (of a dict `V`, of a pair `A` and `B`)
  bytecode::BuiltinFlags flags = bytecode::BuiltinFlags::None;
};

// What the compiler must know about builtins. The VM's table implements it; the compiler does not
// link to it. It must give the same answers for as long as anything is compiled with it, and outlive that.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual std::optional<BuiltinInfo> find(std::string_view name) const = 0;
  virtual std::optional<double> constant(std::string_view name) const = 0;
  virtual std::vector<std::string_view> names() const = 0;
  // All methods; one that several types have is there for each.
  virtual std::vector<MethodInfo> methods() const = 0;
  // Ids are below this.
  virtual uint32_t count() const = 0;
};

// Program variables that exist in every program, by index.
enum PredefinedGlobal : uint32_t { kGlobalArgv, kGlobalContext, kGlobalResult, kPredefinedGlobals };
constexpr std::string_view kPredefinedNames[] = {"argv", "context", "Result"};

}  // namespace harn::compile
