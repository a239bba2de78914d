; Calls: the field tells them.
((unary_operator operator: "@" operand: (_ target: (identifier) @_attribute
  . (_ [(string) (sigil)] @doc))) @leading
  (#any-of? @_attribute "doc" "typedoc"))
((unary_operator operator: "@" operand: (_ target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute "doc" "spec" "impl" "deprecated" "since" "tag" "typedoc"))
((_ target: (identifier) @_import . (_ . (_) @import.name)) @import
  (#any-of? @_import "use" "import" "alias" "require"))

((_ target: [(identifier) @as.module (identifier) @as.interface] . (_ . (alias) @name) . (do_block
  (_ operator: "@" operand: (_ target: (identifier) @_attribute . (_ [(string) (sigil)] @doc)))) @body) @def.module
  (#eq? @as.module "defmodule") (#eq? @as.interface "defprotocol") (#eq? @_attribute "moduledoc"))
((_ target: [(identifier) @as.module (identifier) @as.interface] . (_ . (alias) @name) . (do_block)? @body) @def.module
  (#eq? @as.module "defmodule") (#eq? @as.interface "defprotocol"))
((_ target: (identifier) @_def
  . (_ . (alias) @scope (_ (_ value: (_) @name))) . (do_block)? @body) @def.impl
  (#eq? @_def "defimpl"))
((_ target: (identifier) @_def . (_ . (alias) @name .) . (do_block)? @body) @def.impl
  (#eq? @_def "defimpl"))
((_ target: (identifier) @_def) @def.struct @name.__struct__
  (#any-of? @_def "defstruct" "defexception"))

; all of it in one line
((_ target: [(identifier) @as.function (identifier) @as.macro] (arguments . [
    (identifier) @name
    (_ target: (identifier) @name)
    (_ left: (_ target: (identifier) @name))
    (_ left: (identifier) @name operator: "when")]
    . (keywords . (_ key: (keyword) @_do)) @body)) @def.function
  (#any-of? @as.function "def" "defp" "defn" "defnp")
  (#any-of? @as.macro "defmacro" "defmacrop")
  (#match? @_do "^do:"))
((_ target: [(identifier) @as.function (identifier) @as.macro] . (arguments . [
    (identifier) @name
    (_ target: (identifier) @name)
    (_ left: (_ target: (identifier) @name))
    (_ left: (identifier) @name operator: "when")])
  . (do_block)? @body) @def.function
  (#any-of? @as.function "def" "defp" "defdelegate" "defn" "defnp")
  (#any-of? @as.macro "defmacro" "defmacrop" "defguard" "defguardp"))
((_ target: [(identifier) @as.function (identifier) @as.macro]
  . (arguments . (binary_operator operator: _ @name)) . (do_block)? @body) @def.function
  (#any-of? @as.function "def" "defp") (#any-of? @as.macro "defmacro" "defmacrop") (#not-match? @name "^when$"))
((_ target: (identifier) @_def . (_ . (string) @name) . (do_block)? @body) @def.test
  (#any-of? @_def "test" "describe" "property"))

((unary_operator operator: "@" operand: (_ target: [(identifier) @as.type (identifier) @as.function.whole] . (_ . [
    (_ left: [(identifier) @name (_ target: (identifier) @name)])
    (_ left: (_ left: (_ target: (identifier) @name)))]))) @def.type
  (#any-of? @as.type "type" "typep" "opaque")
  (#any-of? @as.function.whole "callback" "macrocallback"))
((unary_operator operator: "@" operand: (_ target: (identifier) @name)) @def.constant
  (#not-match? @name "^(doc|moduledoc|typedoc|spec|impl|deprecated|since|tag|moduletag|describetag|type|typep|opaque|callback|macrocallback|optional_callbacks|behaviour|derive|enforce_keys|compile|dialyzer|on_load|before_compile|after_compile|on_definition|external_resource|vsn)$"))
