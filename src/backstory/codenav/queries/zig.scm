["pub" "export" "inline" "noinline" "threadlocal"] @leading
((Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (BUILTINIDENTIFIER) @_import
    (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @import.name))))))) @import
  (#eq? @_import "@import"))

(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "union") "{" @body))))) @def.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "enum") "{" @body))))) @def.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType) "{" @body))))) @def.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ErrorSetDecl "{" @body))))) @def.enum
(VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "union") "{" @body)))) @def.struct
(VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType "enum") "{" @body)))) @def.enum
(VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl (ContainerDeclType) "{" @body)))) @def.struct
(VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ErrorSetDecl "{" @body)))) @def.enum
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @def.function
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @def.test
(TestDecl (IDENTIFIER) @name (Block) @body) @def.test

(ContainerField field_member: (IDENTIFIER) @name) @def.field
(ContainerDecl (ContainerDeclType "enum")
  (ContainerField . (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name))) @def.constant)
(ContainerDecl (ContainerDeclType "union")
  (ContainerField . (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name))) @def.field)
(ErrorSetDecl field_constant: (IDENTIFIER) @name @def.constant)
(Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name)) @def.constant
(Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name)) @def.variable
