; what JavaScript and TypeScript share
(export_statement declaration: (_) @wrapped) @wrapper
(lexical_declaration . (variable_declarator) @wrapped) @wrapper
(variable_declaration . (variable_declarator) @wrapped) @wrapper
(decorator) @leading
[(arrow_function) (function_expression) (generator_function) (class_static_block)] @local

(export_statement "default" value: (class !name)) @def.class @name.default
(variable_declarator name: (identifier) @name value: (class)) @def.class
(assignment_expression right: (class name: (_) @name)) @def.class
(assignment_expression
  left: [(identifier) @name (member_expression property: (property_identifier) @name)]
  right: (class !name)) @def.class

(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(export_statement "default" value: [
  (arrow_function)
  (function_expression !name)
  (generator_function !name)]) @def.function @name.default
(export_statement "default" value: [
  (function_expression name: (identifier) @name)
  (generator_function name: (identifier) @name)
  (class name: (_) @name)]) @def.function
(export_statement "default" value: [(object) @body (array) (call_expression)]) @def.constant @name.default
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (parenthesized_expression [(arrow_function body: (_) @body) (function_expression body: (_) @body)])]) @def.function
(variable_declarator
  name: (identifier) @name
  value: (call_expression arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @def.function.global
(variable_declarator
  name: (identifier) @name
  value: (assignment_expression right: [
    (arrow_function)
    (function_expression)])) @def.function

(variable_declarator
  name: (identifier) @name
  value: [
    (call_expression function: (parenthesized_expression [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)]))
    (parenthesized_expression (call_expression function: (function_expression body: (_) @body)))]) @def.function
(arguments (function_expression name: (identifier) @name) @def.function)
(return_statement (function_expression name: (identifier) @name) @def.function)
(assignment_expression
  left: (subscript_expression)
  right: (function_expression name: (identifier) @name)) @def.function
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier))
  right: (function_expression name: (identifier) @name)) @def.function
  (#eq? @_module "module"))
((assignment_expression
  left: (member_expression object: (identifier) @scope property: (property_identifier) @name)
  right: [(arrow_function) (function_expression !name)]) @def.function
  (#eq? @scope "module"))

(method_definition ["get" "set"] name: (_) @name) @def.property
(method_definition name: (_) @name) @def.method
(pair
  key: [(property_identifier) (string) (number) (computed_property_name)] @name
  value: [
    (arrow_function)
    (function_expression)
    (generator_function)]) @def.method
(pair key: [(property_identifier) (string)] @name value: (class)) @def.class
(variable_declarator value: [
  (object (pair key: [(property_identifier) (string)] @name) @def.field.global)
  (call_expression arguments: (arguments (object (pair key: [(property_identifier) (string)] @name) @def.field.global)))])
(assignment_expression right:
  (object (pair key: [(property_identifier) (string)] @name) @def.field.global.nested))
(export_statement "default" value: [
  (object (pair key: [(property_identifier) (string)] @name) @def.field.global)
  (call_expression arguments: (arguments (object (pair key: [(property_identifier) (string)] @name) @def.field.global)))])
(pair value: (object (pair key: [(property_identifier) (string)] @name) @def.field.global.nested))

((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @scope property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (assignment_expression right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])]) @def.method
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: (_) @_object property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (assignment_expression right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])]) @def.function
  (#any-of? @_object "exports" "module.exports" "this" "window" "globalThis" "self"))
((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier))] @scope
    property: (property_identifier) @name)
  right: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (assignment_expression right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])]) @def.method
  (#not-match? @scope "^module$"))
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression)]) @def.function
((assignment_expression
  left: (member_expression object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object) @body) @def.impl
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @scope property: (property_identifier) @_prototype)
    property: (property_identifier) @name)) @def.field
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: (_) @_object property: (property_identifier) @name)) @def.variable.global
  (#any-of? @_object "exports" "module.exports"))

((assignment_expression
  left: (member_expression object: (identifier) @scope property: (property_identifier) @name)
  right: [(object) (call_expression) (new_expression) (array)]) @def.variable.global
  (#eq? @scope "module"))

((call_expression
  function: [
    (identifier) @_test
    (member_expression object: (identifier) @_test)
    (call_expression function: (member_expression object: (identifier) @_test))]
  arguments: (arguments . [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @def.test
  (#any-of? @_test "describe" "it" "test" "suite" "context" "specify"))

(import_statement source: (string) @import.name) @import
(export_statement source: (string) @import.name) @import
((variable_declarator
  name: [
    (identifier) @name
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)])]
  value: [
    (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.name .))
    (member_expression object: (call_expression
      function: (identifier) @_require arguments: (arguments . (string) @import.name .)))
    (call_expression function: (call_expression
      function: (identifier) @_require arguments: (arguments . (string) @import.name .)))]) @import
  (#eq? @_require "require"))
((expression_statement (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @import.name .))) @import
  (#eq? @_require "require"))

(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant.global)
(variable_declarator name: (identifier) @name) @def.variable.global
(variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (pair_pattern value: (identifier) @name)
    (rest_pattern (identifier) @name)])
  (array_pattern [(identifier) @name (rest_pattern (identifier) @name)])]) @def.variable.global
