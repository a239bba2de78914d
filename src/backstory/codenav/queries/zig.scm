(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "struct")))))) @def.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "union")))))) @def.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "enum")))))) @def.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ErrorSetDecl))))) @def.enum
(Decl (FnProto function: (IDENTIFIER) @name)) @def.function
(TestDecl (STRINGLITERALSINGLE) @name) @def.test
(TestDecl (IDENTIFIER) @name) @def.test
((source_file (Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (BUILTINIDENTIFIER) @_import)))) @import)
  (#eq? @_import "@import"))
(source_file (Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name)) @def.constant)
(source_file (Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name)) @def.variable)
