// Bodies of forms with files (multipart/form-data, RFC 7578).
#include <algorithm>

#include "base/codecs.h"
#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"
#include "builtins/multipart.h"
#include "builtins/options.h"
#include "crypto/digest.h"

namespace harn::builtins {
namespace {

using namespace vm;

constexpr std::string_view kKind = "multipart/form-data";

// ---- headers with parameters ----

// The value of a parameter: `boundary=x`, `name="a \"b\""`. Names are in any case.
std::optional<std::string> parameter(std::string_view header, std::string_view wanted) {
  size_t at = std::min(header.find(';'), header.size());
  while (at < header.size()) {
    ++at;
    size_t equals = header.find('=', at), next = header.find(';', at);
    if (equals == header.npos) return std::nullopt;
    if (next < equals) {
      at = next;
      continue;
    }
    std::string name = text::ascii_lower(text::trim(header.substr(at, equals - at)));
    std::string value;
    at = equals + 1;
    while (at < header.size() && (header[at] == ' ' || header[at] == '\t')) ++at;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        bool is_escape =
            header[at] == '\\' && at + 1 < header.size() && (header[at + 1] == '"' || header[at + 1] == '\\');
        if (is_escape) ++at;
        value += header[at];
      }
      at = std::min(header.find(';', at), header.size());
    } else {
      size_t end = std::min(header.find(';', at), header.size());
      value = text::trim(header.substr(at, end - at));
      at = end;
    }
    if (name == wanted) return value;
  }
  return std::nullopt;
}

// ---- reading ----

struct Limits {
  int64_t total = 8 << 20;
  int64_t field = 8 << 20;
  int64_t fields = 128;
};

Outcome<Limits> limits_of(Call& call, uint32_t place) {
  Limits limits;
  const DictObject* options = HARN_TRY(options_of(call, place));
  if (!options) return limits;
  struct {
    std::string_view name;
    int64_t& to;
  } const kOptions[] = {
      {"max_total_bytes", limits.total}, {"max_field_bytes", limits.field}, {"max_fields", limits.fields}};
  for (auto& option : kOptions) {
    const Value* value = options->find(option.name);
    if (!value || value->is_nil()) continue;
    if (!value->is_int() || value->as_int() < 0) {
      return runtime_error(ErrorKind::Invalid, "{}: {} must be an int of at least 0", call.row().name, option.name);
    }
    option.to = value->as_int();
  }
  return limits;
}

std::unexpected<Thrown> refuse(std::string_view why) {
  return runtime_error(ErrorKind::Invalid, "multipart_parse: {}", why);
}

Outcome<Value> parse_part(std::string_view part, const Limits& limits) {
  size_t end = part.starts_with("\r\n") ? 0 : part.find("\r\n\r\n");
  if (end == part.npos) return refuse("a part has no empty line after its headers");
  std::string_view head = part.substr(0, end), body = part.substr(end == 0 ? 2 : end + 4);
  if (static_cast<int64_t>(body.size()) > limits.field) {
    return runtime_error(ErrorKind::Limit, "multipart_parse: a field has more than max_field_bytes {}", limits.field);
  }
  DictBuilder headers;
  std::string disposition, type;
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::string_view line : text::split(head, "\r\n")) {
    if (line.empty()) continue;
    size_t colon = line.find(':');
    if (colon == line.npos) return refuse("a part has a header without `:`");
    std::string name = text::ascii_lower(text::trim(line.substr(0, colon)));
    std::string value(text::to_valid_utf8(text::trim(line.substr(colon + 1))));
    if (name == "content-disposition") disposition = value;
    if (name == "content-type") type = value;
    lines.emplace_back(std::move(name), std::move(value));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.first == b.first; }),
              lines.end());
  for (auto& [name, value] : lines) headers.add(name, text_value(value));
  auto name = parameter(disposition, "name"), filename = parameter(disposition, "filename");
  if (!name) return refuse("a part has no name");
  step_bytes(body.size());
  return DictBuilder()
      .add("name", text_value(*name))
      .add("filename", filename ? text_value(*filename) : Value())
      .add("content_type", type.empty() ? Value() : text_value(type))
      .add("headers", headers.done())
      .add("bytes", new_bytes(body))
      .add("text", text::is_valid_utf8(body) ? text_value(body) : Value())
      .done();
}

