(mixin_statement name: (identifier) @name) @def.macro
(function_statement name: (identifier) @name) @def.function
(rule_set (selectors) @name) @def.section
(media_statement . "@media" @scope . (_) @name) @def.section
(keyframes_statement (keyframes_name) @name) @def.section
((declaration (property_name) @name) @def.property
  (#match? @name "^--"))
(stylesheet (declaration (property_name) @name) @def.variable)
