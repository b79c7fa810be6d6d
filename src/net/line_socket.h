#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace harn::net {

// Lines from and to whoever has the other ends of two sockets, one for each direction.
//
// Both directions are bounded: when nobody takes lines the socket is left alone, and the other side has to wait; when the other side
// does not read, `write` refuses. A line that is too long ends it. Any thread may call it, nothing blocks; `changed` is called on the
// I/O thread, without a lock, when it is worth to ask again. The end of the object closes the socket; `changed` may be called once
// more then, so what it uses is held by it.
class LineSocket {
 public:
  LineSocket(Descriptor from, Descriptor to, size_t max_line, std::function<void()> changed);
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;

  // The next line, without its end.
  std::optional<std::string> take();

  enum class End : uint8_t { None, Closed, LineTooLong, NoMemory };
  // Why there will be no more lines than those that can be taken.
  End end();

  // False: it is over, or too much was written that the other side has not read.
  bool write(std::string_view line);
  // The other side sees the end of what was written.
  void end_writing();

 private:
  class Pipe;
  std::shared_ptr<Pipe> pipe_;
};

}  // namespace harn::net
