"""`bidarena play`: a person against bots in the terminal, or bots to watch."""

from bidarena.cli.play.command import main

__all__ = ["main"]
