// The library is compiled in here instead of linked: its package may be built with other options.
#include "base/toml.h"

#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "data/json.h"
#include "data/toml.h"
#include "vm/aside.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::data {

using namespace vm;

namespace {

constexpr size_t kMaxDepth = 500;

// ---- reading ----

template <class T>
Value shown(const T& date_or_time) {
  std::ostringstream text;
  text << date_or_time;
  return text_value(text.str());
}

Value convert(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string: return text_value(node.as_string()->get());
    case toml::node_type::integer: return Value::integer(node.as_integer()->get());
    case toml::node_type::floating_point: return Value::number(node.as_floating_point()->get());
    case toml::node_type::boolean: return Value::boolean(node.as_boolean()->get());
    case toml::node_type::date: return shown(node.as_date()->get());
    case toml::node_type::time: return shown(node.as_time()->get());
    case toml::node_type::date_time: return shown(node.as_date_time()->get());
    case toml::node_type::array: {
      auto list = new_list(node.as_array()->size());
      for (const toml::node& item : *node.as_array()) {
        step();
        list->push(convert(item));
      }
      return list;
    }
    case toml::node_type::table: {
      Value dict = new_dict(node.as_table()->size());
      for (auto&& [key, value] : *node.as_table()) {
        step();
        dict_set(dict, key.str(), convert(value));
      }
      return dict;
    }
    case toml::node_type::none: break;
  }
  return Value();
}

// The library bounds nested values but not dotted keys, each part of which is a table inside the
// last.
bool has_endless_key(std::string_view text) {
  size_t dots = 0;
  for (char c : text) {
    if (c == '.') {
      if (++dots > kMaxDepth) return true;
    } else if (!text::is_identifier_part(c) && c != '-' && c != ' ' && c != '\t' && c != '"' && c != '\'') {
      dots = 0;
    }
  }
  return false;
}

// The tree of a text. A large one takes a while to make and to free, and the library cannot be stopped.
class Document {
 public:
  explicit Document(const Value& text) : parsed_(std::make_shared<std::optional<toml::parse_result>>()) {
    auto view = text.as_string()->view();
    is_long_ = view.size() >= kLongText;
    auto parse = [parsed = parsed_, view] {
      if (!has_endless_key(view)) *parsed = toml::parse(view);
    };
    if (is_long_) run_aside(parse, text);
    else parse();
  }
  ~Document() {
    if (is_long_) drop_aside(std::move(parsed_));
  }
  Document(const Document&) = delete;

  // Empty when a key is endless.
  const std::optional<toml::parse_result>& get() const { return *parsed_; }

 private:
  std::shared_ptr<std::optional<toml::parse_result>> parsed_;
  bool is_long_;
};

}  // namespace

Parsed<Value> parse_toml(const Value& text) {
  Document document(text);
  const auto& parsed = document.get();
  if (!parsed) return format_error(ErrorKind::Limit, fmt::format("a key has more than {} parts", kMaxDepth));
  if (*parsed) return convert(parsed->table());
  const toml::parse_error& error = parsed->error();
  return format_error(std::string(error.description()), error.source().begin.line, error.source().begin.column);
}

// ---- writing ----

namespace {

bool is_table(const Value& value) { return value.is_dict() || value.is(Kind::Struct); }

bool is_list_of_tables(const Value& value) {
  if (!value.is_list() || value.as_list()->size == 0) return false;
  for (const Value& item : value.as_list()->values()) {
    step();
    if (!is_table(item)) return false;
  }
  return true;
}

bool is_bare_key(std::string_view key) {
  for (char c : key) {
    if (!text::is_identifier_part(c) && c != '-') return false;
  }
  return !key.empty();
}

// As JSON has it, except that TOML wants U+007F escaped, too.
void append_basic_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t deleted; (deleted = text.find('\x7F')) != std::string_view::npos;) {
    step();
    append_json_content(out, text.substr(0, deleted));
    out += "\\u007F";
    text.remove_prefix(deleted + 1);
  }
  append_json_content(out, text);
  out += '"';
}

