((binding attrpath: (attrpath . (identifier) @_imports .)
  expression: (list_expression element: [(path_expression) (variable_expression) (select_expression)] @import.name)) @import
  (#eq? @_imports "imports"))
((apply_expression function: (variable_expression name: (identifier) @_import)
  argument: [(path_expression) (spath_expression)] @import.name) @import
  (#eq? @_import "import"))

(binding attrpath: (attrpath) @name expression: (function_expression
  body: (function_expression body: (function_expression body: (_) @body)))) @def.function
(binding attrpath: (attrpath) @name expression: (function_expression
  body: (function_expression body: (_) @body))) @def.function
(binding attrpath: (attrpath) @name expression: (function_expression body: (_) @body)) @def.function
(binding attrpath: (attrpath) @name expression: (attrset_expression) @body) @def.module
(binding attrpath: (attrpath) @name expression: (rec_attrset_expression) @body) @def.module
(let_expression (binding_set (binding attrpath: (attrpath) @name) @def.variable.global))
(binding attrpath: (attrpath) @name) @def.property
