((rule (targets (word) @name)) @def.function
  (#not-match? @name "^[.]"))
(define_directive name: (word) @name) @def.macro
(variable_assignment name: (word) @name) @def.variable
