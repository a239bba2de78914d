(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type type: (type_identifier) @scope)
    (pointer_type (type_identifier) @scope)
    (pointer_type (generic_type type: (type_identifier) @scope))]))
  name: (field_identifier) @name) @def.method
((function_declaration
  name: (identifier) @name
  parameters: (parameter_list (parameter_declaration type: (pointer_type (qualified_type package: (package_identifier) @_package))))) @def.test
  (#eq? @_package "testing")
  (#match? @name "^(Test|Benchmark|Fuzz)"))
(function_declaration name: (identifier) @name) @def.function

(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type
(interface_type (method_elem name: (field_identifier) @name) @def.method)

(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))
(source_file (var_declaration [
  (var_spec name: (identifier) @name) @def.variable
  (var_spec_list (var_spec name: (identifier) @name) @def.variable)]))