class TomlWriter {
 public:
  explicit TomlWriter(std::string& out) : out(out) {}

  std::string error;

  bool write_table(const DictObject* table, const std::string& path, size_t depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    // Plain values first: what follows a [header] belongs to it.
    for (auto [key, value] : table->entries()) {
      step();
      if (is_table(*value) || is_list_of_tables(*value)) continue;
      write_key(out, key->view());
      out += " = ";
      if (!write_value(*value, depth + 1)) return false;
      out += '\n';
    }
    for (auto [key, value] : table->entries()) {
      step();
      std::string inner = path;
      if (!inner.empty()) inner += '.';
      write_key(inner, key->view());
      if (is_table(*value)) {
        if (!write_section(value->as_dict(), inner, "[", "]", depth)) return false;
      } else if (is_list_of_tables(*value)) {
        for (const Value& item : value->as_list()->values()) {
          step();
          if (!write_section(item.as_dict(), inner, "[[", "]]", depth)) return false;
        }
      }
    }
    return true;
  }

 private:
  std::string& out;

  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }

  static void write_key(std::string& to, std::string_view key) {
    if (is_bare_key(key)) to += key;
    else append_basic_string(to, key);
  }

  bool write_section(const DictObject* table, const std::string& path, std::string_view open, std::string_view close,
                     size_t depth) {
    if (out.size() > kMaxStringSize) return fail("the value is too large");
    if (!out.empty()) out += '\n';
    out += open;
    out += path;
    out += close;
    out += '\n';
    return write_table(table, path, depth + 1);
  }

  void write_float(double number) {
    if (std::isnan(number)) out += "nan";
    else if (std::isinf(number)) out += number < 0 ? "-inf" : "inf";
    else {
      // The shortest form, which has an exponent for large numbers: readers bound the number of
      // digits.
      size_t start = out.size();
      fmt::format_to(std::back_inserter(out), "{}", number);
      if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
    }
  }

  bool write_list(const Value& list, size_t depth) {
    if (list_size(list) > kMaxListSize) return fail("the value is too large");
    out += '[';
    for (size_t i = 0; i < list_size(list); ++i) {
      step();
      if (i) out += ", ";
      if (!write_value(list_item(list, i), depth + 1)) return false;
    }
    out += ']';
    return true;
  }

  bool write_inline_table(const DictObject* table, size_t depth) {
    out += '{';
    bool is_first = true;
    for (auto [key, value] : table->entries()) {
      step();
      out += is_first ? " " : ", ";
      is_first = false;
      write_key(out, key->view());
      out += " = ";
      if (!write_value(*value, depth + 1)) return false;
    }
    out += is_first ? "}" : " }";
    return true;
  }

  bool write_value(const Value& value, size_t depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    if (value.is_nil()) return fail("nil has no TOML form");
    if (value.is_bool() || value.is_int()) return display_to(out, value), true;
    if (value.is_float()) return write_float(value.as_float()), true;
    if (is_list_like(value)) return write_list(value, depth);
    if (value.is(Kind::Set)) return write_list(set_items(value.as_set()), depth);
    if (is_table(value)) return write_inline_table(value.as_dict(), depth);
    append_basic_string(out, value.is_string() ? std::string(value.as_string()->view()) : display(value));
    return true;
  }
};

}  // namespace

Written append_toml(std::string& out, const Value& value) {
  if (!is_table(value)) {
    return format_error(ErrorKind::Type, fmt::format("expected a dict at the top level, got {}", type_name(value)));
  }
  TomlWriter writer(out);
  if (!writer.write_table(value.as_dict(), "", 0)) return format_error(std::move(writer.error));
  if (out.size() > kMaxStringSize) return format_error(ErrorKind::Limit, "the value is too large");
  return {};
}

}  // namespace harn::data
