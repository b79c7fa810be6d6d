#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/positions.h"
#include "base/span.h"
#include "data/json_writer.h"
#include "vm/value.h"

// Messages of the language server protocol: JSON-RPC, each with its length in front.
namespace harn::lsp {

using data::JsonWriter;

// A part of a message. What is not there, or is of another kind, is empty.
class Part {
 public:
  Part() = default;
  explicit Part(const vm::Value* value) : value_(value) {}

  Part operator[](std::string_view key) const;
  Part operator[](size_t index) const;
  size_t size() const;
  std::string text() const;
  std::optional<int64_t> number() const;
  bool is_there() const;
  // As JSON, for ids, which go back as they came.
  std::string json() const;

 private:
  const vm::Value* value_ = nullptr;
};

// One client, on two descriptors. Nobody else may write to the second.
class Pipe {
 public:
  Pipe(int in, int out) : in_(in), out_(out) {}

  enum class Wait : uint8_t { ForEver, Moment };
  enum class Got : uint8_t { Message, Nothing, End };
  // The body of the next message. Wait::Moment: gives up soon when none comes.
  Got read(std::string& body, Wait wait);
  void write(std::string_view body);

 private:
  bool has_message(std::string& body);

  int in_, out_;
  std::string buffer_;
  bool ended_ = false;
};

// Places in messages count UTF-16 code units from 0.
void write_range(JsonWriter& json, const Positions& positions, Span span);
uint32_t offset_of(const Positions& positions, const Part& position);

// file:// and back; other schemes are kept as they are.
std::string path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

}  // namespace harn::lsp
