((assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (string_content) @import.name))) @import))
  (#eq? @_require "require"))
((function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (string_content) @import.name))) @import
  (#any-of? @_require "require" "dofile"))

(function_declaration name: (identifier) @name) @def.function
(function_declaration name: (dot_index_expression) @name) @def.function
(function_declaration name: (method_index_expression) @name) @def.method
(variable_declaration (assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition body: (_) @body)))) @def.function
(variable_declaration (assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition)))) @def.function
(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition body: (_) @body))) @def.function
(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition))) @def.function
(field name: [(identifier) @name (string content: (string_content) @name)]
  value: (function_definition body: (_) @body)) @def.method
(field name: [(identifier) @name (string content: (string_content) @name)]
  value: (function_definition)) @def.method

(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @def.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement (variable_list name: [(identifier) (dot_index_expression)] @name)) @def.variable)

((function_call name: (identifier) @_test
  arguments: (arguments . (string content: (string_content) @name) . (function_definition body: (_) @body))) @def.test
  (#any-of? @_test "describe" "it" "context" "test"))
