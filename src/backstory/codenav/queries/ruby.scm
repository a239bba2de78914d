(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
((method name: (_) @name) @def.constructor
  (#eq? @name "initialize"))
(module body: (body_statement (method name: (_) @name) @def.method))
(singleton_class body: (body_statement (method name: (_) @name) @def.method))
(method name: (_) @name) @def.function
(singleton_method name: (_) @name) @def.method
(alias name: (_) @name) @def.method
((call !receiver method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string . (string_content) .)] @name)) @def.method
  (#any-of? @_define "define_method" "define_singleton_method" "alias_method"))
((call !receiver method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name . (lambda))) @def.method
  (#eq? @_define "scope"))
((call !receiver method: (identifier) @_define
  arguments: (argument_list [(simple_symbol) (string . (string_content) .)] @name)) @def.property
  (#any-of? @_define "attr" "attr_reader" "attr_writer" "attr_accessor" "class_attribute"
    "mattr_reader" "mattr_writer" "mattr_accessor" "cattr_reader" "cattr_writer" "cattr_accessor"
    "thread_mattr_accessor" "attr_internal" "alias_attribute"))
((call method: (identifier) @_sig block: (_)) @leading
  (#eq? @_sig "sig"))

((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)) @def.class
  (#any-of? @_maker "Struct" "Class" "Data")
  (#any-of? @_new "new" "define"))
((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)) @def.module
  (#eq? @_maker "Module")
  (#eq? @_new "new"))
; a text that begins behind the statement belongs to it
((assignment left: [(constant) (scope_resolution)] @name) @def.constant . (heredoc_body) @extend)
(assignment right: (assignment left: (constant) @name)) @def.constant
(assignment left: [(constant) (scope_resolution)] @name) @def.constant
(assignment left: (left_assignment_list (constant) @name)) @def.constant
(operator_assignment left: [(constant) (scope_resolution)] @name) @def.constant

((program (assignment left: [(identifier) (global_variable) (instance_variable)] @name) @def.variable . (heredoc_body) @extend))
(program (assignment left: [(identifier) (global_variable) (instance_variable)] @name) @def.variable)
(program (assignment left: (left_assignment_list (identifier) @name)) @def.variable)
(class body: (body_statement
  (assignment left: [(class_variable) (instance_variable)] @name) @def.field))
(module body: (body_statement
  (assignment left: [(class_variable) (instance_variable)] @name) @def.field))
(class body: (body_statement
  (operator_assignment left: [(class_variable) (instance_variable)] @name) @def.field))

((call method: (identifier) @_test
  arguments: (argument_list . [(string) (constant) (scope_resolution) (simple_symbol)] @name)
  block: (_)) @def.test
  (#any-of? @_test "describe" "context" "it" "specify" "test" "feature" "scenario" "example"
    "shared_examples" "shared_examples_for" "shared_context" "xit" "xdescribe" "fit" "fdescribe"))
((call !receiver method: (identifier) @_space arguments: (argument_list . (_) @name) block: (_)) @def.namespace
  (#eq? @_space "namespace"))
((call !receiver method: (identifier) @_task
  arguments: (argument_list . [(simple_symbol) @name (string) @name (pair key: (_) @name)])) @def.function
  (#any-of? @_task "task" "multitask" "rule"))
((call !receiver method: (identifier) @_desc
  arguments: (argument_list . (string (string_content) @doc))) @leading
  (#eq? @_desc "desc"))

((call !receiver method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @import.name))) @import
  (#any-of? @_require "require" "require_relative" "load" "require_dependency"))
((call method: (identifier) @_require
  arguments: (argument_list . (simple_symbol) . (string (string_content) @import.name))) @import
  (#eq? @_require "autoload"))
