"""Test vectors (Vectors/README.md) and the shim (Vectors/SHIM.md): everything here speaks JSON's types and hexadecimal."""
