#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "net/http.h"

// Inside src/net only: one request and its answer, with bodies that come from and go to wherever the caller says.
// `start_request` collects them; `HttpStream` passes them on.
namespace harn::net {

// Called on the I/O thread only.
class HttpBodies {
 public:
  virtual ~HttpBodies() = default;

  // The head of the answer is there: status, headers and redirect_to.
  virtual void begin(const HttpResponse& head) = 0;
  enum class Taken : uint8_t {
    All,
    Later,  // nothing of it: the connection is left alone until `resume_exchange`
    Never,  // the exchange ends as too large
  };
  // A piece of the answer's body. No exception may leave it.
  virtual Taken take(std::string_view piece) = 0;

  // Whether the time of the request is for the head of the answer alone.
  virtual bool takes_its_time() const { return false; }
  // Whether the request's body comes from here, and not from HttpRequest::body.
  virtual bool gives_body() const { return false; }
  struct Given {
    size_t size = 0;
    bool is_end = false;  // else nothing means: later, after `resume_exchange`
  };
  virtual Given give(std::span<char>) { return {0, true}; }
};

// `done` gets the head again, or the failure; the body went to `bodies`.
RequestId start_exchange(HttpRequest request, std::shared_ptr<HttpBodies> bodies,
                         std::function<void(HttpResponse)> done);
// After Taken::Later, or a `give` of nothing: ask again. Fine when it has ended.
void resume_exchange(RequestId id);

}  // namespace harn::net
