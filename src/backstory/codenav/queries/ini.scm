(section (section_name (text) @name)) @def.section
(setting (setting_name) @name) @def.property
