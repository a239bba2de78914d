(haddock) @comment
(declarations (pragma) @comment)
(header module: (module) @name) @def.module
(import module: (module) @import.name) @import

(data_type name: (_) @name constructors: (_) @body) @def.type
(data_type name: (_) @name) @def.type
(newtype name: (_) @name constructor: (_) @body) @def.type
(type_synomym name: (_) @name) @def.type
(data_family name: (_) @name) @def.type
(type_family name: (_) @name) @def.type
(data_constructor constructor: (_ [name: (_) @name operator: (_) @name])) @def.constructor
(newtype_constructor name: (_) @name) @def.constructor
(gadt_constructor [name: (_) @name names: (_ name: (_) @name)]) @def.constructor
(field name: (field_name (_) @name)) @def.field

(class name: (_) @name declarations: (class_declarations) @body) @def.class
(class name: (_) @name) @def.class
(instance name: (_) @scope patterns: (type_patterns . (_) @name) declarations: (_) @body) @def.impl
(instance name: (_) @scope patterns: (type_patterns . (_) @name)) @def.impl
(deriving_instance name: (_) @scope patterns: (type_patterns . (_) @name)) @def.impl
(class_declarations (_ . [
  name: [(variable) @name (_ . (_) @name)]
  names: (_ name: [(variable) @name (_ . (_) @name)])] . "::") @def.method.whole)

(instance_declarations (_ . name: (variable) @name . match: (_) @body) @def.method)
(class_declarations (_ . name: (variable) @name . match: (_) @body) @def.method)

; the signature of a function is its type, where it has one
(declarations (signature) @def.function . [(comment) (haddock) (pragma)]* . [
  (_ . [name: (variable) @name (_ . left_operand: (_) . operator: [(operator) @name (_ . (variable) @name)])] . patterns: (_))
  (_ . name: (variable) @name . match: (_ expression: [(lambda) (do)]))
  (_ . (_ . left_operand: (_) . operator: [(operator) @name (_ . (variable) @name)]) . match: (_))] @extend @body)
(declarations (_ . name: (_) . "::" . type: (function)) @def.function
  . [(comment) (haddock) (pragma)]* . (_ . name: (variable) @name . match: (_)) @extend @body)
(declarations (signature) @def.constant
  . [(comment) (haddock) (pragma)]* . (_ . name: (variable) @name . match: (_)) @extend @body)
(local_binds (signature) @def.function . [(comment) (haddock) (pragma)]* . [
  (_ . [name: (variable) @name (_ . left_operand: (_) . operator: [(operator) @name (_ . (variable) @name)])] . patterns: (_))
  (_ . name: (variable) @name . match: (_ expression: [(lambda) (do)]))
  (_ . (_ . left_operand: (_) . operator: [(operator) @name (_ . (variable) @name)]) . match: (_))] @extend @body)

(function . [name: (variable) @name (_ . left_operand: (_) . operator: [(operator) @name (_ . (variable) @name)])] match: (_) @body) @def.function
(bind name: (variable) @name match: (_ expression: (lambda))) @def.function
(declarations (_ . name: (variable) @name . match: (_ expression: (do))) @def.function)
(declarations (_ . [name: (variable) @name pattern: (tuple element: (variable) @name)] . match: (_)) @def.constant)
; pattern Name x y = …: each argument is one more application
(pattern_synonym [
  (signature synonym: (_) @name)
  (equation synonym: [
    (_ operator: (_) @name) (_ constructor: (_) @name)
    (constructor) @name (_ function: [(constructor) @name (_ function: [(constructor) @name (_ function: [(constructor) @name (_ function: [(constructor) @name (_ function: [(constructor) @name (_ function: [(constructor) @name (_ function: [(constructor) @name])])])])])])])])]) @def.constructor
(foreign_import signature: (_ name: (_) @name)) @def.function.whole
