; ---- scopes ----

[
  (source_file)
  (block)
  (closure)
  (function_declaration)
  (function_expression)
  (pipeline_declaration)
  (override_declaration)
  (tool_declaration)
  (interface_method)
  (for_statement)
  (catch_clause)
  (match_arm)
  (select_case)
] @local.scope

; ---- what is declared ----

(let_statement pattern: (identifier) @local.definition)
(const_statement name: (identifier) @local.definition)
(binding_field name: (identifier) @local.definition)
(binding_item name: (identifier) @local.definition)
(rest_binding name: (identifier) @local.definition)
(pair_binding name: (identifier) @local.definition)
(for_statement pattern: (identifier) @local.definition)
(parameter name: (identifier) @local.definition)
(catch_clause name: (identifier) @local.definition)
(select_case name: (identifier) @local.definition)
(match_arm pattern: (identifier) @local.definition)
(pattern_pair key: (identifier) @local.definition)
(rest_pattern name: (identifier) @local.definition)
(function_declaration name: (identifier) @local.definition)
(pipeline_declaration name: (identifier) @local.definition)
(tool_declaration name: (identifier) @local.definition)
(skill_declaration name: (identifier) @local.definition)
(import_names name: (identifier) @local.definition)

; ---- uses ----

(identifier) @local.reference
