"""Tournaments: many line-ups of bots on the same deals, in a folder that can be resumed."""

from bidarena.evaluate.tournament.meetings import Meeting
from bidarena.evaluate.tournament.plan import Tournament
from bidarena.evaluate.tournament.run import run_tournament

__all__ = ["Meeting", "Tournament", "run_tournament"]
