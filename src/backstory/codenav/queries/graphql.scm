(object_type_definition (name) @name) @def.class
(object_type_extension (name) @name) @def.class
(input_object_type_definition (name) @name) @def.struct
(interface_type_definition (name) @name) @def.interface
(enum_type_definition (name) @name) @def.enum
(union_type_definition (name) @name) @def.type
(scalar_type_definition (name) @name) @def.type
(directive_definition (name) @name) @def.macro
(operation_definition (name) @name) @def.function
(fragment_definition (fragment_name) @name) @def.function
(field_definition . (name) @name) @def.field
