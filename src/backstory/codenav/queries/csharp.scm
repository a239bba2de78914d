(attribute_list) @leading

(file_scoped_namespace_declaration name: (_) @name) @def.namespace @open.1
(namespace_declaration name: (_) @name) @def.namespace
(using_directive name: (identifier) @name) @def.type
(class_declaration name: (identifier) @name) @def.class
(record_declaration "struct" name: (identifier) @name) @def.struct
(record_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.constant
(delegate_declaration name: (identifier) @name) @def.type
(constructor_declaration name: (identifier) @name) @def.constructor
(destructor_declaration "~" @name parameters: (_) @until) @def.method
(method_declaration (explicit_interface_specifier (_) @scope)? name: (identifier) @name !body ";" @body) @def.method
(method_declaration (explicit_interface_specifier (_) @scope)? name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(property_declaration (explicit_interface_specifier (_) @scope)? name: (identifier) @name accessors: (_) @body) @def.property
(property_declaration (explicit_interface_specifier (_) @scope)? name: (identifier) @name value: (_) @body) @def.property
(event_declaration (explicit_interface_specifier (_) @scope)? name: (identifier) @name accessors: (_) @body) @def.property
(indexer_declaration (explicit_interface_specifier (_) @scope)? "this" @name accessors: (_) @body) @def.property
(indexer_declaration (explicit_interface_specifier (_) @scope)? "this" @name value: (_) @body) @def.property
(operator_declaration (explicit_interface_specifier (_) @scope)? operator: _ @name) @def.method @name.operator
(conversion_operator_declaration type: (_) @name) @def.method @name.operator
((field_declaration (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
  (#eq? @_const "const"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field

(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @import.name) @import
