(from_instruction as: (image_alias) @name) @def.section @open.1
(from_instruction (image_spec name: (image_name) @name) !as) @def.section @open.1
(arg_instruction name: (_) @name) @def.variable
(env_instruction (env_pair name: (_) @name) @def.variable)
(label_instruction (label_pair key: (_) @name) @def.property)
(workdir_instruction) @def.property @name.WORKDIR
(expose_instruction) @def.property @name.EXPOSE
(volume_instruction) @def.property @name.VOLUME
(user_instruction) @def.property @name.USER
(healthcheck_instruction) @def.property @name.HEALTHCHECK
(entrypoint_instruction) @def.property @name.ENTRYPOINT
(source_file (cmd_instruction) @def.property @name.CMD)
