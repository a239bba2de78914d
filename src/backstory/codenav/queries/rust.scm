(attribute_item) @leading

((attribute_item (attribute [(identifier) @_test (scoped_identifier name: (identifier) @_test)]))
  . [(attribute_item) (line_comment) (block_comment)]?
  . [(attribute_item) (line_comment) (block_comment)]?
  . [(attribute_item) (line_comment) (block_comment)]?
  . (function_item name: (identifier) @name) @def.test
  (#eq? @_test "test"))
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name ";" @body) @def.function
(struct_item name: (type_identifier) @name body: (ordered_field_declaration_list) ";" @body) @def.struct
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.constant
(field_declaration name: (field_identifier) @name) @def.field
(trait_item name: (type_identifier) @name) @def.trait
(impl_item) @declared.impl
(mod_item name: (identifier) @name) @def.module
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(macro_definition name: (identifier) @name) @def.macro
(source_file (const_item name: (identifier) @name) @def.constant (#not-match? @name "^_$"))
(declaration_list (const_item name: (identifier) @name) @def.constant (#not-match? @name "^_$"))
(static_item name: (identifier) @name) @def.variable

(use_declaration argument: (_) @import.name) @import
(extern_crate_declaration name: (identifier) @import.name) @import
