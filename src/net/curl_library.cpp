#include "net/curl_library.h"

#include "base/dynamic_library.h"

namespace harn::net {

const CurlLibrary* CurlLibrary::load(std::string& why) {
  static CurlLibrary curl{};
  static bool is_loaded = false;
  if (is_loaded) return &curl;
  DynamicLibrary library("libcurl.so.4");
  library.find(curl.global_init, "curl_global_init")
      .find(curl.easy_init, "curl_easy_init")
      .find(curl.easy_reset, "curl_easy_reset")
      .find(curl.easy_cleanup, "curl_easy_cleanup")
      .find(curl.easy_setopt, "curl_easy_setopt")
      .find(curl.easy_getinfo, "curl_easy_getinfo")
      .find(curl.easy_strerror, "curl_easy_strerror")
      .find(curl.easy_pause, "curl_easy_pause")
      .find(curl.slist_append, "curl_slist_append")
      .find(curl.slist_free_all, "curl_slist_free_all")
      .find(curl.multi_init, "curl_multi_init")
      .find(curl.multi_cleanup, "curl_multi_cleanup")
      .find(curl.multi_setopt, "curl_multi_setopt")
      .find(curl.multi_add_handle, "curl_multi_add_handle")
      .find(curl.multi_remove_handle, "curl_multi_remove_handle")
      .find(curl.multi_socket_action, "curl_multi_socket_action")
      .find(curl.multi_info_read, "curl_multi_info_read")
      .find(curl.url, "curl_url")
      .find(curl.url_cleanup, "curl_url_cleanup")
      .find(curl.url_set, "curl_url_set")
      .find(curl.url_get, "curl_url_get")
      .find(curl.free, "curl_free");
  if (!library.is_complete()) {
    why = library.why();
    return nullptr;
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    why = "libcurl cannot be initialised";
    return nullptr;
  }
  is_loaded = true;
  return &curl;
}

}  // namespace harn::net
