(modifiers (attribute) @leading)
[(lambda_literal) (computed_property) (willset_didset_block) (if_statement) (for_statement) (while_statement)
  (repeat_while_statement) (do_statement) (switch_statement) (guard_statement)] @local

(protocol_declaration name: (_) @name) @def.interface
(class_declaration "extension" name: (user_type . (type_identifier) @name . (type_arguments))) @def.impl
(class_declaration
  declaration_kind: ["struct" @as.struct "enum" @as.enum "extension" @as.impl _]
  name: (_) @name) @def.class
(typealias_declaration name: (type_identifier) @name) @def.type
(associatedtype_declaration name: (type_identifier) @name) @def.type
(macro_declaration (simple_identifier) @name definition: (_) @body) @def.macro
(macro_declaration (simple_identifier) @name) @def.macro
(enum_entry name: (simple_identifier) @name) @def.constant
(function_declaration "func" . name: _ @name) @def.function
(protocol_function_declaration "func" . name: _ @name) @def.function
(init_declaration "init" @name) @def.constructor
(protocol_function_declaration "init" @name) @def.constructor
(deinit_declaration "deinit" @name) @def.method
(subscript_declaration "subscript" @name (computed_property)? @body) @def.method
(protocol_property_declaration
  name: (pattern bound_identifier: (_) @name)
  (protocol_property_requirements) @body) @def.property

(source_file (property_declaration (value_binding_pattern "let")) @declared.let)
(property_declaration) @declared.property

(import_declaration (identifier) @import.name) @import
