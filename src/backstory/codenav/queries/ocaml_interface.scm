(module_definition (module_binding (module_name) @name)) @def.module
(module_type_definition (module_type_name) @name) @def.interface
(class_definition (class_binding (class_name) @name)) @def.class
(type_definition (type_binding name: (_) @name) @def.type)
(exception_definition (constructor_declaration (constructor_name) @name)) @def.type
(external (value_name) @name) @def.function
(value_specification (value_name) @name) @def.function
