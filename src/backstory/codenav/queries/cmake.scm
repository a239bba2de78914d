((normal_command (identifier) @_command (argument_list . (argument) @import.name)) @import
  (#match? @_command "(?i)^(include|find_package|add_subdirectory)$"))

(function_def (function_command (argument_list . (argument) @name)) (body)? @body) @def.function
(macro_def (macro_command (argument_list . (argument) @name)) (body)? @body) @def.macro

((normal_command (identifier) @_command (argument_list . (argument) @name)) @def.module
  (#match? @_command "(?i)^(project|add_library|add_executable|add_custom_target|fetchcontent_declare|externalproject_add)$"))
((normal_command (identifier) @_command (argument_list . (argument) @_word . (argument) @name)) @def.test
  (#match? @_command "(?i)^add_test$") (#eq? @_word "NAME"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @def.test
  (#match? @_command "(?i)^add_test$") (#not-match? @name "^NAME$"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @def.variable
  (#match? @_command "(?i)^(option|cmake_dependent_option)$"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @def.variable.global
  (#match? @_command "(?i)^set$"))
