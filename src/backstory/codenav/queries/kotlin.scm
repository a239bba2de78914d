(modifiers (annotation) @leading)
(package_header (identifier) @name) @def.namespace

(class_declaration "interface" (type_identifier) @name (class_body)? @body) @def.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @def.enum
(class_declaration (type_identifier) @name (class_body)? @body) @def.class
; a class below annotations, where the grammar takes it for an expression
(prefix_expression (annotation) @leading)
((infix_expression . (simple_identifier) @_class . (simple_identifier) @name . (lambda_literal) @body) @def.class
  (#eq? @_class "class"))
((infix_expression (simple_identifier) @_class
  . (call_expression . (simple_identifier) @name (call_suffix (annotated_lambda)) @body)) @def.class
  (#eq? @_class "class"))
(object_declaration (type_identifier) @name (class_body)? @body) @def.class
(companion_object (type_identifier) @name (class_body)? @body) @def.class
((companion_object "object" . (class_body) @body) @def.class @name.Companion)
((companion_object "object" . (delegation_specifier)) @def.class @name.Companion)
((companion_object "object" .) @def.class @name.Companion)
(enum_entry (simple_identifier) @name (class_body)? @body) @def.constant
(type_alias (type_identifier) @name) @def.type

(function_declaration
  receiver: (_ [(_ . (type_identifier) @scope) (_ . (_ . (type_identifier) @scope))])
  (simple_identifier) @name (function_body)? @body) @def.function
(enum_entry (_ (_ "fun" (simple_identifier) @name (function_body)? @body) @def.method))
(object_literal (_ (_ "fun" (simple_identifier) @name (function_body)? @body) @def.method))
(function_declaration (simple_identifier) @name (function_body)? @body) @def.function
(secondary_constructor "constructor" @name "{" @body) @def.constructor
(secondary_constructor "constructor" @name) @def.constructor
((anonymous_initializer "{" @body) @def.constructor @name.init)

(class_parameter (binding_pattern_kind) (simple_identifier) @name) @def.field
((property_declaration (_ (property_modifier) @_const) . (binding_pattern_kind) . (_ . (simple_identifier) @name)) @def.constant
  (#eq? @_const "const"))

; accessors on lines of their own stand beside the property
(source_file (_ (binding_pattern_kind) . (type_parameters)? . receiver: (_ (_ . (type_identifier) @scope)) . "." . (_ . (simple_identifier) @name)) @def.property . [(getter) (setter)]* @extend)
(class_body (_ (binding_pattern_kind) . (type_parameters)? . receiver: (_ (_ . (type_identifier) @scope)) . "." . (_ . (simple_identifier) @name)) @def.property . [(getter) (setter)]* @extend)
(source_file (_ (binding_pattern_kind) . (type_parameters)? . (_ . (simple_identifier) @name) [(getter) (setter)]? @body @as.property) @def.variable
    . [(getter) (setter)]* @extend @as.property)
(source_file (_ (binding_pattern_kind) . (_ (variable_declaration . (simple_identifier) @name))) @def.variable)
(class_body (_ (binding_pattern_kind) . (type_parameters)? . (_ . (simple_identifier) @name) [(getter) (setter)]? @body @as.property) @def.field
    . [(getter) (setter)]* @extend @as.property)
; a body on one line is an error to the grammar
(class_body (ERROR (_ (binding_pattern_kind) . (type_parameters)? . (_ . (simple_identifier) @name)) @def.field))
(enum_class_body (_ (binding_pattern_kind) . (type_parameters)? . (_ . (simple_identifier) @name)) @def.field)

(import_header (identifier) @import @import.from . "." @import.from (wildcard_import) @import.name)
((import_header (identifier) @import @import.name) @_header
  (#not-match? @_header "^import[^\n]*[.][*]"))
