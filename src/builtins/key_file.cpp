#include "builtins/key_file.h"

#include "base/result.h"
#include "builtins/stored_json.h"
#include "data/json.h"
#include "effects/state_files.h"

namespace harn::builtins {

using namespace vm;
using effects::ReadStateFile;
using effects::ReplaceStateFile;
using effects::Run;

Outcome<Value> KeyFile::parsed(std::string_view text, std::string_view path) {
  auto value = data::parse_json(text);
  if (!value) {
    return runtime_error(ErrorKind::Invalid, "{}: {} is not valid JSON: {}", call_.row().name, path,
                         value.error().text());
  }
  if (value->is_dict()) return *std::move(value);
  return runtime_error(ErrorKind::Invalid, "{}: {} holds a {}, expected a JSON object", call_.row().name, path,
                       type_name(*value));
}

Outcome<Value> KeyFile::read() {
  auto file = HARN_TRY(effects::perform(Run::current(call_.vm()), ReadStateFile{{"", file_}}));
  return file.exists ? parsed(file.text, file.path) : Outcome<Value>(new_dict());
}

Outcome<void> KeyFile::change(const Change& change) {
  Run& run = Run::current(call_.vm());
  for (;;) {
    auto file = HARN_TRY(effects::perform(run, ReadStateFile{{"", file_}}));
    Value entries = file.exists ? HARN_TRY(parsed(file.text, file.path)) : Value(new_dict());
    if (!change(entries)) return {};
    ReplaceStateFile request{{"", file_}, HARN_TRY(exact_file(call_, entries)), true, fingerprint(file)};
    if (HARN_TRY(effects::perform(run, request))) return {};
  }
}

Outcome<Value> KeyFile::get(std::string_view key) {
  Value entries = HARN_TRY(read());
  const Value* found = entries.as_dict()->find(key);
  return found ? exact_value(call_, *found, fmt::format("`{}`", key)) : Value();
}

Outcome<Value> KeyFile::keys() {
  Value entries = HARN_TRY(read());
  auto out = new_list(entries.as_dict()->size());
  for (auto [key, value] : entries.as_dict()->entries()) out->push(text_value(key->view()));
  return Value(std::move(out));
}

Outcome<void> KeyFile::set(std::string_view key, const Value& value) {
  auto kept = data::parse_json(HARN_TRY(exact_json(call_, value, "value")));
  if (!kept) return runtime_error(ErrorKind::Invalid, "{}: {}", call_.row().name, kept.error().text());
  return change([&](Value& entries) {
    dict_set(entries, key, *kept);
    return true;
  });
}

Outcome<void> KeyFile::remove(std::string_view key) {
  return change([&](Value& entries) {
    if (!entries.as_dict()->find(key)) return false;
    dict_erase(entries, key);
    return true;
  });
}

Outcome<void> KeyFile::clear() {
  return change([](Value& entries) {
    bool had_some = entries.as_dict()->size() > 0;
    entries = new_dict();
    return had_some;
  });
}

}  // namespace harn::builtins
