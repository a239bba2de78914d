(part text: (curly_group . (_) @name)) @def.section
(chapter text: (curly_group . (_) @name)) @def.section
(section text: (curly_group . (_) @name)) @def.section
(subsection text: (curly_group . (_) @name)) @def.section
(subsubsection text: (curly_group . (_) @name)) @def.section
(paragraph text: (curly_group . (_) @name)) @def.section
(subparagraph text: (curly_group . (_) @name)) @def.section

(new_command_definition declaration: (curly_group_command_name (command_name) @name)) @def.macro
(new_command_definition declaration: (command_name) @name) @def.macro
(old_command_definition declaration: (command_name) @name) @def.macro
(let_command_definition declaration: (command_name) @name) @def.macro
(environment_definition name: (curly_group_text (text) @name)) @def.macro
(theorem_definition name: (curly_group_text_list . (text) @name)) @def.macro
(paired_delimiter_definition declaration: (curly_group_command_name (command_name) @name)) @def.macro
(label_definition name: (curly_group_label (label) @name)) @def.constant

((generic_environment begin: (begin name: (curly_group_text (text) @name))) @def.section
  (#any-of? @name "abstract" "figure" "figure*" "table" "table*" "theorem" "lemma" "proposition"
    "corollary" "definition" "proof" "algorithm" "appendices" "frame"))

(class_include path: (curly_group_path (path) @import.name)) @import
(package_include paths: (curly_group_path_list (path) @import.name)) @import
(latex_include path: (curly_group_path (path) @import.name)) @import
(bibtex_include paths: (curly_group_path_list (path) @import.name)) @import
(biblatex_include glob: (curly_group_glob_pattern (_) @import.name)) @import
