"""The MCP tools: one family a module, and the server that offers them."""
