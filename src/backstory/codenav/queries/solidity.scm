(contract_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(library_declaration name: (identifier) @name) @def.module
(function_definition name: (identifier) @name) @def.function
(modifier_definition name: (identifier) @name) @def.function
((constructor_definition) @def.constructor @name.constructor)
((fallback_receive_definition) @def.method @name.receive)
(struct_declaration name: (identifier) @name) @def.struct
(enum_declaration name: (identifier) @name) @def.enum
(event_definition name: (identifier) @name) @def.type
(error_declaration name: (identifier) @name) @def.type
(state_variable_declaration name: (identifier) @name) @def.field
(constant_variable_declaration name: (identifier) @name) @def.constant
