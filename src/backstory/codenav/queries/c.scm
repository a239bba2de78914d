[(function_definition) (declaration) (type_definition) (field_declaration)] @declared

; a macro with a body: TEST(name) { … }
((expression_statement (call_expression function: (identifier) @name)) @def.function.global
  . (compound_statement) @extend)

(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.constant

(preproc_def name: (identifier) @name) @def.constant
(preproc_function_def name: (identifier) @name value: (_) @body) @def.macro
(preproc_function_def name: (identifier) @name) @def.macro

(preproc_include path: (_) @import.name) @import
