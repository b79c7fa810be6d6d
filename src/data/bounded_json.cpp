#include "data/bounded_json.h"

#include <cmath>
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
      case Kind::Nil:
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
  void list(const Value& value, int depth) {
    if (depth >= kDeepest) return text("<list>");
    out_ += '[';
    size_t size = list_size(value);
    for (size_t i = 0; i < size && !was_cut_; ++i) {
      if (i > 0) out_ += ", ";
      if (is_full()) return cut();
      write(list_item(value, i), depth + 1);
    }
    if (!was_cut_) out_ += ']';
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
