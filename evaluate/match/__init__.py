"""Matches: games between bots, every deal from every seat, with intervals."""

from bidarena.evaluate.match.blocks import Player
from bidarena.evaluate.match.play import Match, play_match
from bidarena.evaluate.match.scores import Z95, Score

__all__ = ["Z95", "Match", "Player", "Score", "play_match"]
