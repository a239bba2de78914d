"""From a question to records."""
