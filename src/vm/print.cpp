#include "vm/print.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "vm/builtin.h"
#include "vm/dict.h"
#include "vm/function.h"
#include "vm/handle.h"
#include "vm/long_text.h"
#include "vm/objects.h"
#include "vm/ops.h"
#include "vm/pace.h"

// Print forms: what `log`, `to_string`, interpolation and `join` show.
namespace harn::vm {

static bool is_stream(const Value& value) { return value.object()->flags & GeneratorObject::kStream; }

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::Unset:
    case Kind::Nil: return "nil";
    case Kind::Bool: return "bool";
    case Kind::Int: return "int";
    case Kind::Float: return "float";
    case Kind::Builtin: return "builtin";
    case Kind::String: return "string";
    case Kind::Bytes: return "bytes";
    case Kind::List:
    case Kind::Range: return "list";
    case Kind::Dict: return "dict";
    case Kind::Struct: return "struct";
    case Kind::Set: return "set";
    case Kind::Enum: return "enum";
    case Kind::Pair: return "pair";
    case Kind::Closure: return "closure";
    case Kind::Iter: return "iter";
    case Kind::Generator: return is_stream(value) ? "stream" : "generator";
    case Kind::Rng: return "rng";
    case Kind::Cell: return "cell";
    case Kind::StructType:
    case Kind::EnumType: return "type";
    case Kind::Error: return "error";
    case Kind::Handle: return value.as<HandleObject>()->type->name;
    case Kind::Count: break;
  }
  return "nil";
}

// ---- numbers ----

void append_int(std::string& out, int64_t number) {
  char buffer[24];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end);
}

FloatDigits shortest_digits(double number) {
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific);
  *end = 0;  // for atoi
  FloatDigits result{};
  result.negative = std::signbit(number);
  const char* at = buffer;
  for (; at < end && *at != 'e'; ++at) {
    if (*at != '.') result.digits[result.count++] = *at;
  }
  result.exponent = atoi(at + 1);
  while (result.count > 1 && result.digits[result.count - 1] == '0') --result.count;
  return result;
}

void append_float(std::string& out, double number) {
  if (std::isnan(number)) return void(out += "NaN");
  if (std::isinf(number)) return void(out += number < 0 ? "-inf" : "inf");
  FloatDigits digits = shortest_digits(number);
  if (digits.negative) out += '-';
  int whole = digits.exponent + 1;  // digits before the point
  if (whole <= 0) {
    out += "0.";
    if (number == 0) return void(out += '0');
    out.append(static_cast<size_t>(-whole), '0');
    out.append(digits.digits, static_cast<size_t>(digits.count));
    return;
  }
  if (digits.count > whole) {
    out.append(digits.digits, static_cast<size_t>(whole));
    out += '.';
    out.append(digits.digits + whole, static_cast<size_t>(digits.count - whole));
    return;
  }
  out.append(digits.digits, static_cast<size_t>(digits.count));
  out.append(static_cast<size_t>(whole - digits.count), '0');
  if (std::abs(number) < 1e15) out += ".0";
}

// ---- everything else ----

namespace {

constexpr size_t kMaxDepth = 10'000;
// A small value can have an endless print form (lists that hold one list twice, forty levels deep):
// the text is cut off here.
constexpr size_t kMaxPrinted = size_t{1} << 30;
constexpr size_t kMaxShownBytes = 32;

void append_bytes(std::string& out, std::string_view octets) {
  out += "b\"";
  size_t shown = std::min(octets.size(), kMaxShownBytes);
  for (size_t i = 0; i < shown; ++i) {
    fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<uint8_t>(octets[i]));
  }
  if (octets.size() > shown) fmt::format_to(std::back_inserter(out), "...+{}", octets.size() - shown);
  out += '"';
}

// A string as it would be written in a program.
void append_literal(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    switch (char c = text[i]) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\0': out += "\\0"; break;
      case '"':
      case '\\': (out += '\\') += c; break;
      case '$': out += i + 1 < text.size() && text[i + 1] == '{' ? "\\$" : "$"; break;
      default: out += c;
    }
  }
  out += '"';
}

void append_range(std::string& out, const RangeObject* range, size_t longest) {
  out += '[';
  for (int64_t i = 0; i < range->size(); ++i) {
    step();
    if (i != 0) out += ", ";
    if (out.size() > longest) {
      out += "...";
      break;
    }
    append_int(out, range->item(i));
  }
  out += ']';
}

// Prints with a list of open containers instead of C++ recursion.
class Printer {
 public:
  // Form::Literal writes strings with quotes and escapes. Nothing is begun after `longest` bytes.
  enum class Form { Plain, Literal };
  explicit Printer(std::string& out, Form form = Form::Plain, size_t longest = kMaxPrinted)
      : out_(out), form_(form), longest_(longest) {}

  void print(const Value& value) {
    open(value);
    while (!open_.empty()) {
      step();
      Open& top = open_.back();
      if (top.next == top.size) {
        out_ += top.close;
        open_.pop_back();
        continue;
      }
      if (top.next > 0) out_ += ", ";
      if (out_.size() > longest_) {
        out_ += "...";
        top.next = top.size;
        continue;
      }
      open(next_item(top));
    }
  }

 private:
  struct Open {
    const Value* items;      // those not yet printed, or
    const DictObject* dict;  // a dict
    size_t size;
    size_t next;
    char close;
  };

