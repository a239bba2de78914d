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

(program (function_signature name: (identifier) @name) @def.function . (function_body) @extend @body)
(program (function_signature name: (identifier) @name) @def.function)
(program [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)] @def.property
  . (function_body) @extend @body)
(lambda_expression parameters: (function_signature name: (identifier) @name) body: (_) @body) @def.function

((method_signature (factory_constructor_signature . (identifier) . (identifier) @name)) @def.constructor . (function_body) @extend @body)
((method_signature (factory_constructor_signature . (identifier) . (identifier) @name)) @def.constructor)
(declaration (factory_constructor_signature . (identifier) . (identifier) @name)) @def.constructor
((method_signature (factory_constructor_signature . (identifier) @name . (formal_parameter_list))) @def.constructor . (function_body) @extend @body)
((method_signature (factory_constructor_signature . (identifier) @name . (formal_parameter_list))) @def.constructor)
(declaration (factory_constructor_signature . (identifier) @name . (formal_parameter_list))) @def.constructor
((method_signature (constructor_signature name: (identifier) . name: (identifier) @name)) @def.constructor . (function_body) @extend @body)
((method_signature (constructor_signature name: (identifier) . name: (identifier) @name)) @def.constructor)
(declaration (constructor_signature name: (identifier) . name: (identifier) @name)) @def.constructor
((method_signature (constructor_signature . name: (identifier) @name . parameters: (_))) @def.constructor . (function_body) @extend @body)
((method_signature (constructor_signature . name: (identifier) @name . parameters: (_))) @def.constructor)
(declaration (constructor_signature . name: (identifier) @name . parameters: (_))) @def.constructor
(declaration (redirecting_factory_constructor_signature (identifier) . (identifier) @name)) @def.constructor
(declaration (constant_constructor_signature (identifier) . (identifier) @name)) @def.constructor
(declaration (constant_constructor_signature . (const_builtin) . (identifier) @name . (formal_parameter_list))) @def.constructor

((method_signature (function_signature name: (identifier) @name)) @def.method . (function_body) @extend @body)
((method_signature (function_signature name: (identifier) @name)) @def.method)
(declaration (function_signature name: (identifier) @name)) @def.method
((method_signature (operator_signature (binary_operator) @name)) @def.method . (function_body) @extend @body)
((method_signature (operator_signature (binary_operator) @name)) @def.method)
(declaration (operator_signature (binary_operator) @name)) @def.method
((method_signature (operator_signature ["[]" "[]=" "~"] @name)) @def.method . (function_body) @extend @body)
((method_signature (operator_signature ["[]" "[]=" "~"] @name)) @def.method)
(declaration (operator_signature ["[]" "[]=" "~"] @name)) @def.method
((method_signature [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @def.property . (function_body) @extend @body)
((method_signature [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @def.property)
(declaration [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @def.property
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @def.field

; the words of a variable of the file stand beside each other
(program [(const_builtin) (final_builtin)] @def.constant . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @extend)
(program [(const_builtin) (final_builtin)] @def.constant . (_) . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @extend)
(program [(const_builtin) (final_builtin)] @def.constant . (_) . (_) . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @extend)
(program [(inferred_type) (type_identifier)] @def.variable . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @extend)
(program [(inferred_type) (type_identifier)] @def.variable . (_) . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @extend)
(program [(inferred_type) (type_identifier)] @def.variable . (_) . (_) . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @extend)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @def.constant)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @def.variable)

((expression_statement . (identifier) @_test . (selector (argument_part (arguments
  . (argument (string_literal) @name) . (argument (function_expression) @body))))) @def.test
  (#any-of? @_test "group" "test" "testWidgets"))

(library_import (import_specification (configurable_uri (uri) @import.name))) @import
(library_export (configurable_uri (uri) @import.name)) @import
(part_directive (uri) @import.name) @import
