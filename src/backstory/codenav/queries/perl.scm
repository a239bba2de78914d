(package_statement name: (package) @name (block) @body) @def.module
(class_statement name: (package) @name (block) @body) @def.class
(role_statement name: (package) @name (block) @body) @def.trait
(package_statement name: (package) @name) @def.module @open.1
(class_statement name: (package) @name) @def.class @open.1
(subroutine_declaration_statement name: (bareword) @name) @def.function
(method_declaration_statement name: (bareword) @name) @def.method
((use_statement module: (package) @_module . [
    (_ . (autoquoted_bareword) @name)
    (_ . "{" . (_ (autoquoted_bareword) @name))]) @def.constant
  (#eq? @_module "constant"))

(source_file (expression_statement (_
  left: [(variable_declaration variable: (_ (varname) @name)) (glob (varname) @name)]
  right: (anonymous_subroutine_expression body: (_) @body))) @def.function)
(source_file (expression_statement [
  (variable_declaration (_ (varname) @name))
  (_ left: (variable_declaration (_ (varname) @name)))]) @def.variable)

((expression_statement (ambiguous_function_call_expression
  function: (function) @_has
  arguments: [(autoquoted_bareword) (string_literal)] @name)) @def.property
  (#eq? @_has "has"))
((expression_statement (ambiguous_function_call_expression
  function: (function) @_around
  arguments: [(autoquoted_bareword) (string_literal)] @name
  arguments: (anonymous_subroutine_expression body: (_) @body))) @def.method
  (#any-of? @_around "around" "before" "after" "override"))
((expression_statement (ambiguous_function_call_expression
  function: (function) @_test
  arguments: (string_literal) @name
  arguments: (anonymous_subroutine_expression body: (_) @body))) @def.test
  (#any-of? @_test "subtest" "describe" "it"))

(use_statement module: (package) @import.name) @import
(require_expression (bareword) @import.name) @import
