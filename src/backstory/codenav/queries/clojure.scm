; documentation between the name and the arguments is no part of the signature
((list_lit . (sym_lit name: (sym_name) @_def) . (_) . (str_lit) @comment)
  (#match? @_def "^def|^ns$"))
((list_lit . (sym_lit name: (sym_name) @_def) . (_) . (str_lit)? . (map_lit) @comment)
  (#any-of? @_def "defn" "defn-" "defmacro" "ns" "defmulti"))

((list_lit . (kwd_lit name: (kwd_name) @_import) [
    (sym_lit) @import.name
    (vec_lit . (sym_lit) @import.name)
    (list_lit . (sym_lit) @import.name)]) @import
  (#any-of? @_import "require" "use" "import" "require-macros" "use-macros"))
((source (list_lit . (sym_lit name: (sym_name) @_import) (quoting_lit [
    (sym_lit) @import.name
    (vec_lit . (sym_lit) @import.name)
    (list_lit . (sym_lit) @import.name)])) @import)
  (#any-of? @_import "require" "use" "import"))

((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (str_lit) @doc @body) @def.namespace @open.1
  (#eq? @_def "ns"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (_) @body) @def.namespace @open.1
  (#eq? @_def "ns"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.namespace @open.1
  (#eq? @_def "ns"))

; the signature goes to the end of the arguments; of several, to the first
((list_lit . (sym_lit name: [(sym_name) @as.function (sym_name) @as.macro]) . (sym_lit name: (sym_name) @name) . (str_lit)? @doc
    (vec_lit) . (_) @body) @def.function
  (#any-of? @as.function "defn" "defn-") (#eq? @as.macro "defmacro"))
((list_lit . (sym_lit name: [(sym_name) @as.function (sym_name) @as.macro]) . (sym_lit name: (sym_name) @name) . (str_lit)? @doc
    (list_lit . (vec_lit)) @body) @def.function
  (#any-of? @as.function "defn" "defn-") (#eq? @as.macro "defmacro"))
((list_lit . (sym_lit name: [(sym_name) @as.function (sym_name) @as.macro]) . (sym_lit name: (sym_name) @name) . (str_lit)? @doc) @def.function
  (#any-of? @as.function "defn" "defn-" "defmulti" "defspec") (#eq? @as.macro "defmacro"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) (vec_lit) . (_) @body) @def.function
  (#eq? @_def "defmethod"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.function
  (#eq? @_def "defmethod"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (str_lit) @doc @body) @def.interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (_) @body) @def.interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @def.struct
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.struct
  (#any-of? @_def "defrecord" "deftype" "defstruct"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (_) @body) @def.impl
  (#any-of? @_def "extend-type" "extend-protocol"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (_) @body) @def.test
  (#eq? @_def "deftest"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.test
  (#eq? @_def "deftest"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (str_lit)? @doc . (_)) @def.constant
  (#any-of? @_def "def" "defonce"))
((list_lit . (sym_lit name: (sym_name) @_def) . [(sym_lit name: (sym_name) @name) (kwd_lit) @name]) @def.constant
  (#any-of? @_def "def" "defonce"))
((source (list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.variable)
  (#match? @_def "^def[a-z]*(-[a-z]+)*$") (#not-match? @_def "^(default|defer)"))

((list_lit . (sym_lit name: (sym_name) @_def)
  (list_lit . (sym_lit name: (sym_name) @name) (str_lit)? @doc .) @def.method)
  (#eq? @_def "defprotocol"))
((list_lit . (sym_lit name: (sym_name) @_def)
  (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @def.method)
  (#any-of? @_def "defrecord" "deftype" "extend-type" "extend-protocol"))
((list_lit . (sym_lit name: (sym_name) @_def)
  (list_lit . (sym_lit name: (sym_name) @name)) @def.method)
  (#any-of? @_def "defprotocol" "definterface" "defrecord" "deftype" "extend-type" "extend-protocol"))
