(binary_operator lhs: [(identifier) (string) (extract_operator)] @name operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @def.function
(binary_operator lhs: (function_definition) operator: ["->" "->>"]
  rhs: [(identifier) (string)] @name) @def.function
((binary_operator lhs: (identifier) @name rhs: (call
  function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments) @body)) @def.class
  (#any-of? @_class "R6Class" "setRefClass" "setClass" "new_class" "new_generic"))
((call function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument value: (call function: (identifier) @_list
    arguments: (arguments (argument name: (identifier) @name
      value: (function_definition body: (_) @body)) @def.method)))))
  (#any-of? @_class "R6Class" "setRefClass" "new_class")
  (#any-of? @_list "list" "c"))
((call function: [(identifier) @_class (namespace_operator rhs: (identifier) @_class)]
  arguments: (arguments (argument value: (call function: (identifier) @_list
    arguments: (arguments (argument name: (identifier) @name) @def.field)))))
  (#any-of? @_class "R6Class" "setRefClass" "new_class")
  (#any-of? @_list "list" "c"))
((program (binary_operator rhs: (call function: (identifier) @_list
  arguments: (arguments (argument name: (identifier) @name
    value: (function_definition body: (_) @body)) @def.method))))
  (#eq? @_list "list"))
((program (call function: (identifier) @_class arguments: (arguments . (argument value: (string) @name))) @def.class)
  (#any-of? @_class "setClass" "setRefClass" "setClassUnion"))
((program (call function: (identifier) @_method
  arguments: (arguments . (argument value: (string) @name)
    (argument value: (function_definition body: (_) @body)))) @def.method)
  (#any-of? @_method "setMethod" "setGeneric" "setReplaceMethod" "setValidity"))
((program (call function: (identifier) @_method arguments: (arguments . (argument value: (string) @name))) @def.method)
  (#any-of? @_method "setMethod" "setGeneric" "setReplaceMethod" "setValidity"))
((call function: [(identifier) @_test (namespace_operator rhs: (identifier) @_test)]
  arguments: (arguments . (argument value: (string) @name) (argument) @body)) @def.test
  (#any-of? @_test "test_that" "describe" "it"))
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]) @def.constant
  (#match? @name "^[.]?[A-Z][A-Z0-9_.]*$"))
(program (binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"]) @def.variable)
(program (binary_operator operator: ["->" "->>"] rhs: (identifier) @name) @def.variable)

((call function: (identifier) @_library
  arguments: (arguments . (argument value: [(identifier) (string)] @import.name))) @import
  (#any-of? @_library "library" "require" "requireNamespace" "loadNamespace" "source"))
