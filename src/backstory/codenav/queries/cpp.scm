(namespace_definition name: (_) @name) @def.namespace

(template_declaration [
  (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration) (field_declaration)
  (alias_declaration) (concept_definition) (friend_declaration) (template_declaration)] @wrapped) @wrapper
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

; what has no name of its own bears that of its typedef
(type_definition type: [(struct_specifier !name body: (_) @body) (class_specifier !name body: (_) @body)] declarator: (type_identifier) @name) @def.struct
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
  (reference_declarator (type_identifier) @name)
  (_ declarator: (type_identifier) @name)
  (_ declarator: (_ declarator: (type_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)
    (_ declarator: (_ declarator: (type_identifier) @name))]))
  (_ declarator: (function_declarator declarator: (parenthesized_declarator
    (_ declarator: (type_identifier) @name))))]) @def.type

(field_declaration_list [
  (function_definition !type declarator: (function_declarator declarator: (identifier) @name))
  (declaration !type declarator: (function_declarator declarator: (identifier) @name) ";" @body)] @def.constructor)
(field_declaration_list (template_declaration [
  (function_definition !type declarator: (function_declarator declarator: (identifier) @name))
  (declaration !type declarator: (function_declarator declarator: (identifier) @name) ";" @body)] @def.constructor))

(function_definition declarator: [
  (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (operator_name) (destructor_name)] @name)
  (function_declarator declarator: (template_function name: (identifier) @name))
  (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (operator_name) (destructor_name)] @name))
  (_ (function_declarator declarator: (template_function name: (identifier) @name)))
  (_ (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (operator_name)] @name)))]) @def.function
(function_definition declarator: (operator_cast type: (_) @name)) @def.function @name.operator
(function_definition declarator: (qualified_identifier
  scope: (_) @scope name: (operator_cast type: (_) @name))) @def.function @name.operator
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator [
  (identifier) @name
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]))) @def.function

(declaration declarator: [
  (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name) (destructor_name)] @name)
  (_ (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)] @name)))]
  ";" @body) @def.function.global
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))]
  ";" @body) @def.function.global
(declaration declarator: (operator_cast type: (_) @name)) @def.function.global @name.operator
(field_declaration declarator: (operator_cast type: (_) @name)) @def.function.global @name.operator

(field_declaration type: (_ name: (_) body: (_)) declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)] @def.field)
(field_declaration declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)
  (reference_declarator (field_identifier) @name)
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

((declaration [(type_qualifier) (storage_class_specifier)] @_const
    declarator: (init_declarator declarator: [
      (identifier) @name
      (_ declarator: (identifier) @name)
      (_ declarator: (_ declarator: (identifier) @name))])) @def.constant.global
  (#any-of? @_const "const" "constexpr" "constinit"))
(declaration type: (_ name: (_) body: (_)) @wrapped . _) @wrapper
(declaration type: (_ name: (_) body: (_)) declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))] @def.variable.global)
(declaration declarator: [
  (identifier) @name
  (qualified_identifier) @name
  (_ declarator: (qualified_identifier) @name)
  (_ declarator: (_ declarator: (qualified_identifier) @name))
  (reference_declarator (identifier) @name)
  (_ declarator: (reference_declarator (identifier) @name))
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
