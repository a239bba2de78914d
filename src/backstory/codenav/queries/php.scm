(attribute_list) @leading

(namespace_definition name: (namespace_name) @name body: (_)) @def.namespace
(namespace_definition name: (namespace_name) @name !body) @def.namespace @open.1
(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(function_definition name: (name) @name) @def.function
((method_declaration name: (name) @name) @def.constructor
  (#eq? @name "__construct"))
(method_declaration name: (name) @name) @def.method
(enum_case name: (name) @name) @def.constant
(const_declaration (const_element . (name) @name)) @def.constant
((function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))) @def.constant
  (#eq? @_define "define"))
(property_declaration (property_element name: (variable_name (name) @name)) (property_hook_list)) @def.property
(property_declaration (property_element name: (variable_name (name) @name))) @def.field
(property_promotion_parameter name: (variable_name (name) @name)) @def.field
(property_promotion_parameter name: (by_ref (variable_name (name) @name))) @def.field

(expression_statement (assignment_expression
  left: (variable_name (name) @name)
  right: [
    (anonymous_function body: (_) @body)
    (object_creation_expression (anonymous_class body: (_) @body))])) @def.function
(program (expression_statement (assignment_expression
  left: (variable_name (name) @name) right: (arrow_function body: (_) @body))) @def.function)
(program (expression_statement (assignment_expression left: (variable_name (name) @name))) @def.variable)
(program (expression_statement (reference_assignment_expression left: (variable_name (name) @name))) @def.variable)
(program (expression_statement (assignment_expression
  left: (list_literal (variable_name (name) @name)))) @def.variable)
(namespace_definition body: (compound_statement
  (expression_statement (assignment_expression left: (variable_name (name) @name))) @def.variable))

((function_call_expression
  function: (name) @_test
  arguments: (arguments . (argument [(string) (encapsed_string)] @name)
    . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))) @def.test
  (#any-of? @_test "test" "it" "describe"))

(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import.name)) @import
(namespace_use_declaration (namespace_name) @import.from . "\\" @import.from
  body: (namespace_use_group (namespace_use_clause . (_) @import.name))) @import
(expression_statement [
  (require_once_expression (_) @import.name)
  (require_expression (_) @import.name)
  (include_expression (_) @import.name)
  (include_once_expression (_) @import.name)]) @import
