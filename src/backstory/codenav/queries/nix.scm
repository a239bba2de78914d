((binding attrpath: (attrpath . (identifier) @_imports .)
  expression: (list_expression element: [(path_expression) (variable_expression) (select_expression)] @import.name)) @import
  (#eq? @_imports "imports"))
((apply_expression function: (variable_expression name: (identifier) @_import)
  argument: [(path_expression) (spath_expression)] @import.name) @import
  (#eq? @_import "import"))

; an option, a flag or a package is described by what it is given: those are no symbols
((apply_expression
  function: [
    (variable_expression name: (identifier) @_maker)
    (select_expression attrpath: (attrpath attr: (identifier) @_maker .))]
  argument: [
    (attrset_expression (binding_set (binding attrpath: (attrpath) @name)))
    (rec_attrset_expression (binding_set (binding attrpath: (attrpath) @name)))]) @skip
  (#match? @_maker "^(mkOption|fetch\\w+|mk\\w*Option)$"))

(binding attrpath: (attrpath) @name expression: (function_expression
  body: (function_expression body: (function_expression body: (_) @body)))) @def.function
(binding attrpath: (attrpath) @name expression: (function_expression
  body: (function_expression body: (_) @body))) @def.function
(binding attrpath: (attrpath) @name expression: (function_expression body: (_) @body)) @def.function
(binding attrpath: (attrpath) @name expression: (attrset_expression) @body) @def.module
(binding attrpath: (attrpath) @name expression: (rec_attrset_expression) @body) @def.module
(let_expression (binding_set (binding attrpath: (attrpath) @name) @def.variable.global))
(binding attrpath: (attrpath) @name) @def.property
