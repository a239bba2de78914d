(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type type: (type_identifier) @scope)
    (pointer_type (type_identifier) @scope)
    (pointer_type (generic_type type: (type_identifier) @scope))
    (parenthesized_type (pointer_type (type_identifier) @scope))]))
  name: (field_identifier) @name) @def.method
((function_declaration
  name: (identifier) @name
  parameters: (parameter_list (parameter_declaration type: (pointer_type (qualified_type package: (package_identifier) @_package))))) @def.test
  (#eq? @_package "testing")
  (#match? @name "^(Test|Benchmark|Fuzz)"))
(function_declaration name: (identifier) @name) @def.function

(package_clause (package_identifier) @name) @def.module

(type_declaration "type" . [(type_spec) (type_alias)] @wrapped) @wrapper
(const_declaration "const" . (const_spec) @wrapped) @wrapper
(var_declaration "var" . (var_spec) @wrapped) @wrapper
; in brackets, each stands for itself
(type_declaration "(" [(type_spec) (type_alias)] @wrapped @wrapper)
(const_declaration "(" (const_spec) @wrapped @wrapper)

(type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @def.method))

; the fields of declared types alone: tables of tests have anonymous ones
(type_spec type: (struct_type (field_declaration_list (field_declaration
  name: (field_identifier) @name) @def.field)))
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: [
    (type_identifier) @name
    (qualified_type name: (type_identifier) @name)])]) @def.field)))
(field_declaration type: [
  (struct_type (field_declaration_list (field_declaration
    name: (field_identifier) @name) @def.field))
  (_ (struct_type (field_declaration_list (field_declaration
    name: (field_identifier) @name) @def.field)))])

(source_file (const_declaration (const_spec (identifier) @name) @def.constant)
  (#not-match? @name "^_$"))
(source_file (var_declaration [
  (var_spec name: (identifier) @name) @def.variable
  (var_spec_list (var_spec name: (identifier) @name) @def.variable)])
  (#not-match? @name "^_$"))

(import_spec path: (_ (_) @import.name)) @import
