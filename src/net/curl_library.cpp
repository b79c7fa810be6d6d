#include "net/curl_library.h"

#include <dlfcn.h>

#include "base/fmt.h"

namespace harn::net {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& to, std::string& why) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  if (!to) why = fmt::format("libcurl has no {}", name);
  return to != nullptr;
}

bool find_all(void* library, CurlLibrary& curl, std::string& why) {
  return find(library, "curl_global_init", curl.global_init, why) &&
         find(library, "curl_easy_init", curl.easy_init, why) &&
         find(library, "curl_easy_reset", curl.easy_reset, why) &&
         find(library, "curl_easy_cleanup", curl.easy_cleanup, why) &&
         find(library, "curl_easy_setopt", curl.easy_setopt, why) &&
         find(library, "curl_easy_getinfo", curl.easy_getinfo, why) &&
         find(library, "curl_easy_strerror", curl.easy_strerror, why) &&
         find(library, "curl_easy_pause", curl.easy_pause, why) &&
         find(library, "curl_slist_append", curl.slist_append, why) &&
         find(library, "curl_slist_free_all", curl.slist_free_all, why) &&
         find(library, "curl_multi_init", curl.multi_init, why) &&
         find(library, "curl_multi_cleanup", curl.multi_cleanup, why) &&
         find(library, "curl_multi_setopt", curl.multi_setopt, why) &&
         find(library, "curl_multi_add_handle", curl.multi_add_handle, why) &&
         find(library, "curl_multi_remove_handle", curl.multi_remove_handle, why) &&
         find(library, "curl_multi_socket_action", curl.multi_socket_action, why) &&
         find(library, "curl_multi_info_read", curl.multi_info_read, why) && find(library, "curl_url", curl.url, why) &&
         find(library, "curl_url_cleanup", curl.url_cleanup, why) && find(library, "curl_url_set", curl.url_set, why) &&
         find(library, "curl_url_get", curl.url_get, why) && find(library, "curl_free", curl.free, why);
}

}  // namespace

const CurlLibrary* CurlLibrary::load(std::string& why) {
  static CurlLibrary curl{};
  static bool is_loaded = false;
  if (is_loaded) return &curl;
  void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why = fmt::format("libcurl is not installed ({})", dlerror());
    return nullptr;
  }
  if (!find_all(library, curl, why)) return nullptr;
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    why = "libcurl cannot be initialised";
    return nullptr;
  }
  is_loaded = true;
  return &curl;
}

}  // namespace harn::net
