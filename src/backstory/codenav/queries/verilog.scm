(include_compiler_directive (_) @import.name) @import
(package_import_declaration (package_import_item) @import.name) @import

(text_macro_definition (text_macro_name (text_macro_identifier) @name)) @def.macro
(package_declaration . (package_identifier) @name) @def.module
(module_declaration (module_header (simple_identifier) @name)) @def.module
(interface_declaration (_ (interface_identifier) @name)) @def.interface
(program_declaration (_ (program_identifier) @name)) @def.module
(class_declaration . (class_identifier) @name) @def.class
(interface_class_declaration . (class_identifier) @name) @def.interface
(class_constructor_declaration) @def.constructor @name.new
; the name may be said again at the end
(function_declaration (_ . (function_data_type_or_implicit1)? . (_ . (function_identifier) @name))) @def.function
(task_declaration (_ . (_ . (task_identifier) @name))) @def.function
(function_prototype (_ . (function_identifier) @name)) @def.function
(task_prototype (_ . (task_identifier) @name)) @def.function
(constraint_declaration (_ . (constraint_identifier) @name)) @def.property
(property_declaration . (property_identifier) @name) @def.property
(sequence_declaration . (_) @name) @def.property
(covergroup_declaration . (covergroup_identifier) @name) @def.class
(clocking_declaration . (clocking_identifier) @name) @def.property
(modport_item (_ . (modport_identifier) @name)) @def.interface

(type_declaration (_ [(struct_union) @as.struct (enum_name_declaration) @as.enum]) (simple_identifier) @name) @def.struct
(type_declaration (simple_identifier) @name) @def.type
(enum_name_declaration (enum_identifier) @name) @def.constant
(struct_union_member (_ (variable_decl_assignment . (simple_identifier) @name))) @def.field
(class_property (_ (_ (variable_decl_assignment . (simple_identifier) @name)))) @def.field
; functions of C, as the mask makes them
((data_declaration (_ (_ . (simple_identifier) @_type))
  . (_ (variable_decl_assignment . (simple_identifier) @name))) @def.function
  (#match? @_type "^i{12}i*$"))
((net_declaration . (simple_identifier) @_type
  . (_ (net_decl_assignment . (simple_identifier) @name))) @def.function
  (#match? @_type "^i{12}i*$"))
(parameter_declaration (_ (_ . (parameter_identifier) @name))) @def.constant
(local_parameter_declaration (_ (_ . (parameter_identifier) @name))) @def.constant
(ansi_port_declaration (port_identifier) @name) @def.field
(input_declaration (_ (port_identifier) @name)) @def.field
(output_declaration (_ (port_identifier) @name)) @def.field
(inout_declaration (_ (port_identifier) @name)) @def.field
(package_or_generate_item_declaration (_ (_ [
  (variable_decl_assignment . (simple_identifier) @name)
  (net_decl_assignment . (simple_identifier) @name)])) @def.variable)
(module_instantiation (hierarchical_instance . (_ . (instance_identifier) @name))) @def.variable
(interface_instantiation (hierarchical_instance . (_ . (instance_identifier) @name))) @def.variable
(program_instantiation (hierarchical_instance . (_ . (instance_identifier) @name))) @def.variable
(checker_instantiation (name_of_instance (instance_identifier) @name)) @def.variable
