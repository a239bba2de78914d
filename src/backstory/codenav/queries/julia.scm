(module_definition name: (identifier) @name) @def.module
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))])) @def.struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))])) @def.type
(function_definition (signature [
  (identifier) @name
  (call_expression . (_) @name)
  (typed_expression . (call_expression . (_) @name))
  (where_expression . (call_expression . (_) @name))
  (where_expression . (typed_expression . (call_expression . (_) @name)))])) @def.function
(assignment . [
  (call_expression . [(identifier) (field_expression)] @name)
  (typed_expression . (call_expression . [(identifier) (field_expression)] @name))
  (where_expression . (call_expression . [(identifier) (field_expression)] @name))]) @def.function
(macro_definition (signature (call_expression . (identifier) @name))) @def.macro
(const_statement (assignment . (identifier) @name)) @def.constant
(source_file (assignment . (identifier) @name) @def.variable)
