(annotation) @leading

(class_definition name: (identifier) @name) @def.class
(class_definition (mixin_application_class . (identifier) @name)) @def.class
(mixin_declaration (identifier) @name (class_body) @body) @def.trait
(extension_declaration name: (identifier) @name) @def.impl
(extension_declaration !name class: (_) @name) @def.impl
(extension_type_declaration name: (identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name) @def.constant
(type_alias (type_identifier) @name . (formal_parameter_list)) @def.type
(type_alias (type_identifier) @name . "=") @def.type
(type_alias (type_identifier) @name . (type_parameters)) @def.type

(program (function_signature name: (identifier) @name) @def.function . (function_body)? @extend @body)
(program [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)] @def.property
  . (function_body) @extend @body)
(lambda_expression parameters: (function_signature name: (identifier) @name) body: (_) @body) @def.function

((method_signature [
  (factory_constructor_signature . (identifier) . (identifier) @name @as.constructor)
  (factory_constructor_signature . (identifier) @name @as.constructor . (formal_parameter_list))
  (constructor_signature name: (identifier) . name: (identifier) @name @as.constructor)
  (constructor_signature . name: (identifier) @name @as.constructor . parameters: (_))
  (function_signature name: (identifier) @name)
  (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)
  (getter_signature name: (identifier) @name @as.property)
  (setter_signature name: (identifier) @name @as.property)]) @def.method . (function_body)? @extend @body)
(declaration [
  (factory_constructor_signature . (identifier) . (identifier) @name @as.constructor)
  (factory_constructor_signature . (identifier) @name @as.constructor . (formal_parameter_list))
  (constructor_signature name: (identifier) . name: (identifier) @name @as.constructor)
  (constructor_signature . name: (identifier) @name @as.constructor . parameters: (_))
  (function_signature name: (identifier) @name)
  (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)
  (getter_signature name: (identifier) @name @as.property)
  (setter_signature name: (identifier) @name @as.property)
  (redirecting_factory_constructor_signature (identifier) . (identifier) @name @as.constructor)
  (constant_constructor_signature (identifier) . (identifier) @name @as.constructor)
  (constant_constructor_signature . (const_builtin) . (identifier) @name @as.constructor . (formal_parameter_list))]) @def.method
(declaration (_ [
  (initialized_identifier . (identifier) @name)
  (static_final_declaration . (identifier) @name)])) @def.field

; the words of a variable of the file stand beside each other
(program [(const_builtin) (final_builtin)] @def.constant . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @extend)
(program [(const_builtin) (final_builtin)] @def.constant . (_) . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @extend)
(program [(const_builtin) (final_builtin)] @def.constant . (_) . (_) . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @extend)
(program [(inferred_type) (type_identifier)] @def.variable . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @extend)
(program [(inferred_type) (type_identifier)] @def.variable . (_) . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @extend)
(program [(inferred_type) (type_identifier)] @def.variable . (_) . (_) . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @extend)
(program (_ [
  (static_final_declaration . (identifier) @name @as.constant)
  (initialized_identifier . (identifier) @name)]) @def.variable)

((expression_statement . (identifier) @_test . (selector (argument_part (arguments
  . (argument (string_literal) @name) . (argument (function_expression) @body))))) @def.test
  (#any-of? @_test "group" "test" "testWidgets"))

(library_import (import_specification (configurable_uri (uri) @import.name))) @import
(library_export (configurable_uri (uri) @import.name)) @import
(part_directive (uri) @import.name) @import
