#pragma once

#include <vector>

#include "builtins/families.h"

namespace harn::builtins {

struct Family {
  const char* name;
  std::span<const vm::Builtin> rows;
};

inline std::vector<Family> core_families() {
  return {{"dict", dict_rows()},
          {"iter", iter_rows()},
          {"list", list_rows()},
          {"list_callback", list_callback_rows()},
          {"list_group", list_group_rows()},
          {"math", math_rows()},
          {"path", path_rows()},
          {"path_workspace", path_workspace_rows()},
          {"property", property_rows()},
          {"random", random_rows()},
          {"set", set_rows()},
          {"set_method", set_method_rows()},
          {"sort", sort_rows()},
          {"statistics", statistics_rows()},
          {"stream", stream_rows()},
          {"text", text_rows()},
          {"text_case", text_case_rows()},
          {"uuid", uuid_rows()}};
}

}  // namespace harn::builtins
