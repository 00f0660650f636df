"""Test vectors (Vectors/README.md) and the shim (Vectors/SHIM.md): JSON's types and hexadecimal all through."""
