(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
((method name: (_) @name) @def.constructor
  (#eq? @name "initialize"))
(method name: (_) @name) @def.function
(singleton_method name: (_) @name) @def.method
((call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) block: (_)) @def.method
  (#eq? @_define "define_method"))

((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)) @def.class
  (#any-of? @_maker "Struct" "Class" "Data" "Module")
  (#any-of? @_new "new" "define"))
(program (assignment left: (constant) @name) @def.constant)
(body_statement (assignment left: (constant) @name) @def.constant)

((call method: (identifier) @_test
  arguments: (argument_list . [(string (string_content) @name) (constant) @name (scope_resolution) @name])
  block: (_)) @def.test
  (#any-of? @_test "describe" "context" "it" "specify" "test" "feature" "scenario"))
