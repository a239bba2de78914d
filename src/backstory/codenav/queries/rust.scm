(attribute_item) @leading

((attribute_item (attribute [(identifier) @_test (scoped_identifier name: (identifier) @_test)]))
  . (function_item name: (identifier) @name) @def.test
  (#eq? @_test "test"))
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(trait_item name: (type_identifier) @name) @def.trait
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (reference_type type: (_) @name)
  (array_type) @name
  (tuple_type) @name
  (dynamic_type) @name]) @def.impl
(mod_item name: (identifier) @name body: (_)) @def.module
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(macro_definition name: (identifier) @name) @def.macro
(source_file (const_item name: (identifier) @name) @def.constant)
(declaration_list (const_item name: (identifier) @name) @def.constant)
(source_file (static_item name: (identifier) @name) @def.variable)
(declaration_list (static_item name: (identifier) @name) @def.variable)
