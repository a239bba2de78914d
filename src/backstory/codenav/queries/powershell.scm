(function_statement (function_name) @name) @def.function
(class_statement . (simple_name) @name) @def.class
(enum_statement . (simple_name) @name) @def.enum
(class_method_definition (simple_name) @name) @def.method
(class_property_definition (variable) @name) @def.field
(program (statement_list (pipeline (assignment_expression
  (left_assignment_expression (logical_expression (bitwise_expression (comparison_expression
    (additive_expression (multiplicative_expression (format_expression (range_expression
      (array_literal_expression (unary_expression (variable) @name))))))))))) @def.variable)))
