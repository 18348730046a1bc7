"""The exception that is raised when an outside bot breaks its protocol."""


class Fault(RuntimeError):  # noqa: N818 - a word of the games, as in tennis
    """An outside bot gave no answer, or a wrong one; it loses the game."""
