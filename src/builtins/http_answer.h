#pragma once

#include <vector>

#include "effects/http.h"
#include "vm/value.h"

namespace harn::builtins {

// The headers of an answer as a dict of texts; of several cookies, `set-cookie` is a list. Those that describe a body which was decompressed on the way are left out.
vm::Value http_headers(const std::vector<effects::HttpHeader>& headers, bool decompress);
inline bool is_ok_status(int64_t status) { return status >= 200 && status < 300; }

}  // namespace harn::builtins
