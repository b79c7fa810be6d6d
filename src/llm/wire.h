#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "effects/http.h"
#include "llm/provider.h"
#include "vm/error.h"
#include "vm/value.h"

// Between a canonical request or answer (docs/internals/models.md) and the bytes of a provider. Pure: no I/O, no clock, no
// state between calls; for the task whose values they are.
//
//   WireCall call = HARN_TRY(encode(provider, request, key));
//   ... send it; on a status other than 200: throw failure_of(...)
//   auto decoder = Decoder::make(call.wire, call.streams, request);
//   while (more) HARN_CHECK(decoder->feed(bytes, deltas));
//   Value answer = HARN_TRY(decoder->finish());
namespace harn::llm {

struct WireCall {
  Wire wire = Wire::OpenAiChat;  // what the answer will be written in
  std::string url;
  std::vector<effects::HttpHeader> headers;
  std::string body;
  bool streams = false;
};

// The messages that are sent are valid for the provider whatever the transcript is: see projection.h. Fails with a text for
// what a provider cannot be asked at all. `key` goes into a header and nowhere else.
vm::Outcome<WireCall> encode(const Provider& provider, const vm::Value& request, std::string_view key);

// Takes an answer apart as its bytes come, in pieces of any size. An answer of more than 64 MB, an error in the middle and an
// end that comes too early are failures, thrown as their dict. After a failure a decoder is not used any more.
class Decoder {
 public:
  static std::unique_ptr<Decoder> make(Wire wire, bool streams, const vm::Value& request);
  virtual ~Decoder() = default;

  // Appends what is new to `deltas`.
  virtual vm::Outcome<void> feed(std::string_view bytes, std::vector<vm::Value>& deltas) = 0;
  // The bytes have ended: the canonical answer.
  virtual vm::Outcome<vm::Value> finish() = 0;
};

// The failure dict of an answer with another status than 200. `now_ms` is for dates in `Retry-After`; 0: those are left out.
vm::Value failure_of(const Provider& provider, std::string_view model, int status,
                     const std::vector<effects::HttpHeader>& headers, std::string_view body, int64_t now_ms = 0);

// By which the provider can find the call; empty: it did not say.
std::string request_id_of(const std::vector<effects::HttpHeader>& headers);

// The other failures, by their category: "timeout", "transient_network", ...
vm::Value failure(std::string_view provider, std::string_view model, std::string_view category,
                  std::string_view message);

}  // namespace harn::llm
