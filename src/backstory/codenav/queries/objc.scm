(protocol_declaration . "@protocol" . (identifier) @name) @def.interface
(class_interface . "@interface" . (identifier) @name) @def.class
(class_implementation . "@implementation" . (identifier) @name) @def.impl
(method_declaration (method_type) . (identifier) @name) @def.method
(method_definition (method_type) . (identifier) @name) @def.method
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)]))) @def.field
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @def.function
(type_definition declarator: (type_identifier) @name) @def.type
(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(preproc_def name: (identifier) @name) @def.constant
(preproc_function_def name: (identifier) @name) @def.macro
(translation_unit (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))]) @def.variable)
