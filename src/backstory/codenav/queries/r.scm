(binary_operator lhs: [(identifier) (string) (extract_operator)] @name
  rhs: (function_definition)) @def.function
((binary_operator lhs: (identifier) @name rhs: (call function: (identifier) @_class)) @def.class
  (#any-of? @_class "R6Class" "setRefClass" "setClass"))
(argument name: (identifier) @name value: (function_definition)) @def.method
((program (call function: (identifier) @_class arguments: (arguments . (argument value: (string) @name))) @def.class)
  (#any-of? @_class "setClass" "setRefClass"))
((program (call function: (identifier) @_method arguments: (arguments . (argument value: (string) @name))) @def.method)
  (#any-of? @_method "setMethod" "setGeneric"))
((call function: (identifier) @_test arguments: (arguments . (argument value: (string) @name))) @def.test
  (#any-of? @_test "test_that" "describe" "it"))
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]) @def.constant
  (#match? @name "^[.]?[A-Z][A-Z0-9_.]*$"))
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]) @def.variable)
