#include "data/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cmath>
#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_map>

#include "base/fmt.h"
#include "base/text.h"
#include "data/json.h"
#include "data/number_text.h"
#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/pace.h"

// YAML. Reading follows the parser's events, so an alias shares the value of its anchor: a few
// lines of aliases of aliases cost a few values, not billions.
namespace harn::data {

using namespace vm;

namespace {

constexpr size_t kMaxDepth = 1000;
// Longer paths are not noted: a key of a megabyte would be copied for each item below it.
constexpr size_t kMaxPath = 1024;

// ---- plain scalars, by the core schema of YAML 1.2 ----

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

bool is_null_word(std::string_view text) { return is_one_of(text, {"", "~", "null", "Null", "NULL"}); }

std::optional<Value> integer_scalar(std::string_view text) {
  int base = 10;
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  if (base != 10) digits = text.substr(2);
  if (digits.empty() || (base != 10 && digits[0] == '-') || text.starts_with("+-")) return std::nullopt;
  auto number = parse_int(digits, base);
  return number ? std::optional(Value::integer(*number)) : std::nullopt;
}

std::optional<Value> float_scalar(std::string_view text) {
  if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return Value::number(INFINITY);
  if (is_one_of(text, {"-.inf", "-.Inf", "-.INF"})) return Value::number(-INFINITY);
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return Value::number(NAN);
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  if (text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  auto number = parse_float(text.starts_with('+') ? text.substr(1) : text);
  return number ? std::optional(Value::number(*number)) : std::nullopt;
}

Value plain_scalar(std::string_view text) {
  if (is_null_word(text)) return Value();
  if (is_one_of(text, {"true", "True", "TRUE"})) return Value::boolean(true);
  if (is_one_of(text, {"false", "False", "FALSE"})) return Value::boolean(false);
  bool may_be_number = text::is_digit(text[0]) || text[0] == '-' || text[0] == '+' || text[0] == '.';
  if (may_be_number) {
    if (auto number = integer_scalar(text)) return *number;
    if (auto number = float_scalar(text)) return *number;
  }
  return text_value(text);
}

// "?" is a plain scalar without a tag, "!" a quoted one.
Value scalar(std::string_view tag, std::string_view text) {
  if (tag == "?" || tag.empty()) return plain_scalar(text);
  if (tag == "tag:yaml.org,2002:int") return integer_scalar(text).value_or(text_value(text));
  if (tag == "tag:yaml.org,2002:bool" || tag == "tag:yaml.org,2002:null") return plain_scalar(text);
  if (tag == "tag:yaml.org,2002:float") {
    Value number = plain_scalar(text);
    return number.is_number() ? Value::number(number.as_number()) : number;
  }
  return text_value(text);
}

// ---- reading ----

class ValueBuilder : public YAML::EventHandler {
 public:
  explicit ValueBuilder(YamlPlaces* places = nullptr) : places_(places) {}

  Value result;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    note(mark);
    add(Value(), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Value made = scalar(tag, value);
    note(mark, &made);
    add(std::move(made), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw YAML::ParserException(mark, "an alias cannot stand inside its own anchor");
    Value copy = found->second;
    note(mark);
    add(std::move(copy), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, new_list(), anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, new_dict(), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value container;
    YAML::anchor_t anchor;
    Value key;
    bool has_key = false;
    std::optional<std::string> path = {};  // only where places are wanted, and where it is not too long
  };

  // Where the value that begins here will be: a key has a line, and so has an item of a list.
  void note(const YAML::Mark& mark, const Value* scalar = nullptr) {
    if (!places_ || open_.empty() || !open_.back().path) return;
    const Open& top = open_.back();
    bool is_list = top.container.is_list();
    if (!is_list && (top.has_key || !scalar)) return;
    std::string own = *top.path;
    if (is_list) own += fmt::format("[{}]", list_size(top.container));
    else own += (own.empty() ? "" : ".") + std::string(to_key(*scalar).get()->view());
    if (own.size() > kMaxPath) return;
    size_t line = static_cast<size_t>(mark.line) + 1;
    if (!is_list && dict_has(top.container, *scalar)) places_->repeated.push_back({own, line});
    places_->all.push_back({std::move(own), line});
  }

  static bool dict_has(const Value& dict, const Value& key) {
    return dict.as_dict()->find(to_key(key).get()) != nullptr;
  }

  std::optional<std::string> inner_path() const {
    if (!places_) return std::nullopt;
    if (open_.empty()) return "";
    const Open& top = open_.back();
    if (!top.path) return std::nullopt;
    std::string out = *top.path;
    if (top.container.is_list()) out += fmt::format("[{}]", list_size(top.container));
    else if (top.has_key) out += (out.empty() ? "" : ".") + std::string(to_key(top.key).get()->view());
    return out.size() > kMaxPath ? std::nullopt : std::optional(std::move(out));
  }

  void open(const YAML::Mark& mark, Value container, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDepth) throw YAML::ParserException(mark, "nested too deeply");
    if (places_ && !open_.empty() && open_.back().container.is_list()) note(mark);
    auto path = inner_path();
    open_.push_back({std::move(container), anchor, Value(), false, std::move(path)});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.container), done.anchor);
  }

  void add(Value value, YAML::anchor_t anchor) {
    if (anchor) anchors_[anchor] = value;
    if (open_.empty()) {
      result = std::move(value);
      return;
    }
    step();
    Open& top = open_.back();
    if (top.container.is_list()) {
      writable_list(top.container)->push(std::move(value));
    } else if (!top.has_key) {
      top.key = std::move(value);
      top.has_key = true;
    } else {
      dict_set(top.container, to_key(top.key).get(), std::move(value));
      top.has_key = false;
    }
  }

  YamlPlaces* places_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Value> anchors_;
};

// Hands the text to the parser in pieces: it may read on to the end of a list before it tells of the first
// item, and takes its time.
class TextPieces : public std::streambuf {
 public:
  explicit TextPieces(std::string_view text) : text_(text) {}

