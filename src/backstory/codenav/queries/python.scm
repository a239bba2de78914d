(decorated_definition definition: (_) @wrapped @head) @wrapper

(decorated_definition
  (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
  definition: (function_definition name: (identifier) @name) @def.property
  (#any-of? @_decorator "property" "cached_property" "abstractproperty" "setter" "getter" "deleter"))
(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(block . (string) @doc)

(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @def.type.global
(assignment left: (identifier) @name) @def.variable.global.upper
(assignment left: [
  (pattern_list [(identifier) @name (list_splat_pattern (identifier) @name)
    (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
    (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])
  (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)
    (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
    (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])
  (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)
    (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
    (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])]) @def.variable.global.upper
(assignment right: (assignment) @wrapped) @wrapper

(import_statement name: [
  (dotted_name) @import.name
  (aliased_import name: (dotted_name) @import.name)]) @import
(import_from_statement module_name: (dotted_name) @import.name) @import
(import_from_statement module_name: (relative_import (dotted_name)) @import.name) @import
(import_from_statement
  module_name: (relative_import (import_prefix) @import.from .)
  name: [(dotted_name) @import.name (aliased_import name: (dotted_name) @import.name)]) @import
(import_from_statement) @import
(future_import_statement) @import
