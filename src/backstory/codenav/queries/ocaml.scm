(open_module module: (_) @import.name) @import
(include_module module: (_) @import.name) @import

; a definition of its own, or one of several that and joins
(value_definition . (let_binding) @wrapped) @wrapper
(value_definition . (attribute) . (let_binding) @wrapped) @wrapper
(value_definition "and" @leading)
(type_definition . (type_binding) @wrapped) @wrapper
(type_definition "and" @leading)
(module_definition . (module_binding) @wrapped) @wrapper
(module_definition "and" @leading)
(class_definition . (class_binding) @wrapped) @wrapper
(class_definition "and" @leading)
(class_type_definition . (class_type_binding) @wrapped) @wrapper
(class_type_definition "and" @leading)

(module_binding (module_name) @name module_type: (signature) @body) @def.module
(module_binding (module_name) @name) @def.module
(module_type_definition (module_type_name) @name) @def.interface
(class_binding (class_name) @name) @def.class
(class_type_binding (class_type_name) @name) @def.interface
(type_binding name: (_) @name body: (variant_declaration) @body) @def.enum
(type_binding name: (_) @name body: (record_declaration) @body) @def.struct
(type_binding name: (_) @name equation: (polymorphic_variant_type) @body) @def.enum
(type_binding name: (_) @name) @def.type
(polymorphic_variant_type (tag_specification . (tag) @name) @def.constant)
(exception_definition (constructor_declaration (constructor_name) @name)) @def.type
(constructor_declaration (constructor_name) @name) @def.constant
(field_declaration (field_name) @name) @def.field

(method_definition (method_name) @name) @def.method
(method_specification (method_name) @name) @def.method.whole
(instance_variable_definition (instance_variable_name) @name) @def.field
(instance_variable_specification (instance_variable_name) @name) @def.field
(external [(value_name) @name (parenthesized_operator (_) @name)]) @def.function.whole
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @def.function.whole
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @def.constant

(let_binding pattern: [(value_name) @name (_ . "(" . (_) @name)] . (parameter)) @def.function
(let_binding pattern: [(value_name) @name (_ . "(" . (_) @name)]
  body: [(function_expression) (fun_expression)] @body) @def.function
(value_definition (attribute_id) (_ pattern: (_ (string_content) @name) body: (_) @body)) @def.test
(compilation_unit (value_definition (_
  pattern: [(value_name) @name (parenthesized_operator (_) @name) (tuple_pattern (value_name) @name)]) @def.constant))
(structure (value_definition (_
  pattern: [(value_name) @name (parenthesized_operator (_) @name) (tuple_pattern (value_name) @name)]) @def.constant))
