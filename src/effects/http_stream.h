#pragma once

#include "effects/http.h"

// HTTP answers that are read in pieces, as they come. Nothing is read ahead of the program but a bounded buffer: a server
// that sends faster than the program reads has to wait.
namespace harn::effects {

// Sends the request and waits for the head of the answer, which may be a failure. The stream is the VM's until it is
// closed.
struct OpenHttp : HttpExchange {
  struct Answer : net::HttpResponse {  // without a body
    uint64_t stream = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(failure), visit(message), visit(status), visit(headers), visit(redirect_to), visit(stream);
    }
  };
  static constexpr EffectRow row{.name = "http.open", .capability = vm::Capability::Network, .version = 2};
};
vm::Outcome<OpenHttp::Answer> carry_out(Run& run, const OpenHttp& request);

// The next piece of the body.
struct ReadHttp {
  struct Answer {
    bool is_known = true;  // false: no such stream is open
    bool is_end = false;
    bool is_late = false;  // nothing came in time
    std::string bytes;
    HttpFailure failure = HttpFailure::None;  // why there is no more
    std::string message;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(is_known), visit(is_end), visit(is_late), visit(bytes), visit(failure), visit(message);
    }
  };
  static constexpr EffectRow row{.name = "http.read", .capability = vm::Capability::Network, .version = 2};

  uint64_t stream = 0;
  uint64_t most = 64 * 1024;  // bytes
  int64_t timeout_ms = -1;    // -1: as long as it takes

  std::string shown() const { return fmt::format("stream {}", stream); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(stream), visit(most);  // what is left of a time differs from run to run
  }
};
vm::Outcome<ReadHttp::Answer> carry_out(Run& run, const ReadHttp& request);

// Drops what has not been read. False: no such stream is open.
struct CloseHttp {
  using Answer = bool;
  static constexpr EffectRow row{.name = "http.close", .capability = vm::Capability::Network};

  uint64_t stream = 0;

  std::string shown() const { return fmt::format("stream {}", stream); }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(stream);
  }
};
vm::Outcome<bool> carry_out(Run& run, const CloseHttp& request);

// As `fetch`, up to the head of the answer.
vm::Outcome<OpenHttp::Answer> open_stream(Run& run, const HttpPlan& plan);

}  // namespace harn::effects
