(namespace_definition name: (_) @name) @def.namespace

(template_declaration) @declared.template
(friend_declaration [(function_definition) (declaration)] @wrapped) @wrapper

(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier) @name] body: (_)) @def.class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier) @name] body: (_)) @def.struct
(union_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)] body: (_)) @def.struct
(enum_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @def.enum
(enumerator name: (identifier) @name) @def.constant
(alias_declaration name: (type_identifier) @name) @def.type
(concept_definition name: (identifier) @name) @def.type

[(function_definition) (declaration) (type_definition) (field_declaration)] @declared.constant

(preproc_def name: (identifier) @name) @def.constant
(preproc_function_def name: (identifier) @name value: (_) @body) @def.macro
(preproc_function_def name: (identifier) @name) @def.macro

(preproc_include path: (_) @import.name) @import
