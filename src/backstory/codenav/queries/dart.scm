(class_body (annotation) @leading)
(program (annotation) @leading)

(class_definition name: (identifier) @name) @def.class
(mixin_declaration (identifier) @name) @def.trait
(extension_declaration name: (identifier) @name) @def.impl
(extension_type_declaration name: (identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(type_alias . (type_identifier) @name) @def.type

(program (function_signature name: (identifier) @name) @def.function . (function_body) @extend)
(program [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)] @def.property
  . (function_body) @extend)

((method_signature (factory_constructor_signature . (identifier) . (identifier) @name)) @def.constructor
  . (function_body) @extend)
((method_signature (factory_constructor_signature . (identifier) @name . (formal_parameter_list))) @def.constructor
  . (function_body) @extend)
((method_signature (constructor_signature name: (identifier) . name: (identifier) @name)) @def.constructor
  . (function_body) @extend)
((method_signature (constructor_signature . name: (identifier) @name .  parameters: (_))) @def.constructor
  . (function_body) @extend)
(declaration (constructor_signature name: (identifier) . name: (identifier) @name)) @def.constructor
(declaration (constructor_signature . name: (identifier) @name . parameters: (_))) @def.constructor
(declaration (constant_constructor_signature (identifier) . (identifier) @name)) @def.constructor
(declaration (constant_constructor_signature . (const_builtin) . (identifier) @name . (formal_parameter_list))) @def.constructor

((method_signature (function_signature name: (identifier) @name)) @def.method . (function_body) @extend)
((method_signature (operator_signature (_) @name . (formal_parameter_list))) @def.method . (function_body) @extend)
((method_signature [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @def.property
  . (function_body) @extend)
(declaration (function_signature name: (identifier) @name)) @def.method
(declaration [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @def.property
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @def.field
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @def.constant)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @def.variable)
