(class_declaration "interface" (type_identifier) @name) @def.interface
(class_declaration "enum" (type_identifier) @name) @def.enum
(class_declaration (type_identifier) @name) @def.class
(object_declaration (type_identifier) @name) @def.class
(companion_object (type_identifier) @name) @def.class
(type_alias (type_identifier) @name) @def.type
(function_declaration
  receiver: (receiver_type [
    (user_type (type_identifier) @scope)
    (nullable_type (user_type (type_identifier) @scope))])
  (simple_identifier) @name) @def.function
(function_declaration (simple_identifier) @name) @def.function
((secondary_constructor) @def.constructor @name.constructor)
((anonymous_initializer) @def.constructor @name.init)
((source_file (property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name)) @def.constant)
  (#eq? @_const "const"))
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @def.variable)
((class_body (property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name)) @def.constant)
  (#eq? @_const "const"))
(class_body
  (property_declaration (variable_declaration (simple_identifier) @name)) @def.property
  . [(getter) (setter)] @extend)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @def.field)
