#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "check/check.h"
#include "compile/frontend.h"

namespace {

using namespace harn;

// Some builtins with signatures of each kind: generic, overloaded, with a schema, of no return.
struct Row {
  std::string_view name;
  bytecode::Signature signature;
};
constexpr Row kRows[] = {
    {"len", "(value: string | list | dict) -> int"},
    {"log", "(value: any) -> nil"},
    {"max", "<T>(a: T, b: T) -> T"},
    {"schema_expect", "<T>(value: any, schema: Schema<T>) -> T"},
    {"schema_is", "<T>(value: any, schema: Schema<T>) -> bool"},
    {"schema_of", "<T>(schema: Schema<T>) -> Schema<T>"},
    {"to_int", "(value: int | float | bool) -> int; (value: any) -> int?"},
    {"to_string", "(value: any) -> string"},
    {"type_of", "(value: any) -> string"},
    {"unreachable", "(...values: any) -> never"},
};
constexpr compile::MethodInfo kMethods[] = {
    {"list", "map", "<T, U>(f: fn(T) -> U) -> list<U>"},
    {"list", "push", "<T>(item: T) -> list<T>"},
    {"string", "upper", "() -> string"},
    {"dict", "has", "(key: string) -> bool"},
    {"dict", "keys", "() -> list<string>"},
};

class FewBuiltins : public compile::Catalog {
 public:
  std::optional<compile::BuiltinInfo> find(std::string_view name) const override {
    for (const Row& row : kRows) {
      if (row.name == name) return compile::BuiltinInfo{static_cast<uint32_t>(&row - kRows), row.signature};
    }
    return std::nullopt;
  }
  std::optional<double> constant(std::string_view name) const override {
    return name == "pi" ? std::optional(3.14) : std::nullopt;
  }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> out;
    for (const Row& row : kRows) out.push_back(row.name);
    return out;
  }
  std::vector<compile::MethodInfo> methods() const override { return {std::begin(kMethods), std::end(kMethods)}; }
  uint32_t count() const override { return std::size(kRows); }
};

// The input is up to three files; a line `---` ends each. They may import each other.
class Files : public modules::SourceLoader {
 public:
  explicit Files(std::string_view input) {
    for (const char* name : {"/a.harn", "/b.harn", "/c.harn"}) {
      size_t end = std::min(input.find("\n---\n"), input.size());
      texts_[name] = input.substr(0, end);
      input.remove_prefix(std::min(input.size(), end + 5));
    }
  }
  std::optional<std::string> read(const std::string& path) override {
    auto found = texts_.find(path);
    return found == texts_.end() ? std::nullopt : std::optional(found->second);
  }
  bool is_file(const std::string& path) override { return texts_.contains(path); }
  bool is_directory(const std::string&) override { return false; }

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace

// Any programs at all can be checked for types, before and after a file has got another text; what is reported
// stands in the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kLongest = 4096;  // longer ones find nothing new, and slowly
  if (size > kLongest) return 0;
  Files files(std::string_view(reinterpret_cast<const char*>(data), size));
  FewBuiltins builtins;
  std::array analyses = {compile::MakeAnalysis(check::make_type_checker),
                         check::check_strictly([](const modules::Module&) { return true; })};
  compile::CompileOptions options;
  options.analyses = analyses;
  options.code = compile::CompileOptions::Code::NotWritten;
  compile::Frontend frontend(files, {}, builtins, options);
  const modules::Module* main = frontend.load_file("/a.harn");
  auto look = [&] {
    for (const diag::Diagnostic* one : frontend.problems(*main)) {
      if (one->span.end > one->source->text().size() || one->span.start > one->span.end) abort();
    }
  };
  look();
  frontend.replace(*main, *files.read("/b.harn"));
  look();
  return 0;
}
