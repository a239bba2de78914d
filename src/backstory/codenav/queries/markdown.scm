(atx_heading (atx_h1_marker) heading_content: (inline) @name (#set! open "1")) @def.section
(atx_heading (atx_h2_marker) heading_content: (inline) @name (#set! open "2")) @def.section
(atx_heading (atx_h3_marker) heading_content: (inline) @name (#set! open "3")) @def.section
(atx_heading (atx_h4_marker) heading_content: (inline) @name (#set! open "4")) @def.section
(atx_heading (atx_h5_marker) heading_content: (inline) @name (#set! open "5")) @def.section
(atx_heading (atx_h6_marker) heading_content: (inline) @name (#set! open "6")) @def.section
(setext_heading heading_content: (_) @name (setext_h1_underline) (#set! open "1")) @def.section
(setext_heading heading_content: (_) @name (setext_h2_underline) (#set! open "2")) @def.section
