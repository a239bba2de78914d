((block (identifier) @_block (body (attribute (identifier) @_key
  (expression (literal_value (string_lit (template_literal) @import.name)))) @import))
  (#eq? @_block "module") (#eq? @_key "source"))

(config_file (body (block (identifier)
  (string_lit (template_literal) @scope) . (string_lit (template_literal) @name) (block_start) @body) @def.struct))
((config_file (body (block . (identifier) @scope . (string_lit (template_literal) @name) . (block_start) @body) @def.module))
  (#any-of? @scope "module" "provider"))
(config_file (body (block . (identifier) @scope . (string_lit (template_literal) @name) . (block_start) @body) @def.variable))
((config_file (body (block . (identifier) @_block (body (attribute . (identifier) @name) @def.constant))))
  (#eq? @_block "locals"))
(config_file (body (block . (identifier) @name . (block_start) @body) @def.section))
(config_file (body (attribute . (identifier) @name) @def.property))
