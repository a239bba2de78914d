(message (message_name) @name) @def.struct
(enum (enum_name) @name) @def.enum
(service (service_name) @name) @def.interface
(rpc (rpc_name) @name) @def.method
(extend (full_ident) @name) @def.impl
