(ambient_declaration (_) @wrapped) @wrapper

(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(enum_body name: [(property_identifier) (string) (computed_property_name)] @name @def.constant)
(enum_assignment name: (_) @name) @def.constant
(type_alias_declaration name: (type_identifier) @name value: (object_type) @body) @def.type
(type_alias_declaration name: (type_identifier) @name) @def.type
(internal_module name: (_) @name) @def.namespace
(module name: (_) @name) @def.namespace
(ambient_declaration "global" (statement_block) @body) @def.namespace @name.global

(function_signature name: (identifier) @name) @def.function
(method_signature ["get" "set"] name: (_) @name) @def.property
(method_signature name: (_) @name) @def.method
(abstract_method_signature ["get" "set"] name: (_) @name) @def.property
(abstract_method_signature name: (_) @name) @def.method
(class_body (_ !parameters name: (_) @name "=" . value: (_ ["=>" "function"])) @def.method)
(public_field_definition name: (_) @name) @def.field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @def.field
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @def.field
(interface_body [
  (property_signature name: (_) @name) @def.field
  (index_signature name: (identifier) @name) @def.field
  (construct_signature) @def.constructor @name.new
  (call_signature) @def.method @name.call])
(type_alias_declaration value: (object_type [
  (property_signature name: (_) @name) @def.field
  (index_signature name: (identifier) @name) @def.field]))
(class_body (index_signature name: (identifier) @name) @def.field)

; include: ecmascript

(variable_declarator value: (_
  . (_ (pair key: [(property_identifier) (string)] @name) @def.field.global)
  . ["as" "satisfies"]))
(export_statement declaration: (import_alias . "import" . (identifier) @name)) @def.type
(program (import_alias (nested_identifier) @import.name) @import)
(import_statement (import_require_clause source: (string) @import.name)) @import
