(protocol_declaration . "@protocol" . (identifier) @name) @def.interface
(class_interface "@interface" . (identifier) @name) @def.class
(class_implementation "@implementation" . (identifier) @name) @def.impl
[(method_declaration) (method_definition)] @declared.method
[(property_declaration) (instance_variable)] @declared.members
(implementation_definition (_) @wrapped) @wrapper
; include: c
(module_import path: (_) @import.name) @import
