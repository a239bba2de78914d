(contract_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(library_declaration name: (identifier) @name) @def.module
(library_declaration body: (_ (function_definition name: (identifier) @name) @def.function))
(function_definition name: (identifier) @name) @def.function
(modifier_definition name: (identifier) @name) @def.function
((constructor_definition) @def.constructor @name.constructor)
((fallback_receive_definition "receive") @def.method @name.receive)
((fallback_receive_definition "fallback") @def.method @name.fallback)
((fallback_receive_definition) @def.method @name.fallback)
(struct_declaration name: (identifier) @name) @def.struct
(struct_member name: (identifier) @name) @def.field
(enum_declaration name: (identifier) @name) @def.enum
(enum_value) @def.constant @name
(event_definition name: (identifier) @name) @def.type
(error_declaration name: (identifier) @name) @def.type
(user_defined_type_definition name: (identifier) @name) @def.type
((state_variable_declaration "constant" name: (identifier) @name) @def.constant)
(state_variable_declaration name: (identifier) @name) @def.field
(constant_variable_declaration name: (identifier) @name) @def.constant

(import_directive source: (string) @import.name) @import
