(document root: (element (STag (Name) @name)) @def.section)
(document root: (element (EmptyElemTag (Name) @name)) @def.section)
