(open_module module: (_) @import.name) @import
(include_module_type module_type: [(module_type_path) @import.name (module_type_constraint module_type: (_) @import.name)]) @import

; a definition of its own, or one of several that and joins
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

(method_specification (method_name) @name) @def.method.whole
(instance_variable_specification (instance_variable_name) @name) @def.field
(external [(value_name) @name (parenthesized_operator (_) @name)]) @def.function.whole
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @def.function.whole
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @def.constant
