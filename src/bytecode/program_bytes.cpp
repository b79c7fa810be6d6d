#include "bytecode/program_bytes.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "base/assert.h"
#include "base/wire.h"

// What has an identity (types and data, which may be shared or lead back to themselves; declarations) comes first, in
// tables, and is a number wherever it is used. All else is written where it is. Each struct says its fields once, in a
// function that writes them to a Writer and reads them from a Reader.
namespace harn::bytecode {

namespace {

// ---- what is used by number ----

// Objects by the number they have in a table, in the order in which they were first seen.
template <class T>
class Numbers {
 public:
  // Whether it was new.
  bool add(T object) {
    bool is_new = numbers_.try_emplace(object, all_.size()).second;
    if (is_new) all_.push_back(object);
    return is_new;
  }
  uint64_t of(T object) const { return numbers_.at(object); }
  const std::vector<T>& all() const { return all_; }

 private:
  std::unordered_map<T, uint64_t> numbers_;
  std::vector<T> all_;
};

// Trees give declarations their addresses as numbers; those that were read have numbers that are no addresses.
DeclarationId new_declaration() {
  static std::atomic<DeclarationId> last{kResultDeclaration};
  constexpr DeclarationId kFirstAddress = 65'536;  // nothing is ever mapped below
  DeclarationId id = ++last;
  HARN_ASSERT(id < kFirstAddress, "there are too many declarations in programs that were read");
  return id;
}

class Writer {
 public:
  static constexpr bool kReads = false;
  explicit Writer(std::string& out) : wire(out) {}

  template <class T>
  void number(const T& value) {
    if constexpr (std::is_signed_v<T>) wire.signed_number(value);
    else wire.number(static_cast<uint64_t>(value));
  }
  void text(const std::string& value) { wire.text(value); }
  void number(double value) { wire.word(std::bit_cast<uint64_t>(value)); }
  void declaration(DeclarationId id) { wire.number(id <= kResultDeclaration ? id : declarations.of(id) + 2); }
  void type(const TypeCheck* type) { wire.number(type ? types.of(type) + 1 : 0); }
  void type(const TypeCheckPtr& held) { type(held.get()); }
  void data(const DataPtr& held) { wire.number(held ? datas.of(held.get()) + 1 : 0); }
  void source(const SourcePtr&) {}
  template <class T>
  void plain(const std::vector<T>& items) {
    wire.number(items.size());
    wire.raw({reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)});
  }
  template <class T, class Each>
  void items(const std::vector<T>& all, Each each) {
    wire.number(all.size());
    for (const T& item : all) each(item);
  }

  WireWriter wire;
  Numbers<const TypeCheck*> types;
  Numbers<const Data*> datas;
  Numbers<DeclarationId> declarations;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  Reader(std::string_view bytes, const SourcePtr& source) : wire(bytes), source_(source) {}

  bool failed() const { return failed_ || wire.failed(); }
  void fail() { failed_ = true; }

  template <class T>
  void number(T& value) {
    if constexpr (std::is_signed_v<T>) value = static_cast<T>(wire.signed_number());
    else value = static_cast<T>(wire.number());
  }
  void text(std::string& value) { value = wire.text(); }
  void number(double& value) { value = std::bit_cast<double>(wire.word()); }
  void declaration(DeclarationId& id) {
    id = wire.number();
    if (id <= kResultDeclaration) return;
    if (id - 2 < declarations.size()) id = declarations[id - 2];
    else fail();
  }
  void type(const TypeCheck*& type) {
    uint64_t number = wire.number();
    if (number > types->size()) return fail();
    type = number == 0 ? nullptr : &(*types)[number - 1];
  }
  void type(TypeCheckPtr& held) {
    const TypeCheck* found = nullptr;
    type(found);
    if (found) held = TypeCheckPtr(types, found);
  }
  void data(DataPtr& held) {
    uint64_t number = wire.number();
    if (number > datas.size()) fail();
    else if (number > 0) held = datas[number - 1];
  }
  void source(SourcePtr& source) { source = source_; }
  template <class T>
  void plain(std::vector<T>& items) {
    size_t size = wire.count();
    if (size * sizeof(T) > wire.left()) return fail();
    items.resize(size);
    std::string_view bytes = wire.raw(size * sizeof(T));
    if (size > 0) memcpy(items.data(), bytes.data(), bytes.size());
  }
  template <class T, class Each>
  void items(std::vector<T>& all, Each each) {
    all.resize(wire.count());
    for (size_t i = 0; i < all.size() && !failed(); ++i) each(all[i]);
  }

