#pragma once

#include <cstring>
#include <string>

// A library that is loaded when it is first needed, because programs that never need it should not pay for it.
//
//   DynamicLibrary library("libcurl.so.4");
//   library.find(curl.easy_init, "curl_easy_init").find(curl.easy_reset, "curl_easy_reset");
//   if (!library.is_complete()) return library.why();
//
// It stays loaded until the process ends.
namespace harn {

class DynamicLibrary {
 public:
  explicit DynamicLibrary(const char* file);

  // A function or variable; `to` is a pointer to it.
  template <class Pointer>
  DynamicLibrary& find(Pointer& to, const char* name) {
    void* symbol = address_of(name);
    memcpy(&to, &symbol, sizeof to);
    return *this;
  }

  // Whether it is there, and everything that was looked for.
  bool is_complete() const { return why_.empty(); }
  const std::string& why() const { return why_; }

 private:
  void* address_of(const char* name);

  void* handle_;
  std::string why_;
};

}  // namespace harn
