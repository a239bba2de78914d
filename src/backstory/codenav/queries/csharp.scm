(file_scoped_namespace_declaration name: (_) @name) @def.namespace @open.1
(namespace_declaration name: (_) @name) @def.namespace
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(delegate_declaration name: (identifier) @name) @def.type
(constructor_declaration name: (identifier) @name) @def.constructor
((destructor_declaration) @def.method @name.Finalize)
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(property_declaration name: (identifier) @name) @def.property
(event_declaration name: (identifier) @name) @def.property
((indexer_declaration) @def.property @name.this)
((operator_declaration) @def.method @name.operator)
((conversion_operator_declaration) @def.method @name.operator)
((field_declaration (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
  (#eq? @_const "const"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
