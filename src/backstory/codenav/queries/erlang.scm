(spec) @leading
(fun_decl clause: (function_clause name: (atom) @name)) @def.function
(record_decl name: (atom) @name) @def.struct
(type_alias name: (type_name name: (atom) @name)) @def.type
(opaque name: (type_name name: (atom) @name)) @def.type
(pp_define lhs: (macro_lhs name: (_) @name)) @def.macro
