(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @def.property)))
