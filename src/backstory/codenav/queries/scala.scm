(annotation) @leading

(package_clause name: (package_identifier) @name) @def.namespace
(class_definition name: (_) @name) @def.class
(object_definition name: (_) @name) @def.class
(package_object name: (_) @name) @def.module
(trait_definition name: (_) @name) @def.trait
(enum_definition name: (_) @name) @def.enum
(enum_case_definitions (_ name: (_) @name)) @def.constant
((function_definition name: (identifier) @name) @def.constructor
  (#eq? @name "this"))
(template_body (_ "def" name: (_) @name) @def.method)
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
(type_definition name: (_) @name) @def.type
(given_definition name: (_) @name body: [(instance_expression) (with_template_body)]? @body) @def.constant
(given_definition !name return_type: (_) @name body: [(instance_expression) (with_template_body)]? @body) @def.constant

(class_parameter ["val" "var"] name: (_) @name) @def.field
(class_definition "case" class_parameters: (_ (class_parameter name: (_) @name) @def.field))
(compilation_unit (_ ["val" @as.constant "var" @as.variable] pattern: [(identifier) (operator_identifier)] @name) @def.constant)
(compilation_unit (_ "val" pattern: (_ (identifier) @name)) @def.constant)
(template_body (_ ["val" "var"] [
  name: (_) @name
  pattern: [(identifier) (operator_identifier)] @name]) @def.field)
(template_body (_ "val" pattern: [(identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.field)
(enum_body (_ "val" pattern: (identifier) @name) @def.field)

((call_expression
  function: (_ . function: (identifier) @_test . arguments: (_ . (string) @name))
  arguments: (block) @body) @def.test
  (#any-of? @_test "test" "describe" "it" "property" "feature" "scenario"))
((infix_expression left: (_ . left: (string)) @name operator: (identifier) @_in right: (block) @body) @def.test
  (#eq? @_in "in"))

(import_declaration
  [(identifier) "." (namespace_wildcard) (namespace_selectors) (operator_identifier)]+ @import.from) @import
