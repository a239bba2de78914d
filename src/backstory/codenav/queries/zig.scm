["pub" "export" "inline" "noinline" "threadlocal"] @leading
((Decl (_ variable_type_function: (IDENTIFIER) @name
  (_ (_ . (BUILTINIDENTIFIER) @_import
    . (_ . (_ . (_ . (STRINGLITERALSINGLE) @import.name))))))) @import
  (#eq? @_import "@import"))

; a declaration, and one in a function
(Decl (_ . ["const" "var"] . variable_type_function: (IDENTIFIER) @name
  (_ (_ [
    (ContainerDecl [(_ . ["struct" "opaque" "union"] @as.struct) (_ . "enum" @as.enum)] "{" @body)
    (ErrorSetDecl "{" @as.enum @body)])))) @def.struct
(_ . ["const" "var"] . variable_type_function: (IDENTIFIER) @name
  (_ (_ [
    (ContainerDecl [(_ . ["struct" "opaque" "union"] @as.struct) (_ . "enum" @as.enum)] "{" @body)
    (ErrorSetDecl "{" @as.enum @body)]))) @def.struct
(_ (_ function: (IDENTIFIER) @name) . (Block)? @body) @def.function
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @def.test
(TestDecl (IDENTIFIER) @name (Block) @body) @def.test

(ContainerField field_member: (IDENTIFIER) @name) @def.field
(ContainerDecl [(_ . "enum" @as.constant) (_ . "union" @as.field)]
  (ContainerField . (_ (_ . variable_type_function: (IDENTIFIER) @name))) @def.field)
(ErrorSetDecl field_constant: (IDENTIFIER) @name @def.constant)
(Decl (_ . ["const" @as.constant "var" @as.variable] . variable_type_function: (IDENTIFIER) @name)) @def.constant
