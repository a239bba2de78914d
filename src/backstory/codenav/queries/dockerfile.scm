(from_instruction as: (image_alias) @name (#set! open "1")) @def.section
(from_instruction (image_spec name: (image_name) @name) !as (#set! open "1")) @def.section
(arg_instruction name: (unquoted_string) @name) @def.variable
(env_instruction (env_pair name: (unquoted_string) @name)) @def.variable
