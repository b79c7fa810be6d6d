(function_declaration name: (identifier) @name) @definition.function
(pipeline_declaration name: (identifier) @name) @definition.function
(tool_declaration name: (identifier) @name) @definition.function
(impl_body (function_declaration name: (identifier) @name) @definition.method)
(interface_method name: (identifier) @name) @definition.method
(struct_declaration name: (type_identifier) @name) @definition.class
(enum_declaration name: (type_identifier) @name) @definition.class
(type_declaration name: (type_identifier) @name) @definition.type
(interface_declaration name: (type_identifier) @name) @definition.interface
(skill_declaration name: (identifier) @name) @definition.constant
(const_statement name: (identifier) @name) @definition.constant

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (member_expression property: (property_identifier) @name)) @reference.call
(struct_literal name: (type_identifier) @name) @reference.class
(named_type name: (type_identifier) @name) @reference.type
