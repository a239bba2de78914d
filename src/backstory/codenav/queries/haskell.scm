(declarations (signature) @leading)
(instance_declarations (signature) @leading)

(data_type name: (_) @name) @def.type
(newtype name: (_) @name) @def.type
(type_synomym name: (_) @name) @def.type
(data_family name: (_) @name) @def.type
(type_family name: (_) @name) @def.type
(class name: (_) @name) @def.class
(instance name: (_) @scope patterns: (type_patterns . (_) @name)) @def.impl
(class_declarations (signature name: (variable) @name) @def.method)
(declarations (function name: (_) @name) @def.function)
(declarations (function (infix operator: (_) @name)) @def.function)
(declarations (bind name: (variable) @name) @def.constant)
(instance_declarations [
  (function name: (_) @name)
  (bind name: (variable) @name)] @def.method)
(class_declarations [
  (function name: (_) @name)
  (bind name: (variable) @name)] @def.method)
