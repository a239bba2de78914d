(create_table (object_reference) @name) @def.struct
(create_view (object_reference) @name) @def.type
(create_materialized_view (object_reference) @name) @def.type
(create_type (object_reference) @name) @def.type
(create_function (keyword_function) . (object_reference) @name) @def.function
(create_trigger . (keyword_create) (keyword_trigger) . (object_reference) @name) @def.function
(create_index column: (identifier) @name) @def.property
(create_schema (identifier) @name) @def.namespace
(alter_table (object_reference) @name) @def.struct