  // From here on a cancelled task may leave at each piece. Not before: a parser that is left while it is
  // made loses its buffer.
  void let_leave() { may_leave_ = true; }

 private:
  int_type underflow() override {
    constexpr size_t kPiece = 2048;
    if (may_leave_) step(kPiece);
    if (text_.empty()) return traits_type::eof();
    auto* start = const_cast<char*>(text_.data());
    size_t size = std::min(kPiece, text_.size());
    setg(start, start, start + size);
    text_.remove_prefix(size);
    return traits_type::to_int_type(*start);
  }

  std::string_view text_;
  bool may_leave_ = false;
};

Parsed<Value> parse_with(std::string_view text, YamlPlaces* places) {
  try {
    TextPieces pieces(text);
    std::istream stream(&pieces);
    YAML::Parser parser(stream);
    pieces.let_leave();
    ValueBuilder builder(places);
    if (!parser.HandleNextDocument(builder)) return Value();
    ValueBuilder second;
    if (parser.HandleNextDocument(second)) return format_error("more than one document");
    return std::move(builder.result);
  } catch (const YAML::Exception& error) {
    if (error.mark.is_null()) return format_error(error.msg);
    return format_error(error.msg, static_cast<size_t>(error.mark.line) + 1,
                        static_cast<size_t>(error.mark.column) + 1);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return format_error(error.what());
  }
}

}  // namespace

Parsed<Value> parse_yaml(std::string_view text) { return parse_with(text, nullptr); }

Parsed<Value> parse_yaml(std::string_view text, YamlPlaces& places) { return parse_with(text, &places); }

// ---- writing ----

namespace {

// Whether a text can stand in YAML without quotes and be read back as the same text.
bool is_plain(std::string_view text) {
  if (text.empty() || text.size() > 200) return false;
  if (!plain_scalar(text).is_string()) return false;
  if (is_one_of(text, {"yes", "no", "on", "off", "Yes", "No", "On", "Off", "y", "n", "Y", "N", "=", "<<"}))
    return false;
  if (!text::is_identifier_start(text[0]) && text[0] != '/') return false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool harmless = text::is_identifier_part(c) || c == ' ' || c == '.' || c == '/' || c == '-' || c == '@' || c == '+';
    if (!harmless) return false;
  }
  return text.back() != ' ';
}

class YamlWriter {
 public:
  explicit YamlWriter(std::string& out) : out(out) {}

  // Writes the value at the place where its text may start. False when it nests too deeply.
  bool write(const Value& value, size_t depth, bool after_key) {
    if (depth > kMaxDepth || out.size() > kMaxStringSize) return false;
    if (is_list_like(value)) return write_list(value, depth, after_key);
    if (value.is(Kind::Set)) return write_list(set_items(value.as_set()), depth, after_key);
    if (value.is_dict() || value.is(Kind::Struct)) return write_dict(value.as_dict(), depth, after_key);
    write_scalar(value);
    out += '\n';
    return true;
  }

 private:
  std::string& out;

  void indent(size_t depth) { out.append(depth * 2, ' '); }

  void write_text(std::string_view text) {
    if (is_plain(text)) out += text;
    else append_json_string(out, text);
  }

  void write_scalar(const Value& value) {
    if (value.is_nil()) out += "null";
    else if (value.is_float() && std::isnan(value.as_float())) out += ".nan";
    else if (value.is_float() && std::isinf(value.as_float())) out += value.as_float() < 0 ? "-.inf" : ".inf";
    else if (value.is_bool() || value.is_number()) display_to(out, value);
    else if (value.is_string()) write_text(value.as_string()->view());
    else write_text(display(value));
  }

  bool write_list(const Value& list, size_t depth, bool after_key) {
    if (list_size(list) == 0) return out += "[]\n", true;
    if (list_size(list) > kMaxListSize) return false;
    if (after_key) out += '\n';
    for (size_t i = 0; i < list_size(list); ++i) {
      step();
      if (i || after_key) indent(depth);
      out += "- ";
      if (!write(list_item(list, i), depth + 1, false)) return false;
    }
    return true;
  }

  bool write_dict(const DictObject* dict, size_t depth, bool after_key) {
    if (dict->size() == 0) return out += "{}\n", true;
    if (after_key) out += '\n';
    bool is_first = true;
    for (auto [key, value] : dict->entries()) {
      step();
      if (!is_first || after_key) indent(depth);
      is_first = false;
      write_text(key->view());
      out += ':';
      bool is_empty = (is_list_like(*value) && list_size(*value) == 0) ||
                      (value->is_dict() && value->as_dict()->size() == 0) ||
                      (value->is(Kind::Set) && value->as_set()->size == 0);
      bool is_block =
          !is_empty && (is_list_like(*value) || value->is_dict() || value->is(Kind::Struct) || value->is(Kind::Set));
      if (!is_block) out += ' ';
      if (!write(*value, depth + 1, is_block)) return false;
    }
    return true;
  }
};

}  // namespace

Written append_yaml(std::string& out, const Value& value) {
  if (YamlWriter(out).write(value, 0, false) && out.size() <= kMaxStringSize) return {};
  return format_error(ErrorKind::Limit, "the value is too large or nested too deeply");
}

}  // namespace harn::data
