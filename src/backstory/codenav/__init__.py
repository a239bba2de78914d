"""What is in a source file: languages, parsing, symbols."""
