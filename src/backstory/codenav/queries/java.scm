(module_declaration name: (_) @name) @def.module
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(constructor_declaration name: (identifier) @name) @def.constructor
(compact_constructor_declaration name: (identifier) @name) @def.constructor
(method_declaration name: (identifier) @name) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @def.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
