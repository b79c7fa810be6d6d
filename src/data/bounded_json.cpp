#include "data/bounded_json.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/fmt.h"
#include "data/json.h"
#include "vm/dict.h"
#include "vm/ops.h"

namespace harn::data {

using namespace vm;

namespace {

constexpr int kDeepest = 12;

class Writer {
 public:
  explicit Writer(size_t most) : most_(most) {}

  void write(const Value& value, int depth = 0) {
    if (is_full()) return cut();
    switch (value.kind()) {
      case Kind::String: return text(value.as_string()->view());
      case Kind::List: return list(value, depth);
      case Kind::Dict:
      case Kind::Struct: return dict(*value.as_dict(), depth);
      case Kind::Range: return list(value, depth);
      case Kind::Set: return set(*value.as_set(), depth);
      case Kind::Enum: return variant(*value.as_enum(), depth);
      case Kind::Nil: out_ += "null"; return;
      case Kind::Bool:
      case Kind::Int: out_ += display(value); return;
      case Kind::Float:
        if (std::isfinite(value.as_float())) out_ += display(value);
        else text(display(value));
        return;
      default: return text(fmt::format("<{}>", type_name(value)));
    }
  }
  BoundedJson done() && { return {std::move(out_), was_cut_}; }

 private:
  bool is_full() const { return out_.size() >= most_; }
  void cut() {
    if (!std::exchange(was_cut_, true)) out_ += "...";
  }
  // Only whole characters.
  void text(std::string_view text) {
    size_t room = most_ > out_.size() ? most_ - out_.size() : 0;
    if (text.size() <= room) return append_json_string(out_, text);
    while (room > 0 && (text[room] & 0xC0) == 0x80) --room;
    out_ += '"';
    append_json_content(out_, text.substr(0, room));
    cut();
  }
  // `next` gives one item after the other, then nothing.
  void list(int depth, auto next) {
    if (depth >= kDeepest) return text("<list>");
    out_ += '[';
    bool is_first = true;
    for (std::optional<Value> item = next(); item && !was_cut_; item = next()) {
      if (!std::exchange(is_first, false)) out_ += ", ";
      if (is_full()) return cut();
      write(*item, depth + 1);
    }
    if (!was_cut_) out_ += ']';
  }
  void list(const Value& value, int depth) {
    size_t size = list_size(value), at = 0;
    list(depth, [&] { return at < size ? std::optional(list_item(value, at++)) : std::nullopt; });
  }
  void set(const SetObject& value, int depth) {
    size_t place = value.next_place(0);
    list(depth, [&]() -> std::optional<Value> {
      if (place >= value.used) return std::nullopt;
      Value item = value.items[place];
      place = value.next_place(place + 1);
      return item;
    });
  }
  // "Color.Red", {"Color.Rgb": [1, 2, 3]}
  void variant(const EnumObject& value, int depth) {
    std::string name = fmt::format("{}.{}", value.type->name->view(), value.info().name->view());
    if (value.count == 0) return text(name);
    if (depth >= kDeepest) return text("<enum>");
    out_ += '{';
    text(name);
    out_ += ": ";
    auto next = [values = value.values(), at = size_t{0}]() mutable {
      return at < values.size() ? std::optional(values[at++]) : std::nullopt;
    };
    if (value.count == 1) write(value.values()[0], depth + 1);
    else list(depth + 1, next);
    if (!was_cut_) out_ += '}';
  }
  void dict(const DictObject& value, int depth) {
    if (depth >= kDeepest) return text("<dict>");
    out_ += '{';
    for (size_t i = 0; i < value.size() && !was_cut_; ++i) {
      if (i > 0) out_ += ", ";
      if (is_full()) return cut();
      auto [key, item] = value.entry(i);
      text(key->view());
      out_ += ": ";
      write(*item, depth + 1);
    }
    if (!was_cut_) out_ += '}';
  }

  std::string out_;
  size_t most_;
  bool was_cut_ = false;
};

}  // namespace

BoundedJson bounded_json(const Value& value, size_t most) {
  Writer writer(most);
  writer.write(value);
  return std::move(writer).done();
}

}  // namespace harn::data
