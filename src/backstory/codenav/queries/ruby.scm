(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
((method name: (_) @name) @def.constructor
  (#eq? @name "initialize"))
(module body: (_ (method name: (_) @name) @def.method))
(singleton_class body: (_ (method name: (_) @name) @def.method))
(method name: (_) @name) @def.function
(program (singleton_method object: [(constant) (identifier)] @scope name: (_) @name) @def.method)
(singleton_method name: (_) @name) @def.method
(alias name: (_) @name) @def.method
; Calls: `(_ method:` is one, and each `(call` would take 5 ms to analyse.
((_ method: (identifier) @first
  . arguments: (_ . [(simple_symbol) (string . (string_content) .)] @name)) @def.method
  (#any-of? @first "define_method" "define_singleton_method" "alias_method"))
((_ method: (identifier) @first
  . arguments: (_ . (simple_symbol) @name . (lambda))) @def.method
  (#eq? @first "scope"))
((_ method: (identifier) @first
  . arguments: (_ [(simple_symbol) (string . (string_content) .)] @name)) @def.property
  (#any-of? @first "attr" "attr_reader" "attr_writer" "attr_accessor" "class_attribute"
    "mattr_reader" "mattr_writer" "mattr_accessor" "cattr_reader" "cattr_writer" "cattr_accessor"
    "thread_mattr_accessor" "attr_internal" "alias_attribute"))

((assignment left: (constant) @name
  right: (_ receiver: [(constant) @as.class (constant) @as.module] method: (identifier) @_new)) @def.class
  (#any-of? @as.class "Struct" "Class" "Data")
  (#eq? @as.module "Module")
  (#any-of? @_new "new" "define"))
; a text that begins behind the statement belongs to it
((assignment left: (_) @name) @def.constant . (heredoc_body) @extend
  (#match? @name "^(::)?[A-Z][A-Za-z0-9_:]*$"))
(assignment [
  right: (_ . left: (constant) @name . "=")
  left: [(constant) @name (scope_resolution) @name (left_assignment_list (constant) @name)]]) @def.constant
((operator_assignment left: (_) @name) @def.constant
  (#match? @name "^(::)?[A-Z][A-Za-z0-9_:]*$"))

((program (_ . left: [(identifier) (global_variable) (instance_variable)] @name . "=") @def.variable . (heredoc_body) @extend))
(program (_ . left: [(identifier) (global_variable) (instance_variable)] @name . "=") @def.variable)
(program (_ . left: (left_assignment_list (identifier) @name)) @def.variable)
(class body: (_
  (_ . left: [(class_variable) (instance_variable)] @name . ["=" "||=" "&&=" "+="]) @def.field))
(module body: (_
  (_ . left: [(class_variable) (instance_variable)] @name . "=") @def.field))

((_ method: (identifier) @_test
  . arguments: (_ . [(string) (constant) (scope_resolution) (simple_symbol)] @name)
  block: (_)) @def.test
  (#any-of? @_test "describe" "context" "it" "specify" "test" "feature" "scenario" "example"
    "shared_examples" "shared_examples_for" "shared_context" "xit" "xdescribe" "fit" "fdescribe"))
((_ method: (identifier) @first . arguments: (_ . (_) @name) . block: (_)) @def.namespace
  (#eq? @first "namespace"))
((_ method: (identifier) @first
  . arguments: (_ . [(simple_symbol) @name (string) @name (pair key: (_) @name)])) @def.function
  (#any-of? @first "task" "multitask" "rule"))
((_ method: (identifier) @first . [arguments: (_ . (string (string_content) @doc)) block: (_)]) @leading
  (#any-of? @first "desc" "sig"))

((_ method: (identifier) @first
  . arguments: (_ . (simple_symbol)? . (string (string_content) @import.name))) @import
  (#any-of? @first "require" "require_relative" "load" "require_dependency" "autoload"))
