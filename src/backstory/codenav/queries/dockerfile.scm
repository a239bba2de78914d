(from_instruction as: (image_alias) @name) @def.section @open.1
(from_instruction (image_spec name: (image_name) @name) !as) @def.section @open.1
(arg_instruction name: (unquoted_string) @name) @def.variable
(env_instruction (env_pair name: (unquoted_string) @name)) @def.variable
