(block (_ . (content) @doc) @leading)
(source_file (_ . (content) @doc) @leading)
(macrocall_expression (macro_argument_list . [
  (struct_definition) (function_definition) (assignment) (const_statement) (macrocall_expression)] @wrapped .)) @wrapper

(module_definition name: (identifier) @name) @def.module
(struct_definition (type_head [
  (identifier) @name
  (_ . [(identifier) @name (_ . (identifier) @name . (curly_expression))])]) (block)? @body) @def.struct
(struct_definition (block [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (const_statement [(identifier) @name (_ . (identifier) @name . "::")])
  (_ . [(identifier) @name (_ . (identifier) @name . "::")] . (operator))] @def.field))
(_ (type_head [
  (identifier) @name
  (_ . [(identifier) @name (_ . (identifier) @name . (curly_expression))])])) @def.type
; a call, also with a type and a where behind it
(function_definition (signature [
  (identifier) @name
  (_ . [(_ . (identifier) @name . (curly_expression)) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name] . (argument_list))
  (_ . (_ . [(_ . (identifier) @name . (curly_expression)) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name] . (argument_list)) . ["::" "where"])
  (_ . (_ . (_ . [(_ . (identifier) @name . (curly_expression)) [(identifier) (field_expression) (operator) (parenthesized_expression)] @name] . (argument_list)) . ["::" "where"]) . "where")]) (block)? @body) @def.function
(assignment . [
  (_ . [(_ . (identifier) @name . (curly_expression)) [(identifier) (field_expression) (operator)] @name] . (argument_list))
  (_ . (_ . [(_ . (identifier) @name . (curly_expression)) [(identifier) (field_expression) (operator)] @name] . (argument_list)) . ["::" "where"])
  (_ . (_ . (_ . [(_ . (identifier) @name . (curly_expression)) [(identifier) (field_expression) (operator)] @name] . (argument_list)) . ["::" "where"]) . "where")] . (operator) @body) @def.function
(macro_definition (signature (_ . (_) @name)) (block)? @body) @def.macro
(const_statement (_ . [
  [(identifier) (operator)] @name
  (_ . (identifier) @name . ["::" (curly_expression)])
  (open_tuple (identifier) @name)])) @def.constant
(source_file (assignment . (identifier) @name
  [(arrow_function_expression) (_ "function" (block) @body)]) @def.function)
(module_definition (_ (assignment . (identifier) @name
  [(arrow_function_expression) (_ "function" (block) @body)]) @def.function))
(source_file (assignment . [(identifier) @name (_ . (identifier) @name . "::") (open_tuple (identifier) @name)]) @def.variable)
(module_definition (_ (assignment . [(identifier) @name (_ . (identifier) @name . "::") (open_tuple (identifier) @name)]) @def.variable))
(source_file (_ . "global" (_ . (identifier) @name . (operator))) @def.variable)
(module_definition (_ (_ . "global" (_ . (identifier) @name . (operator))) @def.variable))
((_ . (macro_identifier (identifier) @_enum)
  . (_ . [(identifier) @name (_ . (identifier) @name . "::")])) @def.enum
  (#eq? @_enum "enum"))
((_ . (macro_identifier (identifier) @_enum)
  . (_ . (_) [
    (identifier) @name
    (_ . (identifier) @name . (operator))
    (_ (block [(identifier) @name (_ . (identifier) @name . (operator))]))] @def.constant))
  (#eq? @_enum "enum"))
((_ . (macro_identifier (identifier) @_test)
  . (_ . (string_literal) @name . (_) @body)) @def.test
  (#any-of? @_test "testset" "testitem"))

(using_statement (_) @import.name) @import
(import_statement (_) @import.name) @import
((call_expression . (identifier) @_include . (_ . (_ . (content) @import.name))) @import
  (#eq? @_include "include"))
