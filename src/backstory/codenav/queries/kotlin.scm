(modifiers (annotation) @leading)
(package_header (identifier) @name) @def.namespace

(class_declaration "interface" (type_identifier) @name (class_body) @body) @def.interface
(class_declaration "interface" (type_identifier) @name) @def.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body) @body) @def.enum
(class_declaration "enum" (type_identifier) @name) @def.enum
(class_declaration (type_identifier) @name (class_body) @body) @def.class
(class_declaration (type_identifier) @name) @def.class
; a class below annotations, where the grammar takes it for an expression
(prefix_expression (annotation) @leading)
((infix_expression . (simple_identifier) @_class . (simple_identifier) @name . (lambda_literal) @body) @def.class
  (#eq? @_class "class"))
((infix_expression (simple_identifier) @_class
  . (call_expression . (simple_identifier) @name (call_suffix (annotated_lambda)) @body)) @def.class
  (#eq? @_class "class"))
(object_declaration (type_identifier) @name (class_body) @body) @def.class
(object_declaration (type_identifier) @name) @def.class
(companion_object (type_identifier) @name (class_body) @body) @def.class
(companion_object (type_identifier) @name) @def.class
((companion_object "object" . (class_body) @body) @def.class @name.Companion)
((companion_object "object" . (delegation_specifier)) @def.class @name.Companion)
((companion_object "object" .) @def.class @name.Companion)
(enum_entry (simple_identifier) @name (class_body) @body) @def.constant
(enum_entry (simple_identifier) @name) @def.constant
(type_alias (type_identifier) @name) @def.type

(function_declaration
  receiver: (receiver_type [
    (user_type . (type_identifier) @scope)
    (nullable_type (user_type . (type_identifier) @scope))])
  (simple_identifier) @name (function_body) @body) @def.function
(function_declaration
  receiver: (receiver_type [
    (user_type . (type_identifier) @scope)
    (nullable_type (user_type . (type_identifier) @scope))])
  (simple_identifier) @name) @def.function
(enum_entry (class_body
  (function_declaration (simple_identifier) @name (function_body) @body) @def.method))
(object_literal (class_body
  (function_declaration (simple_identifier) @name (function_body) @body) @def.method))
(function_declaration (simple_identifier) @name (function_body) @body) @def.function
(function_declaration (simple_identifier) @name) @def.function
((secondary_constructor (statements) @body) @def.constructor @name.constructor)
((secondary_constructor) @def.constructor @name.constructor)
((anonymous_initializer) @def.constructor @name.init)

(class_parameter (binding_pattern_kind) (simple_identifier) @name) @def.field
((property_declaration (modifiers (property_modifier) @_const)
  (variable_declaration . (simple_identifier) @name)) @def.constant
  (#eq? @_const "const"))

; accessors on lines of their own stand beside the property
([(source_file (property_declaration
    receiver: (receiver_type (user_type . (type_identifier) @scope))
    (variable_declaration . (simple_identifier) @name)) @def.property
    . [(getter) (setter)] @extend)
  (class_body (property_declaration
    receiver: (receiver_type (user_type . (type_identifier) @scope))
    (variable_declaration . (simple_identifier) @name)) @def.property
    . [(getter) (setter)] @extend)])
([(source_file (property_declaration
    receiver: (receiver_type (user_type . (type_identifier) @scope))
    (variable_declaration . (simple_identifier) @name)) @def.property)
  (class_body (property_declaration
    receiver: (receiver_type (user_type . (type_identifier) @scope))
    (variable_declaration . (simple_identifier) @name)) @def.property)])
([(source_file (property_declaration (variable_declaration . (simple_identifier) @name)) @def.property
    . [(getter) (setter)] @extend . [(getter) (setter)] @extend)
  (class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @def.property
    . [(getter) (setter)] @extend . [(getter) (setter)] @extend)])
([(source_file (property_declaration (variable_declaration . (simple_identifier) @name)) @def.property
    . [(getter) (setter)] @extend)
  (class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @def.property
    . [(getter) (setter)] @extend)])
([(source_file (property_declaration (variable_declaration . (simple_identifier) @name)
    [(getter) (setter)] @body) @def.property)
  (class_body (property_declaration (variable_declaration . (simple_identifier) @name)
    [(getter) (setter)] @body) @def.property)])
(source_file (property_declaration (variable_declaration . (simple_identifier) @name)) @def.variable)
(source_file (property_declaration
  (multi_variable_declaration (variable_declaration . (simple_identifier) @name))) @def.variable)
; a body on one line is an error to the grammar
(class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @def.field)
(class_body (ERROR (property_declaration (variable_declaration . (simple_identifier) @name)) @def.field))
(enum_class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @def.field)

(import_header (identifier) @import @import.from . "." @import.from (wildcard_import) @import.name)
((import_header (identifier) @import @import.name) @_header
  (#not-match? @_header "^import[^\n]*[.][*]"))
