"""Sessions of set 2."""
