(property (key) @name) @def.property
