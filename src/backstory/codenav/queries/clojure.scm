((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.namespace @open.1
  (#any-of? @_def "ns"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.function
  (#any-of? @_def "defn" "defn-" "defmulti" "defmethod" "defspec"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.macro
  (#eq? @_def "defmacro"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.struct
  (#any-of? @_def "defrecord" "deftype" "defstruct"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.test
  (#eq? @_def "deftest"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @def.constant
  (#any-of? @_def "def" "defonce"))