// A boundary begins a line, which is part of it.
Outcome<Value> parse_parts(std::string_view body, const std::string& boundary, const Limits& limits) {
  std::string mark = "--" + boundary, inner = "\r\n" + mark;
  size_t at = body.starts_with(mark) ? 0 : body.find(inner);
  if (at == body.npos) return refuse("the body does not have its boundary");
  at += at == 0 ? mark.size() : inner.size();
  auto fields = new_list();
  for (;;) {
    std::string_view rest = body.substr(at);
    if (rest.starts_with("--")) break;
    size_t line = rest.find_first_not_of(" \t");
    if (line == rest.npos || !rest.substr(line).starts_with("\r\n")) return refuse("something follows a boundary");
    at += line + 2;
    size_t end = body.find(inner, at);
    // An empty part may share its line end with the next boundary.
    if (body.substr(at).starts_with(mark)) return refuse("a part has no name");
    if (end == body.npos) return refuse("the last boundary is missing");
    if (static_cast<int64_t>(fields->size) >= limits.fields) {
      return runtime_error(ErrorKind::Limit, "multipart_parse: field count exceeds max_fields {}", limits.fields);
    }
    fields->push(HARN_TRY(parse_part(body.substr(at, end - at), limits)));
    at = end + inner.size();
  }
  auto count = static_cast<int64_t>(fields->size);
  return DictBuilder()
      .add("boundary", text_value(boundary))
      .add("fields", Value(std::move(fields)))
      .add("field_count", Value::integer(count))
      .add("total_bytes", Value::integer(static_cast<int64_t>(body.size())))
      .done();
}

Outcome<std::string_view> content_of(const Call& call, const Value& value) {
  if (value.is(Kind::Bytes)) return value.as_bytes()->view();
  if (value.is_string()) return value.as_string()->view();
  return type_error("{}: expected bytes or a string, got {}", call.row().name, type_name(value));
}

Outcome<Value> multipart_parse(Call& call) {
  auto body = HARN_TRY(content_of(call, call.arg(0)));
  auto type = HARN_TRY(call.text(1));
  Limits limits = HARN_TRY(limits_of(call, 2));
  std::string_view kind = text::trim(type.substr(0, type.find(';')));
  if (text::ascii_lower(kind) != kKind) {
    return runtime_error(ErrorKind::Invalid, "multipart_parse: expected {} content type, got {}", kKind, kind);
  }
  auto boundary = parameter(type, "boundary");
  if (!boundary || boundary->empty()) return refuse("content type is missing boundary");
  if (boundary->size() > 70) return refuse("the boundary has more than 70 characters");
  if (static_cast<int64_t>(body.size()) > limits.total) {
    return runtime_error(ErrorKind::Limit, "multipart_parse: the body has more than max_total_bytes {}", limits.total);
  }
  return parse_parts(body, *boundary, limits);
}

// ---- fields ----

Outcome<const BytesObject*> field_bytes(const Call& call) {
  const Value* bytes = call.arg(0).is_dict() ? call.arg(0).as_dict()->find("bytes") : nullptr;
  if (bytes && bytes->is(Kind::Bytes)) return bytes->as_bytes();
  return type_error("{}: expected a field of multipart_parse, got {}", call.row().name, type_name(call.arg(0)));
}

Outcome<Value> multipart_field_bytes(Call& call) { return new_bytes(HARN_TRY(field_bytes(call))->view()); }

Outcome<Value> multipart_field_text(Call& call) {
  auto bytes = HARN_TRY(field_bytes(call))->view();
  step_bytes(bytes.size());
  if (text::is_valid_utf8(bytes)) return text_value(bytes);
  return runtime_error(ErrorKind::Invalid, "multipart_field_text: the field is not UTF-8");
}

// ---- writing ----

// Quotes would end the parameter, line ends the header.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += "%22";
    else if (c == '\r') out += "%0D";
    else if (c == '\n') out += "%0A";
    else out += c;
  }
  return out + "\"";
}

struct Field {
  std::string head;
  std::string content;
};

Outcome<Field> read_field(const Call& call, const Value& value, size_t number) {
  const DictObject* dict = value.is_dict() ? value.as_dict() : nullptr;
  const Value* name = dict ? dict->find("name") : nullptr;
  const Value* content = dict ? dict->find("content") : nullptr;
  if (!name || !name->is_string()) {
    return runtime_error(ErrorKind::Invalid, "multipart_form_data: field {} is missing name", number);
  }
  if (!content) return runtime_error(ErrorKind::Invalid, "multipart_form_data: field {} is missing content", number);
  constexpr std::string_view kKeys[] = {"name", "content", "filename", "content_type"};
  HARN_CHECK(check_names(fmt::format("multipart_form_data: field {}", number), "key", dict, kKeys));
  Field field;
  field.content = HARN_TRY(content_of(call, *content));
  field.head = "Content-Disposition: form-data; name=" + quoted(display(*name));
  const Value* filename = dict->find("filename");
  const Value* type = dict->find("content_type");
  if (filename && !filename->is_nil()) field.head += "; filename=" + quoted(display(*filename));
  if (type && !type->is_nil()) {
    std::string text = display(*type);
    if (text.find_first_of("\r\n") != text.npos) {
      return runtime_error(ErrorKind::Invalid, "multipart_form_data: content_type of field {} has a line end", number);
    }
    field.head += "\r\nContent-Type: " + text;
  }
  return field;
}

