(package (full_ident) @name) @def.namespace
(message (message_name) @name (message_body) @body) @def.struct
(enum (enum_name) @name (enum_body) @body) @def.enum
(service (service_name) @name) @def.interface
(rpc (rpc_name) @name) @def.method
(extend (full_ident) @name (message_body) @body) @def.impl
(oneof . (identifier) @name) @def.field
(message_body (field (type) . (identifier) @name) @def.field)
(map_field (type) . (identifier) @name) @def.field
(oneof_field (type) . (identifier) @name) @def.field
(enum_field . (identifier) @name) @def.constant

(import path: (string) @import.name) @import