  const Value& next_item(Open& container) {
    size_t number = container.next++;
    if (!container.dict) {
      while (container.items->is(Kind::Unset)) ++container.items;  // a hole in a set
      return *container.items++;
    }
    auto [key, value] = container.dict->entry(number);
    out_ += key->view();
    out_ += ": ";
    return *value;
  }

  void push(const Value* items, size_t size, char close) { push({items, nullptr, size, 0, close}); }

  void push(Open container) {
    if (open_.size() >= kMaxDepth) {
      out_ += "...";
      out_ += container.close;
      return;
    }
    open_.push_back(container);
  }

  void open_string(std::string_view text) {
    if (form_ == Form::Plain) append_text(text);
    else append_literal(out_, text.substr(0, longest_));
  }

  void append_text(std::string_view text) {
    if (text.size() > kTextPiece) out_.reserve(out_.size() + text.size());
    while (text.size() > kTextPiece) out_ += next_piece(text);
    out_ += text;
  }

  void open_dict(const DictObject* dict) {
    out_ += '{';
    push({nullptr, dict, dict->size(), 0, '}'});
  }

  void open_enum(const EnumObject* value) {
    out_ += value->type->name->view();
    out_ += '.';
    out_ += value->info().name->view();
    if (value->count == 0) return;
    out_ += '(';
    push(value->values().data(), value->count, ')');
  }

  // Writes a value, or its beginning when it holds others.
  void open(const Value& value) {
    switch (value.kind()) {
      case Kind::Unset:
      case Kind::Nil: out_ += "nil"; return;
      case Kind::Bool: out_ += value.as_bool() ? "true" : "false"; return;
      case Kind::Int: return append_int(out_, value.as_int());
      case Kind::Float: return append_float(out_, value.as_float());
      case Kind::Builtin:
        out_ += "<builtin ";
        out_ += value.as_builtin()->name;
        out_ += '>';
        return;
      case Kind::String: return open_string(value.as_string()->view());
      case Kind::Bytes: return append_bytes(out_, value.as_bytes()->view());
      case Kind::List: out_ += '['; return push(value.as_list()->items, value.as_list()->size, ']');
      case Kind::Range: return append_range(out_, value.as_range(), longest_);
      case Kind::Struct:
        out_ += struct_type(value.as_dict())->name->view();
        out_ += ' ';
        return open_dict(value.as_dict());
      case Kind::Dict: return open_dict(value.as_dict());
      case Kind::Set: out_ += "set("; return push(value.as_set()->items, value.as_set()->size, ')');
      case Kind::Enum: return open_enum(value.as_enum());
      case Kind::Pair:
        out_ += '(';
        // The two members stand side by side like the items of a list.
        return push(&value.as_pair()->first, 2, ')');
      default: return open_opaque(value);
    }
  }

  void open_opaque(const Value& value) {
    switch (value.kind()) {
      case Kind::Closure: return print_closure(*value.as_closure());
      case Kind::Generator:
        out_ += is_stream(value) ? "<stream" : "<generator";
        out_ += value.as_generator()->state == GeneratorObject::State::Done ? " (done)>" : ">";
        return;
      case Kind::Iter: out_ += value.as_iter()->exhausted ? "<iter (exhausted)>" : "<iter>"; return;
      case Kind::StructType:
        out_ += "<struct ";
        out_ += value.as<StructTypeObject>()->name->view();
        out_ += '>';
        return;
      case Kind::EnumType:
        out_ += "<enum ";
        out_ += value.as<EnumTypeObject>()->name->view();
        out_ += '>';
        return;
      case Kind::Handle: return value.as<HandleObject>()->type->display(out_, value.as<HandleObject>());
      case Kind::Error: return print_nested(value.as<ErrorObject>()->value);
      case Kind::Cell: return print_nested(value.as<CellObject>()->value);
      default:
        out_ += '<';
        out_ += type_name(value);
        out_ += '>';
    }
  }

  void print_closure(const ClosureObject& closure) {
    out_ += "<fn(";
    bool first = true;
    for (const std::string& name : closure.proto->code->param_names) {
      if (!first) out_ += ", ";
      first = false;
      out_ += name;
    }
    out_ += ")>";
  }

  void print_nested(const Value& value) { open(value); }

  std::string& out_;
  Form form_;
  size_t longest_;
  std::vector<Open> open_;
};

static_assert(sizeof(PairObject) == sizeof(Object) + 2 * sizeof(Value));

}  // namespace

void display_to(std::string& out, const Value& value) { Printer(out).print(value); }

std::string display(const Value& value) {
  if (value.is_string()) return std::string(value.as_string()->view());
  std::string out;
  display_to(out, value);
  return out;
}

std::string literal(const Value& value) {
  std::string out;
  Printer(out, Printer::Form::Literal).print(value);
  return out;
}

// The beginning of what the value prints as, whole characters only.
static std::string beginning(const Value& value, Printer::Form form) {
  constexpr size_t kLongest = 80;
  std::string out;
  Printer(out, form, kLongest).print(value);
  if (out.size() <= kLongest) return out;
  size_t end = kLongest;
  while ((out[end] & 0xC0) == 0x80) --end;
  return out.substr(0, end) + "...";
}

std::string shown(const Value& value) { return beginning(value, Printer::Form::Literal); }
std::string shortened(const Value& value) { return beginning(value, Printer::Form::Plain); }

Ref<StringObject> to_key(const Value& value) {
  if (value.is_string()) return Ref<StringObject>::share(value.as_string());
  return new_string(display(value));
}

}  // namespace harn::vm
