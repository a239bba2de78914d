(function_statement (function_name) @name (script_block) @body) @def.function
(function_statement (function_name) @name) @def.function
(class_statement . (simple_name) @name) @def.class
((class_statement . (simple_name) @_class (class_method_definition . (simple_name) @name (script_block) @body) @def.constructor)
  (#eq? @name @_class))
((class_statement . (simple_name) @_class (class_method_definition . (simple_name) @name) @def.constructor)
  (#eq? @name @_class))
(class_method_definition (simple_name) @name (script_block) @body) @def.method
(class_method_definition (simple_name) @name) @def.method
(class_property_definition (variable) @name) @def.field
(enum_statement . (simple_name) @name) @def.enum
(enum_member . (simple_name) @name) @def.constant
((program (statement_list (pipeline (assignment_expression (left_assignment_expression) @name)) @def.variable))
  (#match? @name "^[$](script:|global:)?[A-Za-z_][A-Za-z0-9_]*$"))
(program (statement_list (pipeline (assignment_expression
  (left_assignment_expression (logical_expression (bitwise_expression (comparison_expression
    (additive_expression (multiplicative_expression (format_expression (range_expression
      (array_literal_expression (unary_expression (expression_with_unary_operator
        (cast_expression (type_literal) (unary_expression (variable) @name))))))))))))))) @def.variable))

((command command_name: (command_name) @_test
  command_elements: (command_elements
    . (command_argument_sep) . (array_literal_expression (unary_expression (string_literal) @name))
    (array_literal_expression (unary_expression (script_block_expression) @body)) .)) @def.test
  (#any-of? @_test "Describe" "Context" "It"))

((command command_name: (command_name) @_import
  command_elements: (command_elements (generic_token) @import.name .)) @import
  (#any-of? @_import "Import-Module" "using"))
(command (command_invokation_operator "." ) command_name: (command_name_expr) @import.name) @import
