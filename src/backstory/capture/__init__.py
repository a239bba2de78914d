"""From hook payloads to stored observations."""
