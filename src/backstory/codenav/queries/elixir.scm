((unary_operator operator: "@" operand: (call target: (identifier) @_attribute
  (arguments [(string) (sigil)] @doc))) @leading
  (#any-of? @_attribute "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute "doc" "spec" "impl" "deprecated" "since" "tag" "typedoc"))
((call target: (identifier) @_import (arguments . (_) @import.name)) @import
  (#any-of? @_import "use" "import" "alias" "require"))

((call target: (identifier) @_def (arguments . (alias) @name) (do_block
  (unary_operator operand: (call target: (identifier) @_attribute (arguments [(string) (sigil)] @doc)))) @body) @def.module
  (#eq? @_def "defmodule") (#eq? @_attribute "moduledoc"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @def.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block
  (unary_operator operand: (call target: (identifier) @_attribute (arguments [(string) (sigil)] @doc)))) @body) @def.interface
  (#eq? @_def "defprotocol") (#eq? @_attribute "moduledoc"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @def.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def
  (arguments . (alias) @scope (keywords (pair value: (_) @name))) (do_block)? @body) @def.impl
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @name .) (do_block)? @body) @def.impl
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def) @def.struct @name.__struct__
  (#any-of? @_def "defstruct" "defexception"))

((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name operator: "when")])
  (do_block)? @body) @def.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_def (arguments . (binary_operator operator: _ @name)) (do_block)? @body) @def.function
  (#any-of? @_def "def" "defp") (#not-match? @name "^when$"))
((call target: (identifier) @_def (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name operator: "when")])
  (do_block)? @body) @def.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_def (arguments . (binary_operator operator: _ @name)) (do_block)? @body) @def.macro
  (#any-of? @_def "defmacro" "defmacrop") (#not-match? @name "^when$"))
((call target: (identifier) @_def (arguments . (string (quoted_content) @name)) (do_block)? @body) @def.test
  (#any-of? @_def "test" "describe" "property"))

((unary_operator operator: "@" operand: (call target: (identifier) @_type (arguments . [
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)])
    (binary_operator left: (binary_operator left: (call target: (identifier) @name)))]))) @def.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_callback (arguments . [
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)])
    (binary_operator left: (binary_operator left: (call target: (identifier) @name)))]))) @def.function.whole
  (#any-of? @_callback "callback" "macrocallback"))
((unary_operator operator: "@" operand: (call target: (identifier) @name)) @def.constant
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|impl|deprecated|since|tag|moduletag|describetag|type|typep|opaque|callback|macrocallback|optional_callbacks|behaviour|derive|enforce_keys|compile|dialyzer|on_load|before_compile|after_compile|on_definition|external_resource|vsn)$"))
