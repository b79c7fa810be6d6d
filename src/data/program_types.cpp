#include "data/program_types.h"

#include <algorithm>

#include "vm/dict.h"
#include "vm/objects.h"
#include "vm/scheduler.h"

namespace harn::data {

using namespace vm;

namespace {

// What structs and enums have in common.
struct Declared {
  std::string_view module;
  std::string_view name;
  uint64_t declaration;
};
Declared declared(const Value& type) {
  auto of = [](const auto* object) {
    return Declared{object->module->view(), object->name->view(), object->declaration};
  };
  return type.is(Kind::StructType) ? of(type.as<StructTypeObject>()) : of(type.as<EnumTypeObject>());
}

bool is_type(const Value& value) { return value.is(Kind::StructType) || value.is(Kind::EnumType); }

// No module and no name has a line break.
std::string key_of(const TypeName& name) { return name.module + '\n' + name.name; }

}  // namespace

std::optional<TypeName> ProgramTypes::name_of(const Value& type) {
  if (auto known = BuiltInTypes::name_of(type)) return known;
  look();
  Declared wanted = declared(type);
  TypeName name{module_name(wanted.module), std::string(wanted.name)};
  // One that is declared inside a function may have the name of another.
  auto found = types_.find(key_of(name));
  bool is_it = found != types_.end() && declared(found->second).declaration == wanted.declaration;
  return is_it ? std::optional(std::move(name)) : std::nullopt;
}

Value ProgramTypes::find(const TypeName& name) {
  look();
  auto found = types_.find(key_of(name));
  return found != types_.end() ? found->second : BuiltInTypes::find(name);
}

Value ProgramTypes::near(const StructTypeObject& type, std::string_view name) {
  look();
  auto own = types_.find(key_of({module_name(type.module->view()), std::string(name)}));
  if (own != types_.end()) return own->second;
  Value found;
  for (const auto& [key, value] : types_) {
    if (declared(value).name != name) continue;
    if (!found.is_nil()) return Value();
    found = value;
  }
  return found;
}

void ProgramTypes::look() {
  if (has_looked_) return;
  has_looked_ = true;
  Task* task = Scheduler::current_or_null();
  if (!task || !task->globals) return;
  for (const Value& value : std::span(task->globals->values(), task->globals->count)) {
    if (!is_type(value) || value.object() == result_type()) continue;
    Declared type = declared(value);
    types_[key_of({module_name(type.module), std::string(type.name)})] = value;
  }
}

std::string ProgramTypes::module_name(std::string_view path) const {
  std::string_view main = vm_.main_path();
  if (path == main) return "";
  std::string_view directory = main.substr(0, main.rfind('/') + 1);
  size_t same = std::mismatch(path.begin(), path.end(), directory.begin(), directory.end()).first - path.begin();
  size_t common = path.substr(0, same).rfind('/') + 1;
  bool is_elsewhere = common == 0 && !directory.empty();  // part of the binary
  if (is_elsewhere) return std::string(path);
  std::string name;
  for (size_t i = common; i < directory.size(); ++i) name += directory[i] == '/' ? "../" : "";
  return name += path.substr(common);
}

}  // namespace harn::data
