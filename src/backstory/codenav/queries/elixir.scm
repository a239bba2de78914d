((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute "doc" "spec" "impl" "deprecated" "since" "tag" "typedoc"))

((call target: (identifier) @_def (arguments . (alias) @name)) @def.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name)) @def.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def
  (arguments . (alias) @scope (keywords (pair value: (alias) @name)))) @def.impl
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def) @def.struct @name.__struct__
  (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)])) @def.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))])) @def.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_def (arguments . (string (quoted_content) @name)) (do_block)) @def.test
  (#any-of? @_def "test" "describe" "property"))
((unary_operator operator: "@" operand: (call target: (identifier) @name)) @def.constant
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|impl|deprecated|since|tag|moduletag|describetag|type|typep|opaque|callback|macrocallback|behaviour|derive|enforce_keys|compile|dialyzer)$"))
((unary_operator operator: "@" operand: (call target: (identifier) @_type
  (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @def.type
  (#any-of? @_type "type" "typep" "opaque"))
