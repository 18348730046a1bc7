"""Leduc poker of the benchmark as a game that somebody registers."""

from __future__ import annotations

from dataclasses import replace

from bidarena.envs import register_game
from bidarena.envs.game import Game
from bidarena.studies.bench import leduc as bench


def leduc() -> Game:
    return replace(bench.leduc(), name="toy_leduc")


register_game("toy_leduc", "toy_leduc:leduc", "toy/Leduc-v0")
