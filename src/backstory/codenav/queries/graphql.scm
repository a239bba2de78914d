(description) @leading

(object_type_definition (description (_) @doc)? (name) @name (fields_definition)? @body) @def.class
(object_type_extension (name) @name (fields_definition)? @body) @def.class
(input_object_type_definition (description (_) @doc)? (name) @name (input_fields_definition)? @body) @def.struct
(input_object_type_extension (name) @name (input_fields_definition)? @body) @def.struct
(interface_type_definition (description (_) @doc)? (name) @name (fields_definition)? @body) @def.interface
(interface_type_extension (name) @name (fields_definition)? @body) @def.interface
(enum_type_definition (description (_) @doc)? (name) @name (enum_values_definition)? @body) @def.enum
(enum_type_extension (name) @name (enum_values_definition)? @body) @def.enum
(union_type_definition (description (_) @doc)? (name) @name) @def.type
(union_type_extension (name) @name) @def.type
(scalar_type_definition (description (_) @doc)? (name) @name) @def.type
(scalar_type_extension (name) @name) @def.type
(directive_definition (description (_) @doc)? (name) @name) @def.macro
((schema_definition (description (_) @doc)?) @def.namespace @name.schema)
(operation_definition (name) @name (selection_set) @body) @def.function
(operation_definition . (operation_type) @name . (variable_definitions)? . (directives)? . (selection_set) @body) @def.function
(fragment_definition (fragment_name) @name (selection_set) @body) @def.function
(field_definition (description (_) @doc)? . (name) @name) @def.field
(input_fields_definition (input_value_definition (description (_) @doc)? (name) @name) @def.field)
(enum_value_definition (description (_) @doc)? (enum_value) @name) @def.constant
