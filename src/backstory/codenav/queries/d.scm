(module_declaration (module_fqn) @name) @def.module
(import_declaration (imported (module_fqn) @import.name)) @import

(class_declaration (identifier) @name (aggregate_body)? @body) @def.class
(interface_declaration (identifier) @name (aggregate_body)? @body) @def.interface
(struct_declaration (identifier) @name (aggregate_body)? @body) @def.struct
(union_declaration (identifier) @name (aggregate_body)? @body) @def.struct
(enum_declaration (identifier) @name) @def.enum
(enum_member . (identifier) @name) @def.constant
(enum_member . (deprecated_attribute) . (identifier) @name) @def.constant
(enum_member . (at_attribute) . (identifier) @name) @def.constant
(mixin_template_declaration (template_declaration (identifier) @name)) @def.macro
(template_declaration (identifier) @name) @def.macro
(function_declaration (identifier) @name (function_body) @body) @def.function
(constructor (function_body)? @body) @def.constructor @name.this
(postblit (function_body)? @body) @def.constructor @name.this
(destructor (function_body)? @body) @def.method @name.destructor
(unittest_declaration (block_statement) @body) @def.test @name.unittest
(invariant_declaration (block_statement) @body) @def.method @name.invariant

(manifest_constant (manifest_declarator . (identifier) @name)) @def.constant.global
(alias_declaration (alias_initializer . (identifier) @name)) @def.type.global
(alias_declaration (type) . (identifier) @name) @def.type.global
(auto_declaration variable: (identifier) @name value: (function_literal)) @def.function
(auto_declaration variable: (identifier) @name) @def.variable.global
(variable_declaration (declarator . (identifier) @name)) @def.variable.global
