(class_declaration name: (identifier) @name) @def.class
(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)]) @def.method
(field_definition property: (_) @name) @def.field

; include: ecmascript

(using_declaration (variable_declarator name: (identifier) @name) @def.variable.global)
