#include "park/code_map.h"

#include <bit>

#include "vm/digest.h"

namespace harn::park {

using namespace bytecode;
using vm::Digest;
using vm::Prototype;

void CodeMap::add(vm::Unit& unit) {
  size_t first = prototypes_.size();
  for (Prototype* start : unit.starts) add(start);
  // Functions behind those that hold them; how deep they are nested is the program's business.
  for (size_t at = first; at < prototypes_.size(); ++at) {
    Prototype* proto = prototypes_[at];
    for (size_t i = 0; i < proto->code->functions.size(); ++i) add(proto->functions[i]);
  }
}

// Calls `visit` with each place where an instruction begins.
template <class Visit>
static void each_instruction(const Code& code, Visit visit) {
  for (size_t at = 0; at < code.words.size(); at += length(row(op_of(code.words[at])).format)) visit(at);
}

void CodeMap::add(Prototype* proto) {
  each_instruction(*proto->code, [&](size_t at) {
    if (op_of(proto->code->words[at]) != Op::MutexEnter) return;
    const std::string& name = proto->code->caches[proto->code->words[at + 1]].name;
    if (block_numbers_.try_emplace(name, blocks_.size()).second) blocks_.push_back(name);
  });
  numbers_.emplace(proto->code, prototypes_.size());
  prototypes_.push_back(proto);
  for (const Constant& constant : proto->code->constants) {
    Declaration found{.code = proto->code,
                      .struct_shape = std::get_if<StructShape>(&constant),
                      .enum_shape = std::get_if<EnumShape>(&constant)};
    if (!found.struct_shape && !found.enum_shape) continue;
    if (declaration_numbers_.try_emplace(found.id(), declarations_.size()).second) declarations_.push_back(found);
  }
}

std::optional<uint64_t> CodeMap::number_of(const Code* code) const {
  auto found = numbers_.find(code);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

Prototype* CodeMap::prototype(uint64_t number) const {
  return number < prototypes_.size() ? prototypes_[number] : nullptr;
}

std::optional<uint64_t> CodeMap::declaration_number(uint64_t id) const {
  auto found = declaration_numbers_.find(id);
  return found == declaration_numbers_.end() ? std::nullopt : std::optional(found->second);
}

const Declaration* CodeMap::declaration(uint64_t number) const {
  return number < declarations_.size() ? &declarations_[number] : nullptr;
}

const Declaration* CodeMap::find_declaration(uint64_t id) const {
  auto number = declaration_number(id);
  return number ? &declarations_[*number] : nullptr;
}

std::optional<uint64_t> CodeMap::block_number(std::string_view lock) const {
  auto found = block_numbers_.find(lock);
  return found == block_numbers_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* CodeMap::block(uint64_t number) const {
  return number < blocks_.size() ? &blocks_[number] : nullptr;
}

bool CodeMap::is_boundary(const Code& code, uint32_t word) {
  auto [found, is_new] = boundaries_.try_emplace(&code);
  std::vector<bool>& begins = found->second;
  if (is_new) {
    begins.resize(code.words.size() + 1);
    each_instruction(code, [&](size_t at) { begins[at] = true; });
    begins.back() = true;
  }
  return word < begins.size() && begins[word];
}

// ---- fingerprints ----

namespace {

class Fingerprint {
 public:
  explicit Fingerprint(const CodeMap& map) : map_(map) {}

  void add(const Code& code) {
    digest_.add(code.name);
    digest_.add(code.is_generator | code.is_stream << 1 | code.has_rest << 2 | code.far_register << 8);
    digest_.add(code.required_params | uint64_t{code.param_count} << 32);
    digest_.add(code.registers);
    digest_.add(text_of(code.words));
    digest_.add(code.constants.size());
    for (const Constant& constant : code.constants) add(constant);
    for (const CacheName& cache : code.caches) {
      // Where a file is and what line a block is on is no part of the code.
      if (auto block = map_.block_number(cache.name)) digest_.add(*block);
      else digest_.add(cache.name);
      declaration(cache.declaration);
    }
    for (const Capture& capture : code.captures) digest_.add(static_cast<uint64_t>(capture.from) << 32 | capture.index);
    for (const Handler& handler : code.handlers) add(handler);
    for (const ParamCheck& check : code.checks) {
      digest_.add(check.parameter);
      digest_.add(check.rest);
      digest_.add(check.type->text);
    }
    for (const ArmTable& table : code.arm_tables) {
      declaration(table.declaration);
      digest_.add(text_of(table.targets));
    }
    for (const PathSteps& path : code.paths) digest_.add(text_of(path.caches));
    digest_.add(code.functions.size());
  }

  std::string done() const { return digest_.done(); }

 private:
  static std::string_view text_of(const std::vector<uint32_t>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint32_t)};
  }

  void declaration(uint64_t id) { digest_.add(map_.declaration_number(id).value_or(UINT64_MAX)); }

  void add(const Handler& handler) {
    digest_.add(handler.start | uint64_t{handler.end} << 32);
    digest_.add(handler.target | uint64_t{handler.cleanup_end} << 32);
    digest_.add(handler.reg | uint64_t{handler.cleanup} << 32);
  }

  void add(const Constant& constant) {
    digest_.add(constant.index());
    if (auto* integer = std::get_if<int64_t>(&constant)) digest_.add(static_cast<uint64_t>(*integer));
    else if (auto* number = std::get_if<double>(&constant)) digest_.add(std::bit_cast<uint64_t>(*number));
    else if (auto* text = std::get_if<std::string>(&constant)) digest_.add(*text);
    else if (auto* keys = std::get_if<Keys>(&constant)) add(*keys);
    else if (auto* shape = std::get_if<StructShape>(&constant)) {
      digest_.add(shape->name);
      add(shape->fields);
    } else if (auto* declared = std::get_if<EnumShape>(&constant)) {
      digest_.add(declared->name);
      for (auto& [name, count] : declared->variants) {
        digest_.add(name);
        digest_.add(static_cast<uint64_t>(count));
      }
    }
    // Data (schemas) follow from types that are elsewhere in the code, and no number refers into them.
  }

  void add(const Keys& keys) {
    digest_.add(keys.size());
    for (const std::string& key : keys) digest_.add(key);
  }

  const CodeMap& map_;
  Digest digest_;
};

}  // namespace

std::string CodeMap::fingerprint() const {
  Fingerprint print(*this);
  for (const Prototype* proto : prototypes_) print.add(*proto->code);
  return print.done();
}

}  // namespace harn::park
