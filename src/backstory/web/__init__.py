"""HTTP: the JSON API."""
