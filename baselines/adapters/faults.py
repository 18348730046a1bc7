"""What can go wrong in a match: a bot's fault, which costs it a game, or a breakdown of ours."""


class Fault(RuntimeError):  # noqa: N818 - a word of the games, as in tennis
    """An outside bot gave no answer, or a wrong one; it loses the game.

    The reason may hold words of the bot. Control characters in it, which could write anywhere on a
    terminal, are replaced.
    """

    def __init__(self, reason: object = "") -> None:
        super().__init__("".join(c if c.isprintable() else " " for c in str(reason)))


class IllegalAnswer(Fault):
    """An outside bot answered in time, but not with a legal move; it loses the game."""


class Breakdown(RuntimeError):  # noqa: N818 - the counterpart of a fault
    """One of our own bots or the machine has failed; nobody loses a game, the match stops."""
