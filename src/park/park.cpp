// What is around the state: who wrote it, for which code, and whether it is whole.
#include "park/park.h"

#include "base/fmt.h"
#include "park/objects.h"
#include "vm/digest.h"

namespace harn::park {

using namespace vm;

namespace {

// Magic, version, digest of all that follows, note, fingerprint of the code, the parts of the prelude, state.
constexpr std::string_view kMagic = "HARNPARK";
constexpr uint8_t kVersion = 4;

Kinds with_own(const Kinds& kinds) {
  Kinds all = kinds;
  std::vector<const HandleRow*> own = own_handles();
  all.handles.insert(all.handles.end(), own.begin(), own.end());
  return all;
}

// Of the program and the builtins, whose numbers are in its code.
std::string fingerprint(Vm& vm, Unit& program) {
  CodeMap code;
  code.add(program);
  Digest digest;
  digest.add(code.fingerprint());
  for (const Builtin* row : vm.builtins().rows()) digest.add(row->name);
  digest.add(program.program->globals.size());
  return digest.done();
}

std::string fingerprint(Unit& part) {
  CodeMap code;
  code.add(part);
  return code.fingerprint();
}

std::unexpected<Error> bad_file(std::string_view why) {
  return fail(ErrorKind::Invalid, fmt::format("this program cannot be taken up: {}", why));
}

// What is behind the digest, if that is right.
Result<std::string_view> body_of(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() <= kMagic.size())
    return bad_file("this is no program that was put away");
  if (bytes[kMagic.size()] != kVersion) return bad_file("it was put away by another version of Harn");
  bytes.remove_prefix(kMagic.size() + 1);
  std::string_view digest = bytes.substr(0, Digest::kSize);
  bytes.remove_prefix(digest.size());
  if (Digest::of(bytes) != digest) return bad_file("the bytes are damaged");
  return bytes;
}

// Reads the parts of the prelude that the state refers to.
Result<CodeMap> read_code(Standstill& still, WireReader& in) {
  CodeMap code;
  code.add(*still.program());
  for (size_t parts = in.count(); parts > 0; --parts) {
    std::string name(in.text());
    std::string_view print = in.text();
    if (in.failed()) break;
    auto unit = still.load_prelude(name);
    if (!unit || fingerprint(**unit) != print) return bad_file("it was put away by another version of Harn");
    code.add(**unit);
  }
  if (in.failed()) return bad_file("the bytes end too early");
  return code;
}

}  // namespace

Result<std::string> put_away(Vm& vm, const Kinds& kinds, std::string_view note) {
  Kinds all = with_own(kinds);
  Standstill still(vm);
  CodeMap code;
  code.add(*still.program());
  auto parts = still.prelude();
  for (auto& part : parts) code.add(*part.unit);

  std::string body;
  Archive archive(vm, code, all, body);
  if (std::string why = archive.look(); !why.empty()) {
    return fail(ErrorKind::Unsupported, fmt::format("this program cannot be put away: {}", why));
  }
  WireWriter wire(body);
  wire.text(note);
  wire.text(fingerprint(vm, *still.program()));
  wire.number(parts.size());
  for (auto& part : parts) {
    wire.text(part.name);
    wire.text(fingerprint(*part.unit));
  }
  archive.write();

  std::string out(kMagic);
  out += static_cast<char>(kVersion);
  out += Digest::of(body);
  out += body;
  return out;
}

Result<std::string> note_of(std::string_view bytes) {
  WireReader in(HARN_TRY(body_of(bytes)));
  std::string note(in.text());
  if (in.failed()) return bad_file("the bytes end too early");
  return note;
}

Result<void> take_up(Vm& vm, std::unique_ptr<bytecode::Program> program, std::string_view bytes, const Kinds& kinds) {
  bytes = HARN_TRY(body_of(bytes));
  Kinds all = with_own(kinds);
  Standstill still(vm);
  vm.adopt(std::move(program));
  still.begin();
  WireReader in(bytes);
  in.text();  // the note
  std::string_view print = in.text();
  if (in.failed() || print != fingerprint(vm, *still.program()))
    return bad_file("its code has changed since it was put away");
  CodeMap code = HARN_TRY(read_code(still, in));
  Archive archive(vm, code, all, bytes.substr(in.offset()));
  if (auto error = archive.read()) return bad_file(error->text());
  return {};
}

}  // namespace harn::park
