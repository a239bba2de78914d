; what JavaScript and TypeScript share
(export_statement declaration: (_) @wrapped) @wrapper
(lexical_declaration kind: "let" . (variable_declarator) @wrapped) @wrapper
(variable_declaration . (variable_declarator) @wrapped) @wrapper
(assignment_expression right: (assignment_expression) @wrapped) @wrapper
(variable_declarator value: (assignment_expression) @wrapped) @wrapper
(decorator) @leading
[(arrow_function) (function_expression) (generator_function) (class_static_block)] @local

(export_statement "default" value: (class !name)) @def.class @name.default
(variable_declarator name: (identifier) @name value: (class)) @def.class
(assignment_expression right: (_ "class" . name: (_) @name)) @def.class
(expression_statement . (_
  . left: [(identifier) @name (_ property: (property_identifier) @name)]
  . "=" . right: (class !name)) @def.class)

(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(export_statement "default" value: [
  (arrow_function)
  (function_expression !name)
  (generator_function !name)]) @def.function @name.default
(export_statement "default" value: (_ ["function" "class"] name: (_) @name)) @def.function
(export_statement "default" value: [(object) @body (array) (call_expression)]) @def.constant @name.default
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function)
    (function_expression)
    (generator_function)
    (_ . "(" . (_ ["=>" "function"] body: (_) @body))]) @def.function
(variable_declarator
  name: (identifier) @name
  value: (_ . function: (_) arguments: (_ . (_ ["=>" "function"] body: (_) @body)))) @def.function.global
(variable_declarator
  name: (identifier) @name
  value: (_ . left: (_) . "=" . right: [(arrow_function) (function_expression)])) @def.function

(variable_declarator
  name: (identifier) @name
  value: [
    (_ . function: (_ . "(" . (_ ["=>" "function"] body: (_) @body)))
    (_ . "(" . (_ . function: (_ "function" body: (_) @body)))]) @def.function
(arguments (function_expression name: (identifier) @name) @def.function)
(return_statement (_ "function" . name: (identifier) @name) @def.function)
(expression_statement . (_
  . left: (subscript_expression)
  . "=" . right: (_ "function" . name: (identifier) @name)) @def.function)
((expression_statement . (_
  . left: [(_ . object: (identifier) @_module property: (_)) (identifier) @_exports]
  . "=" . right: [
    (_ "function" . name: (identifier) @name)
    (_ . left: (_) . "=" . right: (_ "function" . name: (identifier) @name))]) @def.function)
  (#eq? @_module "module")
  (#eq? @_exports "exports"))
((expression_statement . (_
  . left: (_ . object: (identifier) @scope property: (property_identifier) @name)
  . "=" . right: [(arrow_function) (function_expression !name)]) @def.function)
  (#eq? @scope "module"))

((call_expression function: (_ . object: (identifier) @_object . property: (_)) arguments: (_ . (_) . (string) . (object))) @declared.defined
  (#eq? @_object "Object"))

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
  (_ (pair key: [(property_identifier) (string)] @name) @def.field.global)
  (_ . function: (_) arguments: (_ (_ (pair key: [(property_identifier) (string)] @name) @def.field.global)))])
(assignment_expression right:
  (_ (pair key: [(property_identifier) (string)] @name) @def.field.global.nested))
(export_statement "default" value: [
  (_ (pair key: [(property_identifier) (string)] @name) @def.field.global)
  (_ . function: (_) arguments: (_ (_ (pair key: [(property_identifier) (string)] @name) @def.field.global)))])
(pair value: (_ (pair key: [(property_identifier) (string)] @name) @def.field.global.nested))

((assignment_expression
  left: [
    (_ . object: (_ . object: (_) @scope property: (property_identifier) @_prototype)
      property: (property_identifier) @name @as.method)
    (_ . object: (_) @_exports property: (property_identifier) @name)
    (_ . object: [(identifier) (_ . object: [(identifier) (_ . object: (identifier))])] @scope @_other
      property: (property_identifier) @name @as.method)]
  right: [
    (_ ["=>" "function"])
    (_ right: (_ ["=>" "function"] body: (_) @body))]) @def.function
  (#eq? @_prototype "prototype")
  (#any-of? @_exports "exports" "module.exports" "this" "window" "globalThis" "self")
  (#not-match? @_other "^(module|exports|module\\.exports|window|globalThis|self)$|\\.prototype$"))
((assignment_expression left: (identifier) @name right: (_ ["=>" "function"])) @def.function
  (#not-match? @name "^exports$"))
((assignment_expression
  left: (_ . object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object) @body) @def.impl
  (#eq? @_prototype "prototype"))
((assignment_expression left: [
  (_ . object: (_ . object: (_) @scope property: (property_identifier) @_prototype)
    property: (property_identifier) @name @as.field)
  (_ . object: (_) @_exports property: (property_identifier) @name)]) @def.variable.global
  (#eq? @_prototype "prototype")
  (#any-of? @_exports "exports" "module.exports"))

((expression_statement . (_
  . left: (_ . object: (identifier) @scope property: (property_identifier) @name)
  . "=" . right: [(object) (call_expression) (new_expression) (array)]) @def.variable.global)
  (#eq? @scope "module"))

((call_expression
  function: [
    (identifier) @_test
    (_ . object: (identifier) @_test)
    (_ . function: (_ . object: (identifier) @_test))]
  arguments: (_ . [(string) (template_string)] @name
    (_ ["=>" "function"] body: (_) @body))) @def.test
  (#any-of? @_test "describe" "it" "test" "suite" "context" "specify"))

(import_statement source: (string) @import.name) @import
(export_statement source: (string) @import.name) @import
((variable_declarator
  name: [
    (identifier) @name
    (_ [
      (shorthand_property_identifier_pattern) @name
      (_ value: (identifier) @name)])]
  value: [
    (_ . function: (identifier) @_require . arguments: (_ . (string) @import.name .))
    (_ . object: (_ . function: (identifier) @_require . arguments: (_ . (string) @import.name .)))
    (_ . function: (_ . function: (identifier) @_require . arguments: (_ . (string) @import.name .)))]) @import
  (#eq? @_require "require"))
((expression_statement . (_
  . function: (identifier) @_require . arguments: (_ . (string) @import.name .))) @import
  (#eq? @_require "require"))

(lexical_declaration kind: "const" . (variable_declarator name: (identifier) @name) @def.constant.global @wrapped) @wrapper
(lexical_declaration kind: "const" (variable_declarator) . (variable_declarator name: (identifier) @name) @def.constant.global)
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable.global)
(variable_declaration (variable_declarator name: (identifier) @name) @def.variable.global)
(ERROR (variable_declarator name: (identifier) @name) @def.variable.global)
(lexical_declaration kind: "const" . (variable_declarator name: [(object_pattern) (array_pattern)]) @declared.bound_constant @wrapped) @wrapper
(lexical_declaration kind: "const" (variable_declarator) . (variable_declarator name: [(object_pattern) (array_pattern)]) @declared.bound_constant)
(variable_declarator name: [(object_pattern) (array_pattern)]) @declared.bound
