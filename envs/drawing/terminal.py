"""Colours of a terminal, for drawings as text."""

# Codes of ANSI terminals. A side is 0 for the player who looks and 1 for the opponent.
BOLD, GREEN, SIDE_CODES = "1", "1;32", ("1;34", "1;33")


def paint(text: str, code: str) -> str:
    """Return text with the codes that colour it in a terminal, and nothing after it."""
    return f"\x1b[{code}m{text}\x1b[0m"
