(function_definition name: (word) @name) @def.function
(program (declaration_command "readonly" [(variable_assignment name: (variable_name) @name) (variable_name) @name]) @def.constant)
((program (declaration_command (word) @_flag (variable_assignment name: (variable_name) @name)) @def.constant)
  (#match? @_flag "^-[a-zA-Z]*r"))
((program (variable_assignment name: (variable_name) @name) @def.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
((program (command (variable_assignment name: (variable_name) @name) @def.constant))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program (declaration_command [(variable_assignment name: (variable_name) @name) (variable_name) @name]) @def.variable)
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name)) @def.variable)
(program (command (variable_assignment name: (variable_name) @name) @def.variable))
((command name: (command_name) @_source argument: (_) @import.name) @import
  (#any-of? @_source "source" "."))
