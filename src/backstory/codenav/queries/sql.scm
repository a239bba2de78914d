(create_table (object_reference) @name [(column_definitions) (create_query)] @body) @def.struct
(create_table (object_reference) @name) @def.struct
(create_table (column_definitions (column_definition name: (identifier) @name) @def.field))
(create_view (object_reference) @name (create_query) @body) @def.type
(create_view (object_reference) @name) @def.type
(create_materialized_view (object_reference) @name (create_query) @body) @def.type
(create_materialized_view (object_reference) @name) @def.type
(create_type (object_reference) @name) @def.type

(create_function (keyword_function) . (object_reference) @name) @def.function
(create_trigger . (keyword_create) (keyword_trigger) . (object_reference) @name) @def.function
(create_index column: (identifier) @name) @def.property
(create_sequence (object_reference) @name) @def.variable
(create_schema (identifier) @name) @def.namespace
(create_database (identifier) @name) @def.namespace
