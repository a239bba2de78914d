(modifiers [(annotation) (marker_annotation)] @leading)
(package_declaration [(annotation) (marker_annotation)] @leading)

(package_declaration [(identifier) (scoped_identifier)] @name) @def.namespace
(module_declaration name: (_) @name) @def.module
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name body: (class_body) @body) @def.constant
(enum_constant name: (identifier) @name) @def.constant
(constructor_declaration name: (identifier) @name) @def.constructor
(compact_constructor_declaration name: (identifier) @name) @def.constructor
(method_declaration name: (identifier) @name !body ";" @body) @def.method
(method_declaration name: (identifier) @name) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(field_declaration (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration (modifiers "final" "static")
  declarator: (variable_declarator name: (identifier) @name)) @def.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field

(import_declaration [(identifier) (scoped_identifier)] @import.name .) @import
(import_declaration
  [(identifier) (scoped_identifier)] @import.from "." @import.from (asterisk) @import.name) @import
