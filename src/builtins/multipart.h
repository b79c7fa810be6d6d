#pragma once

#include <string>

#include "vm/builtin.h"

// Bodies of forms, as `multipart_form_data` gives them and requests send them.
namespace harn::builtins {

struct FormBody {
  std::string content_type;  // with the boundary
  std::string boundary;
  std::string body;
};

// Of a list of {name, content, filename?, content_type?}. Without a chosen boundary (null or nil) the same fields always
// give the same body.
vm::Outcome<FormBody> form_body(const vm::Call& call, const vm::Value& fields, const vm::Value* boundary = nullptr);

}  // namespace harn::builtins
