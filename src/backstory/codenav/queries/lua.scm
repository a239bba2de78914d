(function_declaration name: (identifier) @name) @def.function
(function_declaration name: (dot_index_expression) @name) @def.function
(function_declaration name: (method_index_expression) @name) @def.method
(assignment_statement
  (variable_list . name: (_) @name)
  (expression_list . value: (function_definition))) @def.function
(field name: (identifier) @name value: (function_definition)) @def.method
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)) @def.variable))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.variable)
