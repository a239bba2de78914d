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
(function_declaration (function_body_declaration . (function_identifier (function_identifier) @name))) @def.function
(function_declaration (function_body_declaration
  . (function_data_type_or_implicit1) . (function_identifier (function_identifier) @name))) @def.function
(task_declaration (task_body_declaration . (task_identifier (task_identifier) @name))) @def.function
(function_prototype (function_identifier (function_identifier) @name)) @def.function
(task_prototype (task_identifier (task_identifier) @name)) @def.function
(constraint_declaration (constraint_identifier (constraint_identifier) @name)) @def.property
(property_declaration . (property_identifier) @name) @def.property
(sequence_declaration . (_) @name) @def.property
(covergroup_declaration . (covergroup_identifier) @name) @def.class
(clocking_declaration . (clocking_identifier) @name) @def.property
(modport_item (modport_identifier (modport_identifier) @name)) @def.interface

(type_declaration (data_type (struct_union)) (simple_identifier) @name) @def.struct
(type_declaration (data_type (enum_name_declaration)) (simple_identifier) @name) @def.enum
(type_declaration (simple_identifier) @name) @def.type
(enum_name_declaration (enum_identifier) @name) @def.constant
(struct_union_member (list_of_variable_decl_assignments (variable_decl_assignment . (simple_identifier) @name))) @def.field
(class_property (data_declaration (list_of_variable_decl_assignments (variable_decl_assignment . (simple_identifier) @name)))) @def.field
; functions of C, as the mask makes them
((data_declaration (data_type_or_implicit1 (data_type (simple_identifier) @_type))
  (list_of_variable_decl_assignments (variable_decl_assignment . (simple_identifier) @name))) @def.function
  (#match? @_type "^i{12}i*$"))
((net_declaration . (simple_identifier) @_type
  (list_of_net_decl_assignments (net_decl_assignment . (simple_identifier) @name))) @def.function
  (#match? @_type "^i{12}i*$"))
(parameter_declaration (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @def.constant
(local_parameter_declaration (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @def.constant
(ansi_port_declaration (port_identifier) @name) @def.field
(input_declaration (_ (port_identifier) @name)) @def.field
(output_declaration (_ (port_identifier) @name)) @def.field
(inout_declaration (_ (port_identifier) @name)) @def.field
(package_or_generate_item_declaration (data_declaration (list_of_variable_decl_assignments
  (variable_decl_assignment . (simple_identifier) @name))) @def.variable)
(package_or_generate_item_declaration (net_declaration (list_of_net_decl_assignments
  (net_decl_assignment . (simple_identifier) @name))) @def.variable)
(_ (hierarchical_instance (name_of_instance (instance_identifier) @name))) @def.variable
(checker_instantiation (name_of_instance (instance_identifier) @name)) @def.variable
