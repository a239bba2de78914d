(module_definition (module_binding (module_name) @name)) @def.module
(module_type_definition (module_type_name) @name) @def.interface
(class_definition (class_binding (class_name) @name)) @def.class
(type_definition (type_binding name: (_) @name) @def.type)
(exception_definition (constructor_declaration (constructor_name) @name)) @def.type
(method_definition (method_name) @name) @def.method
(instance_variable_definition (instance_variable_name) @name) @def.field
(external (value_name) @name) @def.function
(value_specification (value_name) @name) @def.function

(compilation_unit (value_definition [
  (let_binding pattern: (value_name) @name (parameter))
  (let_binding pattern: (value_name) @name body: [(function_expression) (fun_expression)])] @def.function))
(structure (value_definition [
  (let_binding pattern: (value_name) @name (parameter))
  (let_binding pattern: (value_name) @name body: [(function_expression) (fun_expression)])] @def.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @def.constant))
(structure (value_definition (let_binding pattern: (value_name) @name) @def.constant))
