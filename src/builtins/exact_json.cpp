// Texts of values as only we read them: nothing is lost.
#include <cmath>

#include "base/codecs.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/json_refusals.h"
#include "builtins/stored_json.h"
#include "data/encoding.h"
#include "data/json.h"
#include "data/program_types.h"
#include "vm/dict.h"

namespace harn::builtins {

using namespace vm;

namespace {

constexpr std::string_view kEncoded = "$harn";

// JSON tells 2.0 from 2 by its fraction, which `json_stringify` leaves out.
void append_exact(std::string& out, double number) {
  size_t start = out.size();
  append_float(out, number);
  if (out.find('.', start) == std::string::npos) out += ".0";
}

class FloatRule : public data::JsonRule {
 public:
  Verdict decide(std::string& out, const Value& part, JsonRefusal&) override {
    if (!part.is_float()) return Verdict::Usual;
    append_exact(out, part.as_float());
    return Verdict::Written;
  }
};

class ExactRule : public data::JsonRule {
 public:
  explicit ExactRule(Vm& vm) : types_(vm) {}

  Verdict decide(std::string& out, const Value& part, JsonRefusal& refusal) override {
    switch (part.kind()) {
      case Kind::Nil:
      case Kind::Bool:
      case Kind::Int:
      case Kind::List:
      case Kind::Range: return Verdict::Usual;
      case Kind::Float:
        if (!std::isfinite(part.as_float())) return refuse_number(refusal, part.as_float());
        append_exact(out, part.as_float());
        return Verdict::Written;
      case Kind::String:
        if (text::is_valid_utf8(part.as_string()->view())) return Verdict::Usual;
        break;
      case Kind::Dict:
        if (is_plain(part.as_dict())) return Verdict::Usual;
        break;
      default: break;
    }
    return encode(out, part, refusal);
  }

 private:
  // Whether its keys come back from JSON, and it is not taken for an encoding.
  static bool is_plain(const DictObject* dict) {
    for (auto [key, value] : dict->entries()) {
      if (key->view() == kEncoded || !text::is_valid_utf8(key->view())) return false;
    }
    return true;
  }

  Verdict encode(std::string& out, const Value& part, JsonRefusal& refusal) {
    std::string bytes;
    if (auto is_data = data::encode(bytes, part, types_); !is_data) {
      const data::NotData& wrong = is_data.error();
      bool has_no_name = wrong.why != "is not data";
      std::string why = has_no_name ? fmt::format("is of type `{}`, which {}", wrong.kind, wrong.why)
                                    : fmt::format("is a {}, which cannot be kept", wrong.kind);
      return refuse(refusal, std::move(why), wrong.path);
    }
    out += fmt::format(R"({{"{}":"{}"}})", kEncoded, codecs::to_base64(bytes));
    return Verdict::Written;
  }

  data::ProgramTypes types_;
};

// Puts values in the place of their encodings; the JSON reader bounds how deep it goes.
class Restorer {
 public:
  explicit Restorer(Vm& vm) : types_(vm) {}

  std::expected<Value, std::string> value(const Value& parsed) {
    if (parsed.is_list()) return list(parsed.as_list());
    if (!parsed.is_dict()) return parsed;
    const Value* encoded = parsed.as_dict()->find(kEncoded);
    return encoded ? decoded(*encoded) : dict(parsed.as_dict());
  }

 private:
  std::expected<Value, std::string> list(const ListObject* parsed) {
    auto out = new_list(parsed->size);
    for (const Value& item : parsed->values()) out->push(HARN_TRY(value(item)));
    return Value(std::move(out));
  }

  std::expected<Value, std::string> dict(const DictObject* parsed) {
    Value out = new_dict();
    for (auto [key, item] : parsed->entries()) dict_set(out, key->view(), HARN_TRY(value(*item)));
    return out;
  }

  std::expected<Value, std::string> decoded(const Value& encoded) {
    if (!encoded.is_string()) return std::unexpected(fmt::format("`{}` is no text", kEncoded));
    std::string bytes = HARN_TRY(codecs::from_base64(encoded.as_string()->view()));
    auto decoded = data::decode(bytes, types_);
    if (!decoded) return std::unexpected(decoded.error().text());
    return *std::move(decoded);
  }

  data::ProgramTypes types_;
};

}  // namespace

Outcome<std::string> exact_json(Call& call, const Value& value, std::string_view what) {
  std::string out;
  ExactRule rule(call.vm());
  auto written = data::append_json(out, value, rule);
  if (!written) return refused(call.row().name, what, written.error());
  return out;
}

Outcome<Value> exact_value(Call& call, const Value& parsed, std::string_view what) {
  auto value = Restorer(call.vm()).value(parsed);
  if (value) return *std::move(value);
  return runtime_error(ErrorKind::Invalid, "{}: {} cannot be read: {}", call.row().name, what, value.error());
}

// Spread over lines: people look into these files.
Outcome<std::string> exact_file(Call& call, const Value& parsed) {
  std::string out;
  FloatRule rule;
  auto written = data::append_json(out, parsed, rule, 2);
  if (!written) return refused(call.row().name, "value", written.error());
  return out + "\n";
}

}  // namespace harn::builtins
