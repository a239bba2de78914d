(atx_heading (atx_h1_marker) heading_content: (inline) @name) @def.section @open.1
(atx_heading (atx_h2_marker) heading_content: (inline) @name) @def.section @open.2
(atx_heading (atx_h3_marker) heading_content: (inline) @name) @def.section @open.3
(atx_heading (atx_h4_marker) heading_content: (inline) @name) @def.section @open.4
(atx_heading (atx_h5_marker) heading_content: (inline) @name) @def.section @open.5
(atx_heading (atx_h6_marker) heading_content: (inline) @name) @def.section @open.6
(setext_heading heading_content: (_) @name (setext_h1_underline)) @def.section @open.1
(setext_heading heading_content: (_) @name (setext_h2_underline)) @def.section @open.2
