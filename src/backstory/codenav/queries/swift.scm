(modifiers (attribute) @leading)

(protocol_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(class_declaration declaration_kind: "struct" name: (_) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @def.enum
(class_declaration declaration_kind: "extension" name: (user_type . (type_identifier) @name . (type_arguments))) @def.impl
(class_declaration declaration_kind: "extension" name: (_) @name) @def.impl
(class_declaration name: (_) @name) @def.class
(typealias_declaration name: (type_identifier) @name) @def.type
(associatedtype_declaration name: (type_identifier) @name) @def.type
(macro_declaration (simple_identifier) @name definition: (_) @body) @def.macro
(macro_declaration (simple_identifier) @name) @def.macro
(enum_entry name: (simple_identifier) @name) @def.constant
(function_declaration name: [(simple_identifier) (custom_operator) (bang)
  "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "===" "!==" "++" "--" "&" "|" "^" "<<" ">>" "~" "&&" "||" "??"] @name) @def.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) (bang)
  "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "===" "!==" "++" "--" "&" "|" "^" "<<" ">>" "~" "&&" "||" "??"] @name) @def.function
((init_declaration) @def.constructor @name.init)
((protocol_function_declaration "init") @def.constructor @name.init)
((deinit_declaration) @def.method @name.deinit)
((subscript_declaration (computed_property) @body) @def.method @name.subscript)
((subscript_declaration) @def.method @name.subscript)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (protocol_property_requirements) @body) @def.property

(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @def.property)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @def.property)
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @def.property)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (willset_didset_block) @body) @def.field)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.field)
(class_body (property_declaration
  name: (pattern (pattern (simple_identifier) @name))) @def.field)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (willset_didset_block) @body) @def.field)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.field)
(enum_class_body (property_declaration
  name: (pattern (pattern (simple_identifier) @name))) @def.field)
(source_file (property_declaration (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant)
(source_file (property_declaration (value_binding_pattern mutability: "let")
  name: (pattern (pattern (simple_identifier) @name))) @def.constant)
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (willset_didset_block) @body) @def.variable)
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable)

(import_declaration (identifier) @import.name) @import
