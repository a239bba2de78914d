(annotation) @leading

(package_clause name: (package_identifier) @name) @def.namespace
(class_definition name: (_) @name) @def.class
(object_definition name: (_) @name) @def.class
(package_object name: (_) @name) @def.module
(trait_definition name: (_) @name) @def.trait
(enum_definition name: (_) @name) @def.enum
(enum_case_definitions [(simple_enum_case name: (_) @name) (full_enum_case name: (_) @name)]) @def.constant
((function_definition name: (identifier) @name body: (_)? @body) @def.constructor
  (#eq? @name "this"))
(template_body (function_definition name: (_) @name) @def.method)
(template_body (function_declaration name: (_) @name) @def.method)
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
(type_definition name: (_) @name) @def.type
(given_definition name: (_) @name) @def.constant

(class_parameter "val" name: (_) @name) @def.field
(class_parameter "var" name: (_) @name) @def.field
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @def.field))
(compilation_unit (val_definition pattern: [(identifier) (operator_identifier)] @name) @def.constant)
(compilation_unit (val_definition pattern: (_ (identifier) @name)) @def.constant)
(compilation_unit (var_definition pattern: [(identifier) (operator_identifier)] @name) @def.variable)
(template_body (val_definition pattern: [(identifier) (operator_identifier)] @name) @def.field)
(template_body (val_definition pattern: (identifiers (identifier) @name)) @def.field)
(template_body (val_definition pattern: (tuple_pattern (identifier) @name)) @def.field)
(template_body (var_definition pattern: [(identifier) (operator_identifier)] @name) @def.field)
(template_body (val_declaration name: (_) @name) @def.field)
(template_body (var_declaration name: (_) @name) @def.field)
(enum_body (val_definition pattern: (identifier) @name) @def.field)

((call_expression
  function: (call_expression function: (identifier) @_test arguments: (arguments . (string) @name))
  arguments: (block) @body) @def.test
  (#any-of? @_test "test" "describe" "it" "property" "feature" "scenario"))
((infix_expression left: (infix_expression . (string)) @name operator: (identifier) @_in right: (block) @body) @def.test
  (#eq? @_in "in"))

(import_declaration
  [(identifier) "." (namespace_wildcard) (namespace_selectors) (operator_identifier)]+ @import.from) @import
