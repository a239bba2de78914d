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
(data_constructor constructor: (_ name: (_) @name)) @def.constructor
(data_constructor constructor: (infix operator: (_) @name)) @def.constructor
(newtype_constructor name: (_) @name) @def.constructor
(gadt_constructor name: (_) @name) @def.constructor
(gadt_constructor names: (binding_list name: (_) @name)) @def.constructor
(field name: (field_name (_) @name)) @def.field

(class name: (_) @name declarations: (class_declarations) @body) @def.class
(class name: (_) @name) @def.class
(instance name: (_) @scope patterns: (type_patterns . (_) @name) declarations: (_) @body) @def.impl
(instance name: (_) @scope patterns: (type_patterns . (_) @name)) @def.impl
(deriving_instance name: (_) @scope patterns: (type_patterns . (_) @name)) @def.impl
(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @def.method.whole)
(class_declarations (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)])) @def.method.whole)

(instance_declarations (bind name: (variable) @name match: (_) @body) @def.method)
(class_declarations (bind name: (variable) @name match: (_) @body) @def.method)

; the signature of a function is its type, where it has one
(declarations (signature) @def.function
  . [(comment) (haddock) (pragma)]* . (function name: (variable) @name) @extend @body)
(declarations (signature) @def.function
  . [(comment) (haddock) (pragma)]* . (function (infix operator: [(operator) @name (infix_id (_) @name)])) @extend @body)
(declarations (signature) @def.function
  . [(comment) (haddock) (pragma)]* . (bind name: (variable) @name match: (match expression: [(lambda) (do)])) @extend @body)
(declarations (signature type: (function)) @def.function
  . [(comment) (haddock) (pragma)]* . (bind name: (variable) @name) @extend @body)
(declarations (signature) @def.constant
  . [(comment) (haddock) (pragma)]* . (bind name: (variable) @name) @extend @body)
(local_binds (signature) @def.function
  . [(comment) (haddock) (pragma)]* . (function name: (variable) @name) @extend @body)
(local_binds (signature) @def.function
  . [(comment) (haddock) (pragma)]* . (function (infix operator: [(operator) @name (infix_id (_) @name)])) @extend @body)
(local_binds (signature) @def.function
  . [(comment) (haddock) (pragma)]* . (bind name: (variable) @name match: (match expression: [(lambda) (do)])) @extend @body)

(function name: (variable) @name match: (_) @body) @def.function
(function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body) @def.function
(bind name: (variable) @name match: (match expression: (lambda))) @def.function
(declarations (bind name: (variable) @name match: (match expression: (do))) @def.function)
(declarations (bind name: (variable) @name) @def.constant)
(declarations (bind pattern: (tuple element: (variable) @name)) @def.constant)
(pattern_synonym (signature synonym: (_) @name)) @def.constructor
; pattern Name x y = …: each argument is one more application
(pattern_synonym (equation synonym: (constructor) @name)) @def.constructor
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @def.constructor
(pattern_synonym (equation synonym: (apply function: (apply function: (constructor) @name)))) @def.constructor
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (constructor) @name))))) @def.constructor
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (apply function: (constructor) @name)))))) @def.constructor
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (apply function: (apply function: (constructor) @name))))))) @def.constructor
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (apply function: (apply function: (apply function: (constructor) @name)))))))) @def.constructor
(pattern_synonym (equation synonym: (apply function: (apply function: (apply function: (apply function: (apply function: (apply function: (apply function: (constructor) @name))))))))) @def.constructor
(pattern_synonym (equation synonym: (infix operator: (_) @name))) @def.constructor
(pattern_synonym (equation synonym: (record constructor: (_) @name))) @def.constructor
(foreign_import signature: (signature name: (_) @name)) @def.function.whole
