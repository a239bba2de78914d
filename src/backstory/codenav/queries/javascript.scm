(export_statement (decorator) declaration: (class_declaration name: (identifier) @name)) @def.class
(class_declaration name: (identifier) @name) @def.class
(export_statement "default" value: (class !name) @def.class @name.default)
(variable_declarator name: (identifier) @name value: (class)) @def.class

(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(export_statement "default" value: [(arrow_function) (function_expression !name)] @def.function @name.default)
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(program [
  (lexical_declaration (variable_declarator
    name: (identifier) @name
    value: (call_expression arguments: (arguments [(arrow_function) (function_expression)]))) @def.function)
  (export_statement (lexical_declaration (variable_declarator
    name: (identifier) @name
    value: (call_expression arguments: (arguments [(arrow_function) (function_expression)]))) @def.function))])

((method_definition name: (property_identifier) @name) @def.constructor
  (#eq? @name "constructor"))
(method_definition ["get" "set"] name: (_) @name) @def.property
(method_definition name: (_) @name) @def.method
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @def.method
(field_definition property: (_) @name) @def.field
(pair key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.method

((assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @scope property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @def.method
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: (_) @_object property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @def.function
  (#any-of? @_object "exports" "module.exports" "this" "window" "globalThis" "self"))
(assignment_expression
  left: (member_expression object: (identifier) @scope property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @def.method

((call_expression
  function: [
    (identifier) @_test
    (member_expression object: (identifier) @_test)
    (call_expression function: (member_expression object: (identifier) @_test))]
  arguments: (arguments . [(string (string_fragment) @name) (template_string (string_fragment) @name)]
    [(arrow_function) (function_expression)])) @def.test
  (#any-of? @_test "describe" "it" "test" "suite" "context" "specify"))

((variable_declarator
  name: (identifier) @name
  value: (call_expression function: (identifier) @_require)) @import
  (#eq? @_require "require"))
(program [
  (lexical_declaration "const" (variable_declarator name: (identifier) @name) @def.constant)
  (export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name) @def.constant))])
(program [
  (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable))
  (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))])