// The same fields always have the same one. It is in none of them.
Outcome<std::string> boundary_for(const Call& call, const std::vector<Field>& fields) {
  auto sum = crypto::Digest::start("SHA256");
  if (!sum) return runtime_error(ErrorKind::Unsupported, "{}: {}", call.row().name, sum.error());
  for (const Field& field : fields)
    sum->add(fmt::format("{}:{}:", field.head.size(), field.content.size()) + field.head + field.content);
  std::string boundary = "harn-" + codecs::to_hex(sum->finish()).substr(0, 32);
  auto is_inside = [&](const Field& field) { return field.content.find(boundary) != field.content.npos; };
  while (std::any_of(fields.begin(), fields.end(), is_inside)) boundary += "-";
  return boundary;
}

}  // namespace

Outcome<FormBody> form_body(const Call& call, const Value& given, const Value* chosen) {
  if (!given.is(Kind::List)) {
    return type_error("multipart_form_data: expected a list of fields, got {}", type_name(given));
  }
  std::vector<Field> fields;
  for (const Value& value : given.as_list()->values()) {
    step();
    fields.push_back(HARN_TRY(read_field(call, value, fields.size() + 1)));
  }
  std::string boundary = chosen && !chosen->is_nil() ? display(*chosen) : HARN_TRY(boundary_for(call, fields));
  bool is_sound = !boundary.empty() && boundary.size() <= 70 && boundary.find_first_of(" \t\r\n\";,") == boundary.npos;
  if (!is_sound) return runtime_error(ErrorKind::Invalid, "multipart_form_data: the boundary cannot be used");
  std::string body;
  for (const Field& field : fields) {
    step_bytes(field.content.size());
    body += fmt::format("--{}\r\n{}\r\n\r\n", boundary, field.head) + field.content + "\r\n";
  }
  body += fmt::format("--{}--\r\n", boundary);
  return FormBody{fmt::format("{}; boundary={}", kKind, boundary), std::move(boundary), std::move(body)};
}

namespace {

Outcome<Value> multipart_form_data(Call& call) {
  const DictObject* options = HARN_TRY(options_of(call, 1));
  const Value* boundary = options ? options->find("boundary") : nullptr;
  FormBody form = HARN_TRY(form_body(call, call.arg(0), boundary));
  return DictBuilder()
      .add("content_type", text_value(form.content_type))
      .add("boundary", text_value(form.boundary))
      .add("body", new_bytes(form.body))
      .done();
}

constinit const Builtin kRows[] = {
    {.name = "multipart_field_bytes",
     .signature = "(field: dict) -> bytes",
     .doc = "Returns the content of a field of `multipart_parse`.",
     .example = R"(multipart_field_bytes({bytes: bytes_from_hex("00")}) == bytes_from_hex("00"))",
     .call = multipart_field_bytes},
    {.name = "multipart_field_text",
     .signature = "(field: dict) -> string",
     .doc = "Returns the content of a field of `multipart_parse` as text; throws if it is not UTF-8.",
     .example = R"(multipart_field_text({bytes: bytes_from_string("x")}) == "x")",
     .call = multipart_field_text},
    {.name = "multipart_form_data",
     .signature =
         "(fields: list<dict>, options?: {boundary?: string}) -> {content_type: string, boundary: string, body: bytes}",
     .doc =
         "Returns a form body of fields {name, content, filename?, content_type?}; the same fields give the same body.",
     .example =
         R"(multipart_form_data([{name: "a", content: "1"}]).content_type.starts_with("multipart/form-data; boundary="))",
     .call = multipart_form_data},
    {.name = "multipart_parse",
     .signature =
         "(body: bytes | string, content_type: string, options?: {max_total_bytes?: int, max_field_bytes?: int, "
         "max_fields?: int}) -> {boundary: string, fields: list<dict>, field_count: int, total_bytes: int}",
     .doc = "Returns the fields of a form body: {name, filename, content_type, headers, bytes, text}; options are "
            "max_total_bytes, max_field_bytes and max_fields.",
     .example = R"(is_err(try { multipart_parse("", "text/plain") }))",
     .call = multipart_parse},
};

}  // namespace

std::span<const Builtin> multipart_rows() { return kRows; }

}  // namespace harn::builtins
