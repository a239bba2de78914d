((script_element) @def.section @name.script)
((style_element) @def.section @name.style)
