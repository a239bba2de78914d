(module_declaration name: (_) @name) @def.module
(import_clause moduleName: (_) @import.name) @import

(type_alias_declaration name: (_) @name) @def.type
(type_alias_declaration typeExpression: (type_expression
  part: (record_type fieldType: (field_type name: (_) @name) @def.field)))
(type_declaration name: (_) @name) @def.enum
(type_declaration unionVariant: (union_variant name: (_) @name) @def.constant)
(port_annotation name: (_) @name) @def.function.whole
(infix_declaration operator: (_) @name) @def.function

; the signature of a value is its annotation, where it has one
(_ (type_annotation) @def.function . [(line_comment) (block_comment)]* . (value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name . (_))) @extend @body)
(_ (type_annotation) @def.function . [(line_comment) (block_comment)]* . (value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)
  body: (anonymous_function_expr)) @extend @body)
(file (type_annotation) @def.constant . [(line_comment) (block_comment)]* . (value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)) @extend @body)

(value_declaration functionDeclarationLeft: (function_declaration_left
  . (lower_case_identifier) @name . (_))) @def.function
(value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)
  body: (anonymous_function_expr)) @def.function
(file (value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)) @def.constant)
(file (value_declaration pattern: (pattern child: (tuple_pattern
  pattern: (pattern child: (lower_pattern (lower_case_identifier) @name))))) @def.constant)
