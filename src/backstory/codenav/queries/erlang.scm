(spec) @leading
((wild_attribute name: (attr_name (atom) @_attribute) value: (string) @doc) @leading
  (#eq? @_attribute "doc"))
(pp_include file: (_) @import.name) @import
(pp_include_lib file: (_) @import.name) @import
(import_attribute module: (_) @import.name) @import

(module_attribute name: (_) @name) @def.module
(fun_decl clause: (function_clause name: (atom) @name body: (_) @body)) @def.function
(record_decl name: (atom) @name) @def.struct
(record_decl fields: (record_field name: (atom) @name) @def.field)
(type_alias name: (type_name name: (atom) @name)) @def.type
(opaque name: (type_name name: (atom) @name)) @def.type
(callback fun: (atom) @name) @def.function.whole
(pp_define lhs: (macro_lhs name: (_) @name)) @def.macro
