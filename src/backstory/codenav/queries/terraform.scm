(config_file (body (block (identifier) (string_lit (template_literal) @scope) . (string_lit (template_literal) @name)) @def.struct))
(config_file (body (block . (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @def.variable))
(config_file (body (block . (identifier) @name . (block_start)) @def.section))
(config_file (body (attribute . (identifier) @name) @def.property))
