(rule_set (selectors) @name) @def.section
(media_statement . "@media" @scope . (_) @name) @def.section
(supports_statement . "@supports" @scope . (_) @name) @def.section
(keyframes_statement (keyframes_name) @name) @def.section
(at_rule (at_keyword) @name) @def.section
((declaration (property_name) @name) @def.property
  (#match? @name "^--"))
