(namespace_definition name: (_) @name) @def.namespace

(template_declaration (class_specifier name: (_) @name body: (_))) @def.class
(template_declaration (struct_specifier name: (_) @name body: (_))) @def.struct
(template_declaration (alias_declaration name: (type_identifier) @name)) @def.type
(template_declaration (concept_definition name: (identifier) @name)) @def.type
(template_declaration (function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))
  (reference_declarator (function_declarator declarator: (_) @name))])) @def.function

(class_specifier name: (_) @name body: (_)) @def.class
(type_definition type: (struct_specifier body: (_)) declarator: (type_identifier) @name) @def.struct
(type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name) @def.enum
(type_definition declarator: (type_identifier) @name) @def.type
(struct_specifier name: (_) @name body: (_)) @def.struct
(union_specifier name: (_) @name body: (_)) @def.struct
(enum_specifier name: (_) @name body: (_)) @def.enum
(alias_declaration name: (type_identifier) @name) @def.type

(function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
  (reference_declarator (function_declarator declarator: (_) @name))
  (operator_cast) @name]) @def.function

(field_declaration_list [(declaration declarator: (function_declarator declarator: (_) @name))
  (field_declaration declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (reference_declarator (function_declarator declarator: (_) @name))])] @def.function)
(field_declaration_list (field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (reference_declarator (field_identifier) @name)]) @def.field)

(preproc_def name: (identifier) @name) @def.constant
(preproc_function_def name: (identifier) @name) @def.macro

([(translation_unit (declaration (type_qualifier) @_const
    declarator: (init_declarator declarator: (identifier) @name)) @def.constant)
  (namespace_definition body: (declaration_list (declaration (type_qualifier) @_const
    declarator: (init_declarator declarator: (identifier) @name)) @def.constant))]
  (#any-of? @_const "const" "constexpr"))
(translation_unit (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
  (init_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))
  (array_declarator declarator: (identifier) @name)]) @def.variable)
(preproc_ifdef (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
  (init_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))
  (array_declarator declarator: (identifier) @name)]) @def.variable)
(namespace_definition body: (declaration_list (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)]) @def.variable))
(translation_unit (declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))]) @def.function)
(preproc_ifdef (declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))]) @def.function)
(preproc_if (declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))]) @def.function)
(linkage_specification body: (declaration_list (declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))]) @def.function))
(namespace_definition body: (declaration_list (declaration declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))]) @def.function))
