(package_statement name: (package) @name (block)) @def.module
(class_statement name: (package) @name (block)) @def.class
(package_statement name: (package) @name) @def.module @open.1
(class_statement name: (package) @name) @def.class @open.1
(subroutine_declaration_statement name: (bareword) @name) @def.function
(method_declaration_statement name: (bareword) @name) @def.method
((use_statement module: (package) @_module (list_expression . (autoquoted_bareword) @name)) @def.constant
  (#eq? @_module "constant"))
(source_file (expression_statement [
  (variable_declaration variable: (_ (varname) @name))
  (assignment_expression left: (variable_declaration variable: (_ (varname) @name)))] @def.variable))
