(namespace_definition name: (namespace_name) @name body: (_)) @def.namespace
(namespace_definition name: (namespace_name) @name !body) @def.namespace @open.1
(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(function_definition name: (name) @name) @def.function
((method_declaration name: (name) @name) @def.constructor
  (#eq? @name "__construct"))
(method_declaration name: (name) @name) @def.method
(const_declaration (const_element . (name) @name)) @def.constant
(property_declaration (property_element name: (variable_name (name) @name))) @def.field
(program (expression_statement (assignment_expression
  left: (variable_name (name) @name)) @def.variable))
