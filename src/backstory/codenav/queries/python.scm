(decorated_definition
  (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
  definition: (function_definition name: (identifier) @name)
  (#any-of? @_decorator "property" "cached_property" "setter" "getter" "deleter")) @def.property
(decorated_definition
  definition: (function_definition name: (identifier) @name)) @def.function
(decorated_definition
  definition: (class_definition name: (identifier) @name)) @def.class
((function_definition name: (identifier) @name) @def.constructor
  (#eq? @name "__init__"))
(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class

(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @def.type
(module (assignment left: (identifier) @name) @def.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (assignment left: (identifier) @name) @def.variable)
(class_definition body: (block (assignment left: (identifier) @name) @def.field))
