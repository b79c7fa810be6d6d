#pragma once

#include "effects/perform.h"

// Whether a provider can be reached and knows the key: its list of models is asked for, which costs nothing.
namespace harn::llm {

struct CheckProvider {
  struct Answer {
    int64_t status = 0;    // of HTTP; 0: nobody was asked, or nobody answered
    std::string category;  // of the failure; empty: there is none
    std::string message;   // of the failure, without secrets
    std::string url;       // that was asked; empty: none
    std::string body;      // the list, as it came
    template <class Visitor>
    void fields(Visitor& visit) {
      visit(status), visit(category), visit(message), visit(url), visit(body);
    }
  };
  static constexpr effects::EffectRow row{.name = "model.health", .capability = vm::Capability::Model};

  std::string provider;
  std::string key = {};  // empty: the one that calls use. A secret: recordings do not have it
  int64_t timeout_ms = 10'000;

  std::string shown() const { return provider; }
  template <class Visitor>
  void fields(Visitor& visit) {
    visit(provider);
  }
};
// On a fiber. Fails for a provider that nobody knows; what is wrong with one that is known is an answer.
vm::Outcome<CheckProvider::Answer> carry_out(effects::Run& run, const CheckProvider& request);

}  // namespace harn::llm
