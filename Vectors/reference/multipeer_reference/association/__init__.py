"""Associations: what two peers say to each other above an open link (SPEC §13, §15)."""
