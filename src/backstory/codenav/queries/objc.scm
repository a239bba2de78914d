(protocol_declaration . "@protocol" . (identifier) @name) @def.interface
(class_interface "@interface" . (identifier) @name) @def.class
(class_implementation "@implementation" . (identifier) @name) @def.impl
(method_declaration (method_type) . (identifier) @name ";" @body) @def.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @def.method
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator [
    (_ declarator: (identifier) @name)
    (_ declarator: (_ declarator: (identifier) @name))]))]))) @def.property
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))]))) @def.field
(implementation_definition (_) @wrapped) @wrapper

; functions: declared or defined, with up to three stars
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ declarator: (function_declarator declarator: (identifier) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name))))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))))]) @def.function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))))] ";" @body) @def.function.global

; a macro with a body: TEST(name) { … }
(function_definition type: (type_identifier) @name
  declarator: (parenthesized_declarator (identifier))) @def.function

; what has no name of its own bears that of its typedef
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(type_definition type: (_ name: (_) body: (_)) @wrapped) @wrapper
((type_definition type: (_ name: (type_identifier) @_tag body: (_)) declarator: (type_identifier) @name) @skip
  (#eq? @name @_tag))
(type_definition type: (_ name: (_) body: (_)) declarator: [
  (type_identifier) @name
  (_ declarator: (type_identifier) @name)] @def.type)
(type_definition declarator: [
  (type_identifier) @name
  (_ declarator: (type_identifier) @name)
  (_ declarator: (_ declarator: (type_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)
    (_ declarator: (_ declarator: (type_identifier) @name))]))
  (_ declarator: (function_declarator declarator: (parenthesized_declarator
    (_ declarator: (type_identifier) @name))))]) @def.type
(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.constant

(field_declaration type: (_ name: (_) body: (_)) declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)] @def.field)
(field_declaration declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)
  (_ declarator: (_ declarator: (field_identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (field_identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator [
    (_ declarator: (field_identifier) @name)
    (_ declarator: (_ declarator: (field_identifier) @name))]))
  (_ declarator: (function_declarator declarator: (parenthesized_declarator
    (_ declarator: (field_identifier) @name))))]) @def.field

(preproc_def name: (identifier) @name) @def.constant
(preproc_function_def name: (identifier) @name value: (_) @body) @def.macro
(preproc_function_def name: (identifier) @name) @def.macro

(declaration type: (_ name: (_) body: (_)) @wrapped . _) @wrapper
(declaration type: (_ name: (_) body: (_)) declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))] @def.variable.global)
(declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (_ declarator: (_ declarator: (identifier) @name))))
  (function_declarator declarator: (parenthesized_declarator [
    (_ declarator: (identifier) @name)
    (_ declarator: (_ declarator: (identifier) @name))]))
  (_ declarator: (function_declarator declarator: (parenthesized_declarator [
    (_ declarator: (identifier) @name)
    (_ declarator: (_ declarator: (identifier) @name))])))
  (_ declarator: (_ declarator: (function_declarator declarator: (parenthesized_declarator
    (_ declarator: (identifier) @name)))))]) @def.variable.global

(preproc_include path: (_) @import.name) @import
(module_import path: (_) @import.name) @import
