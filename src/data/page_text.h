#pragma once

#include <optional>
#include <string>
#include <string_view>

// The text of what a web server has sent, as UTF-8: by the charset of its header, by its byte order mark or by what an HTML page says of itself; a page
// that says nothing and is no UTF-8 is read as browsers read it (windows-1252). Nothing: it is no text.
//
//   page_text("caf\xE9", "text/html; charset=iso-8859-1") == "café"
namespace harn::data {

std::optional<std::string> page_text(std::string_view body, std::string_view content_type);

}  // namespace harn::data
