"""What is raised when a bot from outside breaks its protocol."""


class Fault(RuntimeError):  # noqa: N818 - a word of the games, as in tennis
    """An outside bot did not answer as it must; it loses the game."""
