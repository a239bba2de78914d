(import_statement (expression_list (_) @import.name)) @import
(import_from_statement module: (_) @import.name) @import
(include_statement (expression_list (_) @import.name)) @import

(proc_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.function
(func_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.function
(method_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.method
(iterator_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.function
(converter_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.function
(template_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.macro
(macro_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment)? @doc) @def.macro

(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])
  (enum_declaration (documentation_comment)? @doc) @body) @def.enum
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])
  (object_declaration)) @def.class
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])
  (_ (object_declaration))) @def.class
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])
  (concept_declaration)) @def.interface
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])) @def.type
(enum_field_declaration (symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])) @def.constant
(field_declaration (symbol_declaration_list (symbol_declaration
  name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @def.field
(variant_discriminator_declaration (symbol_declaration_list (symbol_declaration
  name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @def.field

(variable_declaration
  (symbol_declaration_list (symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)]))
  value: (proc_expression)) @def.function.global
(const_section (variable_declaration (symbol_declaration_list (symbol_declaration
  name: [(identifier) @name (exported_symbol (_) @name)]))) @def.constant.global)
(variable_declaration (symbol_declaration_list (symbol_declaration
  name: [(identifier) @name (exported_symbol (_) @name)]))) @def.variable.global
