(include_directive filenames: (_ (_) @import.name)) @import
(export_directive (variable_assignment) @wrapped) @wrapper
(override_directive (variable_assignment) @wrapped) @wrapper
(private_directive (variable_assignment) @wrapped) @wrapper

((rule (targets (_) @name)) @def.function
  (#not-match? @name "^[.][A-Z_]+$"))
(define_directive name: (_) @name) @def.macro
(variable_assignment name: (_) @name) @def.variable
(shell_assignment name: (_) @name) @def.variable
