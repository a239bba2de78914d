(import_decl (long_identifier) @import.name) @import
(attributes) @leading

(named_module name: (long_identifier) @name) @def.module
(namespace name: (long_identifier) @name) @def.namespace
(ERROR "module" . (long_identifier) @name @def.module)
(ERROR "namespace" . (long_identifier) @name @def.namespace)
(module_defn (identifier) @name) @def.module
(module_abbrev . (identifier) @name) @def.module

; a type of its own, or one of several that and joins
(type_definition . (_) @wrapped) @wrapper
(type_definition . (attributes) . (_) @wrapped) @wrapper
(type_definition "and" @leading)
(type_definition (union_type_defn (type_name type_name: (_) @name)
  block: (union_type_cases "|")) @def.enum)
(type_definition (union_type_defn (type_name type_name: (_) @name)
  block: (union_type_cases (union_type_case (union_type_fields)))) @def.enum)
(type_definition (enum_type_defn (type_name type_name: (_) @name)) @def.enum)
(type_definition (record_type_defn (type_name type_name: (_) @name)) @def.struct)
(type_definition (anon_type_defn (type_name type_name: (_) @name)) @def.class)
(type_definition (type_extension (type_name type_name: (_) @name)) @def.class)
(type_definition (_ (type_name type_name: (_) @name)) @def.type)
(exception_definition exception_name: (_) @name) @def.type
; one case without fields is another type's name
(union_type_cases . (union_type_case . (identifier) @name .) .) @skip
(union_type_case . (identifier) @name) @def.constant
(union_type_case . (attributes) . (identifier) @name) @def.constant
(enum_type_case . (identifier) @name) @def.constant
(record_field . (identifier) @name) @def.field

(interface_implementation . (_) @name) @def.impl
(member_defn "val" (identifier) @name) @def.field
(member_defn (additional_constr_defn)) @def.constructor @name.new
(member_defn (_ name: (_ method: (_) @name) args: (_))) @def.method
(member_defn (_ name: (_ . (_) @name .) args: (_))) @def.method
(member_defn (_ name: (_ method: (_) @name))) @def.property
(member_defn (_ name: (property_or_ident . (_) @name .))) @def.property
(member_defn (member_signature . (identifier) @name (curried_spec (arguments_spec)))) @def.method
(member_defn (member_signature . (identifier) @name)) @def.property
(member_defn (property_or_ident . (_) @name)) @def.property

; several functions may be joined by and: each is a symbol by itself
(function_or_value_defn "and" @leading)
(function_or_value_defn "let" @leading "rec"? @leading . (function_declaration_left))
(function_or_value_defn
  (function_declaration_left [(identifier) (op_identifier) (active_pattern)] @name) @def.function
  . (":" . (_))? . "=" . (line_comment)* . body: (_) @extend @body)
(function_or_value_defn
  (_ (identifier_pattern . (_) @name)) body: (fun_expression) @body) @def.function
(type_extension_elements (_
  (value_declaration_left (identifier_pattern . (_) @name))) @def.field)
(named_module (_ (_ (value_declaration_left [
  (identifier_pattern . (_) @name) (repeat_pattern (identifier_pattern . (_) @name))]))) @def.constant)
(module_defn (_ (_ (value_declaration_left (identifier_pattern . (_) @name)))) @def.constant)
(file (_ (_ (value_declaration_left (identifier_pattern . (_) @name)))) @def.constant)
