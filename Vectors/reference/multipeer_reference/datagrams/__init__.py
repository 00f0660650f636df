"""Datagrams beside an open link, without sockets, clocks or randomness of their own (SPEC §26)."""