  WireReader wire;
  // They may be parts of themselves, so all are made before one has its fields. Whoever holds one holds all.
  std::shared_ptr<std::vector<TypeCheck>> types = std::make_shared<std::vector<TypeCheck>>();
  std::vector<DataPtr> datas;
  std::vector<DeclarationId> declarations;

 private:
  SourcePtr source_;
  bool failed_ = false;
};

// ---- fields ----

// T is const for a Writer.
template <class Archive, class T>
using Part = std::conditional_t<Archive::kReads, T, const T>;

template <class Archive>
void fields(Archive& archive, Part<Archive, TypeCheck>& type) {
  archive.number(type.kind);
  archive.text(type.text);
  archive.declaration(type.declaration);
  archive.number(type.number);
  archive.items(type.fields, [&](auto& field) {
    archive.text(field.name);
    archive.number(field.optional);
    archive.type(field.type);
  });
  archive.items(type.items, [&](auto& item) { archive.type(item); });
  archive.type(type.again);
}

template <class Archive>
void texts(Archive& archive, Part<Archive, std::vector<std::string>>& all) {
  archive.items(all, [&](auto& text) { archive.text(text); });
}

template <class Archive>
void fields(Archive& archive, Part<Archive, EnumShape>& shape) {
  archive.text(shape.name);
  archive.items(shape.variants, [&](auto& variant) {
    archive.text(variant.first);
    archive.number(variant.second);
  });
  archive.declaration(shape.declaration);
}

template <class Archive>
void fields(Archive& archive, Part<Archive, StructShape>& shape) {
  archive.text(shape.name);
  texts(archive, shape.fields);
  archive.declaration(shape.declaration);
  archive.data(shape.schema);
  archive.data(shape.instances);
}

// Makes a variant hold its alternative of that number; false when there is none.
template <class Variant, size_t... kNumbers>
bool choose(Variant& value, size_t number, std::index_sequence<kNumbers...>) {
  return ((number == kNumbers && (value.template emplace<kNumbers>(), true)) || ...);
}

// Which alternative a variant holds, and that one.
template <class Archive, class Variant, class Each>
void alternative(Archive& archive, Variant& value, Each each) {
  size_t number = value.index();
  archive.number(number);
  if constexpr (Archive::kReads) {
    if (!choose(value, number, std::make_index_sequence<std::variant_size_v<Variant>>())) return archive.fail();
  }
  std::visit(each, value);
}

template <class Archive>
void fields(Archive& archive, Part<Archive, Data>& data) {
  alternative(archive, data.value, [&](auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t>) archive.number(value);
    if constexpr (std::is_same_v<T, std::string>) archive.text(value);
    if constexpr (std::is_same_v<T, Data::List>) archive.items(value, [&](auto& item) { archive.data(item); });
    if constexpr (std::is_same_v<T, Data::Dict>) {
      archive.items(value, [&](auto& entry) {
        archive.text(entry.first);
        archive.data(entry.second);
      });
    }
  });
}

template <class Archive>
void fields(Archive& archive, Part<Archive, Constant>& constant) {
  alternative(archive, constant, [&](auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<T>) archive.number(value);
    if constexpr (std::is_same_v<T, std::string>) archive.text(value);
    if constexpr (std::is_same_v<T, Keys>) texts(archive, value);
    if constexpr (std::is_same_v<T, EnumShape> || std::is_same_v<T, StructShape>) fields(archive, value);
    if constexpr (std::is_same_v<T, DataPtr>) archive.data(value);
  });
}

template <class Archive>
void codes(Archive& archive, Part<Archive, std::vector<std::shared_ptr<Code>>>& all);

template <class Archive>
void fields(Archive& archive, Part<Archive, Code>& code) {
  archive.text(code.name);
  archive.source(code.source);
  archive.number(code.hidden);
  archive.number(code.is_generator);
  archive.number(code.is_stream);
  archive.number(code.required_params);
  archive.number(code.param_count);
  archive.number(code.has_rest);
  archive.number(code.registers);
  archive.number(code.far_register);
  texts(archive, code.param_names);
  archive.plain(code.words);
  archive.items(code.constants, [&](auto& constant) { fields(archive, constant); });
  archive.items(code.caches, [&](auto& cache) {
    archive.text(cache.name);
    archive.text(cache.owner);
    archive.declaration(cache.declaration);
  });
  archive.items(code.captures, [&](auto& capture) {
    archive.number(capture.from);
    archive.number(capture.index);
  });
  archive.items(code.handlers, [&](auto& handler) {
    archive.number(handler.start);
    archive.number(handler.end);
    archive.number(handler.target);
    archive.number(handler.reg);
    archive.number(handler.cleanup);
    archive.number(handler.cleanup_end);
  });
  archive.plain(code.lines);
  archive.items(code.checks, [&](auto& check) {
    archive.text(check.parameter);
    archive.number(check.rest);
    archive.type(check.type);
  });
  archive.items(code.arm_tables, [&](auto& table) {
    archive.declaration(table.declaration);
    archive.plain(table.targets);
  });
  archive.items(code.paths, [&](auto& path) { archive.plain(path.caches); });
  codes(archive, code.functions);
}

