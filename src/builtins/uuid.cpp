#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/result.h"
#include "builtins/families.h"
#include "builtins/parking.h"
#include "builtins/sha1.h"
#include "effects/random.h"
#include "vm/vm.h"
#include "vm/aside.h"

// UUIDs as RFC 9562 has them, in lower-case hyphenated text.
namespace harn::builtins {
namespace {

using namespace vm;

using Uuid = std::array<uint8_t, 16>;

Value to_text(const Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[uuid[i] >> 4];
    out += kDigits[uuid[i] & 15];
  }
  return text_value(out);
}

void set_version(Uuid& uuid, uint8_t version) {
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0F) | version << 4);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3F) | 0x80);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Without the wrappings that are in use: braces, `urn:uuid:`.
std::string_view unwrapped(std::string_view text) {
  if (text.size() > 2 && text.front() == '{' && text.back() == '}') {
    return text.substr(1, text.size() - 2);
  }
  if (text.starts_with("urn:uuid:")) text.remove_prefix(9);
  return text;
}

std::optional<Uuid> parse(std::string_view text) {
  text = unwrapped(text);
  bool hyphens = text.size() == 36;
  if (!hyphens && text.size() != 32) return std::nullopt;
  Uuid uuid;
  size_t at = 0;
  for (size_t i = 0; i < uuid.size(); ++i, at += 2) {
    bool hyphen_here = hyphens && (i == 4 || i == 6 || i == 8 || i == 10);
    if (hyphen_here && text[at++] != '-') return std::nullopt;
    int high = hex_digit(text[at]);
    int low = hex_digit(text[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    uuid[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return uuid;
}

// Not from the task's generator: they must not repeat even when a program's random numbers can be predicted.
template <class Request>
Outcome<Value> made_of(Call& call, Request request, uint8_t version) {
  std::string bytes = HARN_TRY(effects::perform(effects::Run::current(call.vm()), request));
  Uuid uuid;
  std::copy_n(bytes.begin(), uuid.size(), uuid.begin());
  set_version(uuid, version);
  return to_text(uuid);
}

Outcome<Value> uuid_v4(Call& call) { return made_of(call, effects::RandomBytes{Uuid{}.size()}, 4); }
Outcome<Value> uuid_v7(Call& call) { return made_of(call, effects::TimedBytes{}, 7); }
Outcome<Value> own_id(Call& call) { return made_of(call, effects::IdBytes{}, 7); }

Outcome<Value> uuid_nil(Call&) { return to_text(Uuid{}); }

Outcome<Value> uuid_parse(Call& call) {
  auto uuid = parse(HARN_TRY(call.text(0)));
  return uuid ? to_text(*uuid) : Value();
}

std::optional<Uuid> namespace_uuid(std::string_view text) {
  std::string name(text);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  constexpr std::string_view kNames[] = {"dns", "url", "oid", "", "x500"};
  auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames) || name.empty()) return parse(text);
  // The well-known namespaces differ in one digit.
  auto uuid = parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  (*uuid)[3] = static_cast<uint8_t>(0x10 + (found - std::begin(kNames)));
  return uuid;
}

Outcome<Value> uuid_v5(Call& call) {
  auto space = namespace_uuid(HARN_TRY(call.text(0)));
  auto name = HARN_TRY(call.text(1));
  if (!space) {
    return runtime_error(ErrorKind::Invalid, "uuid_v5: namespace must be a UUID or one of dns/url/oid/x500");
  }
  auto digest = read_aside(call.arg(1), [=] {
    std::string bytes(space->begin(), space->end());
    return sha1(bytes.append(name));
  });
  Uuid uuid;
  std::copy_n(digest.begin(), uuid.size(), uuid.begin());
  set_version(uuid, 5);
  return to_text(uuid);
}

void uuid_fields(park::Archive& archive, Vm& vm) {
  auto& last = vm.local<effects::LastTimed>();
  archive.number(last.time_ms);
  archive.number(last.counter);
}

constinit const Builtin kRows[] = {
    {.name = "__new_id",
     .signature = "() -> string",
     .doc = "A UUID of version 7 for what the runtime makes: no policy forbids it.",
     .example = "len(__new_id()) == 36",
     .call = own_id},
    {.name = "uuid",
     .signature = "() -> string",
     .doc = "Returns a random UUID (version 4).",
     .example = "uuid().count == 36",
     .needs = Capability::Random,
     .call = uuid_v4},
    {.name = "uuid_nil",
     .signature = "() -> string",
     .doc = "Returns the UUID of all zeros.",
     .example = R"(uuid_nil() == "00000000-0000-0000-0000-000000000000")",
     .call = uuid_nil},
    {.name = "uuid_parse",
     .signature = "(text: string) -> string?",
     .doc = "Returns the canonical form of a UUID, or nil when it is not one.",
     .example = R"(uuid_parse("no") == nil)",
     .call = uuid_parse},
    {.name = "uuid_v5",
     .signature = "(namespace: string, name: string) -> string",
     .doc = "Returns the UUID of a name within a namespace: a UUID, dns, url, oid or x500.",
     .example = R"(uuid_v5("dns", "python.org") == "886313e1-3b8a-5372-9b90-0c9aee199e5d")",
     .call = uuid_v5},
    {.name = "uuid_v7",
     .signature = "() -> string",
     .doc = "Returns a UUID that sorts by the time it was made (version 7).",
     .example = "uuid_v7().count == 36",
     .needs = Capability::Random,
     .call = uuid_v7},
};

}  // namespace

const park::PartRow kUuidsPart = {"uuids", uuid_fields};

std::span<const vm::Builtin> uuid_rows() { return kRows; }

}  // namespace harn::builtins
