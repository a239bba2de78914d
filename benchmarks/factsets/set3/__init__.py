"""Sessions of set 3."""