template <class Archive>
void codes(Archive& archive, Part<Archive, std::vector<std::shared_ptr<Code>>>& all) {
  archive.items(all, [&](auto& code) {
    if constexpr (Archive::kReads) code = std::make_shared<Code>();
    fields(archive, *code);
  });
}

template <class Archive>
void fields(Archive& archive, Part<Archive, PipelineEntry>& entry) {
  archive.text(entry.name);
  archive.number(entry.global);
  archive.items(entry.params, [&](auto& param) {
    archive.text(param.name);
    archive.number(param.has_default);
  });
  archive.number(entry.is_test);
}

// ---- what there is ----

// Goes through a program for what is used by number.
class Collector {
 public:
  explicit Collector(Writer& writer) : writer_(writer) {}

  void look(const Code& code) {
    for (const Constant& constant : code.constants) {
      if (auto* shape = std::get_if<EnumShape>(&constant)) look(shape->declaration);
      if (auto* data = std::get_if<DataPtr>(&constant)) look(data->get());
      auto* shape = std::get_if<StructShape>(&constant);
      if (!shape) continue;
      look(shape->declaration);
      look(shape->schema.get());
      look(shape->instances.get());
    }
    for (const CacheName& cache : code.caches) look(cache.declaration);
    for (const ParamCheck& check : code.checks) look(check.type.get());
    for (const ArmTable& table : code.arm_tables) look(table.declaration);
    for (const auto& function : code.functions) look(*function);
  }

 private:
  void look(DeclarationId id) {
    if (id > kResultDeclaration) writer_.declarations.add(id);
  }
  void look(const TypeCheck* type) {
    if (!type || !writer_.types.add(type)) return;
    look(type->declaration);
    for (const TypeCheck::Field& field : type->fields) look(field.type);
    for (const TypeCheck* item : type->items) look(item);
    look(type->again);
  }
  // Its parts come before it: whoever reads it has them.
  void look(const Data* data) {
    if (!data || !seen_.add(data)) return;
    if (auto* items = std::get_if<Data::List>(&data->value)) {
      for (const DataPtr& item : *items) look(item.get());
    }
    if (auto* entries = std::get_if<Data::Dict>(&data->value)) {
      for (const auto& [key, value] : *entries) look(value.get());
    }
    writer_.datas.add(data);
  }

  Writer& writer_;
  Numbers<const Data*> seen_;
};

}  // namespace

std::string program_bytes(const Program& program) {
  std::string bytes;
  Writer writer(bytes);
  Collector collector(writer);
  for (const auto& module : program.modules) collector.look(*module);
  writer.number(writer.declarations.all().size());
  writer.number(writer.types.all().size());
  for (const TypeCheck* type : writer.types.all()) fields(writer, *type);
  writer.number(writer.datas.all().size());
  for (const Data* data : writer.datas.all()) fields(writer, *data);
  codes(writer, program.modules);
  writer.number(program.globals.size());
  for (size_t i = 0; i < program.globals.size(); ++i) writer.text(program.globals[i]);
  writer.items(program.pipelines, [&](const PipelineEntry& entry) { fields(writer, entry); });
  writer.plain(program.owned);
  return bytes;
}

std::unique_ptr<Program> read_program(std::string_view bytes, const SourcePtr& source) {
  auto program = std::make_unique<Program>();
  Reader reader(bytes, source);
  reader.declarations.resize(reader.wire.count());
  for (DeclarationId& id : reader.declarations) id = new_declaration();
  reader.items(*reader.types, [&](TypeCheck& type) { fields(reader, type); });
  for (size_t left = reader.wire.count(); left > 0 && !reader.failed(); --left) {
    Data data;
    fields(reader, data);
    reader.datas.push_back(std::make_shared<const Data>(std::move(data)));
  }
  codes(reader, program->modules);
  std::vector<std::string> globals;
  texts(reader, globals);
  program->globals = GlobalNames(std::move(globals));
  reader.items(program->pipelines, [&](PipelineEntry& entry) { fields(reader, entry); });
  reader.plain(program->owned);
  if (reader.failed() || reader.wire.left() != 0) return nullptr;
  return program;
}

}  // namespace harn::bytecode
