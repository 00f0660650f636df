"""Which of the two programs has a command."""

LABORATORY = {"listen", "connect", "decode", "conformance", "vectors"}


def program(tool: object, command: object) -> str:
    """`multipeer`, whose path is given, or `multipeer-lab` beside it."""
    return f"{tool}-lab" if command in LABORATORY else str(tool)
