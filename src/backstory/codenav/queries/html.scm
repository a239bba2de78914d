((element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))) @def.section
  (#eq? @_id "id"))
((script_element) @def.section @name.script)
((style_element) @def.section @name.style)
