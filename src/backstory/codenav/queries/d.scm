(module_declaration (module_fqn) @name) @def.module
(import_declaration (imported (module_fqn) @import.name)) @import

((class_declaration) @def.class @declared.child)
((interface_declaration) @def.interface @declared.child)
([(struct_declaration) (union_declaration)] @def.struct @declared.child)
((enum_declaration) @def.enum @declared.child)
((enum_member) @def.constant @declared.child)
((mixin_template_declaration) @def.macro @declared.child)
((template_declaration) @def.macro @declared.child)
((function_declaration) @def.function @declared.child)
([(constructor) (postblit)] @def.constructor @name.this @declared.child)
((destructor) @def.method @name.destructor @declared.child)
((unittest_declaration) @def.test @name.unittest @declared.child)
((invariant_declaration) @def.method @name.invariant @declared.child)

((manifest_constant) @def.constant.global @declared.children)
((alias_declaration) @def.type.global @declared.children)
(auto_declaration variable: (identifier) @name value: (function_literal)? @as.function) @def.variable.global
((variable_declaration) @def.variable.global @declared.children)
