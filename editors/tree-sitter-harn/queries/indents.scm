[
  (block)
  (closure)
  (dict)
  (list)
  (struct_fields)
  (arguments)
  (parameters)
  (parenthesized_expression)
  (match_body)
  (select_expression)
  (cost_route_expression)
  (skill_body)
  (eval_pack_body)
  (enum_body)
  (struct_body)
  (impl_body)
  (interface_body)
  (shape_type)
  (import_names)
] @indent.begin

["}" "]" ")"] @indent.branch @indent.end
[(line_comment) (block_comment) (multiline_string)] @indent.ignore
