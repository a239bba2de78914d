"""Sessions of set 1."""
