(protocol_declaration name: (type_identifier) @name) @def.interface
(class_declaration declaration_kind: "struct" name: (_) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @def.enum
(class_declaration declaration_kind: "extension" name: (_) @name) @def.impl
(class_declaration name: (_) @name) @def.class
(typealias_declaration name: (type_identifier) @name) @def.type
(function_declaration name: (simple_identifier) @name) @def.function
(protocol_function_declaration name: (simple_identifier) @name) @def.function
((init_declaration) @def.constructor @name.init)
((deinit_declaration) @def.method @name.deinit)
((subscript_declaration) @def.method @name.subscript)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.field
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)) @def.property
(source_file (property_declaration (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant)
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.field)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.field)
