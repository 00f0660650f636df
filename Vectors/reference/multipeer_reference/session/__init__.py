"""Sessions of many (SPEC §14)."""
