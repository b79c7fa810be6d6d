#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "builtins/families.h"

// Reads JUnit XML reports: a small forgiving reader of tags, attributes and text, enough for what
// test runners write. Broken input yields the test cases read so far.
namespace harn::builtins {
namespace {

using namespace vm;

struct Tag {
  std::string_view name;        // without prefix
  std::string_view attributes;  // raw
  bool closes = false;          // </name>
  bool is_empty = false;        // <name/>
};

void append_entity(std::string& out, std::string_view name) {
  if (name == "lt") out += '<';
  else if (name == "gt") out += '>';
  else if (name == "amp") out += '&';
  else if (name == "quot") out += '"';
  else if (name == "apos") out += '\'';
  else if (name.starts_with('#')) {
    bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    uint32_t code = 0;
    std::from_chars(name.data() + (hex ? 2 : 1), name.data() + name.size(), code, hex ? 16 : 10);
    if (code > 0 && code < 0x110000) text::append_utf8(out, code);
  } else {
    out += '&';
    out += name;
    out += ';';
  }
}

void append_decoded(std::string& out, std::string_view raw) {
  for (size_t at = 0; at < raw.size();) {
    step();
    size_t end = raw[at] == '&' ? raw.find(';', at) : std::string_view::npos;
    if (raw[at] != '&' || end == std::string_view::npos || end - at > 12) {
      out += raw[at++];
      continue;
    }
    append_entity(out, raw.substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

std::string attribute(const Tag& tag, std::string_view wanted) {
  std::string_view rest = tag.attributes;
  while (!rest.empty()) {
    size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return {};
    std::string_view name = text::trim(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    rest = text::trim_start(rest);
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos) return {};
    if (name == wanted) {
      std::string value;
      append_decoded(value, rest.substr(1, end - 1));
      return value;
    }
    rest.remove_prefix(end + 1);
  }
  return {};
}

// Goes through the document tag by tag and collects the text between them.
class XmlReader {
 public:
  explicit XmlReader(std::string_view document) : rest_(document) {}

  // The next tag; the text before it is added to `text`. False at the end.
  bool next(Tag& tag, std::string& text) {
    while (true) {
      size_t open = rest_.find('<');
      if (open == std::string_view::npos) return false;
      append_decoded(text, rest_.substr(0, open));
      rest_.remove_prefix(open);
      if (rest_.starts_with("<![CDATA[")) {
        size_t end = rest_.find("]]>");
        if (end == std::string_view::npos) return false;
        text += rest_.substr(9, end - 9);
        rest_.remove_prefix(end + 3);
      } else if (rest_.starts_with("<!--")) {
        if (!skip_past("-->")) return false;
      } else if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
        if (!skip_past(">")) return false;
      } else {
        return read_tag(tag);
      }
    }
  }

 private:
  bool skip_past(std::string_view end) {
    size_t at = rest_.find(end);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + end.size());
    return true;
  }

  // A `>` inside a quoted attribute does not end the tag.
  size_t tag_end() const {
    char quote = 0;
    for (size_t at = 1; at < rest_.size(); ++at) {
      step();
      char c = rest_[at];
      if (quote) quote = c == quote ? 0 : quote;
      else if (c == '"' || c == '\'') quote = c;
      else if (c == '>') return at;
    }
    return std::string_view::npos;
  }

  bool read_tag(Tag& tag) {
    size_t end = tag_end();
    if (end == std::string_view::npos) return false;
    std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    tag.closes = inside.starts_with('/');
    if (tag.closes) inside.remove_prefix(1);
    tag.is_empty = inside.ends_with('/');
    if (tag.is_empty) inside.remove_suffix(1);
    size_t space = inside.find_first_of(" \t\r\n");
    tag.name = inside.substr(0, space);
    if (size_t colon = tag.name.find(':'); colon != std::string_view::npos) tag.name.remove_prefix(colon + 1);
    tag.attributes = space == std::string_view::npos ? std::string_view() : inside.substr(space);
    return true;
  }

  std::string_view rest_;
};

struct TestCase {
  std::string name, status = "passed", message, out, err;
  double seconds = 0;

  Value to_value() const {
    return DictBuilder()
        .add("name", text_value(name))
        .add("status", text_value(status))
        .add("duration_ms", Value::integer(std::llround(seconds * 1000)))
        .add("message", text_value(message))
        .add("stdout", text_value(out))
        .add("stderr", text_value(err))
        .done();
  }
};

TestCase start_case(const Tag& tag) {
  TestCase test;
  std::string class_name = attribute(tag, "classname");
  test.name = class_name.empty() ? attribute(tag, "name") : class_name + "::" + attribute(tag, "name");
  std::string time = attribute(tag, "time");
  double seconds = 0;
  std::from_chars(time.data(), time.data() + time.size(), seconds);
  if (std::isfinite(seconds) && std::abs(seconds) < 1e12) test.seconds = seconds;
  return test;
}

// What a child element of a test case says, once its text is known.
void apply_child(TestCase& test, const Tag& tag, std::string_view content) {
  if (tag.name == "system-out") test.out = text::trim(content);
  else if (tag.name == "system-err") test.err = text::trim(content);
  else if (tag.name == "failure" || tag.name == "error" || tag.name == "skipped") {
    test.status = tag.name == "failure" ? "failed" : tag.name == "error" ? "errored" : "skipped";
    test.message = attribute(tag, "message");
    std::string_view detail = text::trim(content);
    if (!detail.empty()) {
      if (!test.message.empty()) test.message += '\n';
      test.message += detail;
    }
  }
}

Value read_report(std::string_view document) {
  auto cases = new_list();
  XmlReader reader(document);
  Tag tag, child;
  std::string text;
  TestCase test;
  bool in_case = false, in_child = false;
  while (reader.next(tag, text)) {
    step();
    if (!in_case) {
      if (tag.name == "testcase" && !tag.closes) {
        test = start_case(tag);
        if (tag.is_empty) cases->push(test.to_value());
        else in_case = true;
      }
    } else if (in_child) {
      if (tag.closes && tag.name == child.name) {
        apply_child(test, child, text);
        in_child = false;
      } else {
        continue;  // keep the text of nested elements
      }
    } else if (tag.closes && tag.name == "testcase") {
      cases->push(test.to_value());
      in_case = false;
    } else if (!tag.closes) {
      child = tag;
      if (tag.is_empty) apply_child(test, child, "");
      else in_child = true;
    }
    text.clear();
  }
  return cases;
}

Outcome<Value> parse_junit_xml(Call& call) {
  const Value& input = call.arg(0);
  if (input.is_string()) return read_report(input.as_string()->view());
  if (input.is(Kind::Bytes)) return read_report(text::to_valid_utf8(input.as_bytes()->view()));
  return throw_text(ErrorKind::Type, "parse_junit_xml: expected string or bytes, got {}", type_name(input));
}

constinit const Builtin kRows[] = {
    {.name = "parse_junit_xml",
     .signature = "(input: string | bytes) -> list<dict>",
     .doc = "Returns the test cases of a JUnit XML report.",
     .example = R"(parse_junit_xml("<testcase name='a'/>")[0].status == "passed")",
     .call = parse_junit_xml},
};

}  // namespace

std::span<const vm::Builtin> junit_rows() { return kRows; }

}  // namespace harn::builtins
