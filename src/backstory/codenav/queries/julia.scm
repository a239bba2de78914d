(block (string_literal (content) @doc) @leading)
(source_file (string_literal (content) @doc) @leading)
(macrocall_expression (macro_argument_list . [
  (struct_definition) (function_definition) (assignment) (const_statement) (macrocall_expression)] @wrapped .)) @wrapper

(module_definition name: (identifier) @name) @def.module
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))]) (block) @body) @def.struct
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))])) @def.struct
(struct_definition (block [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (const_statement [(identifier) @name (typed_expression . (identifier) @name)])
  (assignment . [(identifier) @name (typed_expression . (identifier) @name)])] @def.field))
(_ (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))])) @def.type
(function_definition (signature [
  (identifier) @name
  (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name])
  (typed_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name]))
  (where_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name]))
  (where_expression . (typed_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name])))
  (where_expression . (where_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name])))]) (block) @body) @def.function
(function_definition (signature [
  (identifier) @name
  (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name])
  (typed_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name]))
  (where_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name]))
  (where_expression . (typed_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name])))
  (where_expression . (where_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name])))])) @def.function
(assignment . [
  (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator)] @name])
  (typed_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator)] @name]))
  (where_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator)] @name]))
  (where_expression . (typed_expression . (call_expression . [(parametrized_type_expression . (identifier) @name) [(identifier) (field_expression) (operator)] @name])))
  ] (operator) @body) @def.function
(macro_definition (signature (call_expression . (_) @name)) (block) @body) @def.macro
(macro_definition (signature (call_expression . (_) @name))) @def.macro
(const_statement (assignment . [
  [(identifier) (operator)] @name
  (typed_expression . (identifier) @name)
  (open_tuple (identifier) @name)
  (parametrized_type_expression . (identifier) @name)])) @def.constant
(source_file (assignment . (identifier) @name
  [(arrow_function_expression) (function_definition (block) @body)]) @def.function)
(module_definition (block (assignment . (identifier) @name
  [(arrow_function_expression) (function_definition (block) @body)]) @def.function))
(source_file (assignment . [(identifier) @name (typed_expression . (identifier) @name) (open_tuple (identifier) @name)]) @def.variable)
(module_definition (block (assignment . [(identifier) @name (typed_expression . (identifier) @name) (open_tuple (identifier) @name)]) @def.variable))
(source_file (global_statement (assignment . (identifier) @name)) @def.variable)
(module_definition (block (global_statement (assignment . (identifier) @name)) @def.variable))
((macrocall_expression (macro_identifier (identifier) @_enum)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])) @def.enum
  (#eq? @_enum "enum"))
((macrocall_expression (macro_identifier (identifier) @_enum)
  (macro_argument_list . (_) [
    (identifier) @name
    (assignment . (identifier) @name)
    (compound_statement (block [(identifier) @name (assignment . (identifier) @name)]))] @def.constant))
  (#eq? @_enum "enum"))
((macrocall_expression (macro_identifier (identifier) @_test)
  (macro_argument_list . (string_literal) @name . (_) @body)) @def.test
  (#any-of? @_test "testset" "testitem"))

(using_statement (_) @import.name) @import
(import_statement (_) @import.name) @import
((call_expression . (identifier) @_include
  (argument_list . (string_literal (content) @import.name))) @import
  (#eq? @_include "include"))
