"""MaskablePPO on one game against one opponent, then a match against every bot of that game.

    python -m bidarena.train.ppo --game raj --opponent greedy --steps 500000

Reads from top to bottom: arguments, environment, learning, matches. The policy is saved where
`--save` says, in SB3's own format.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from bidarena.cli.options import progress_bar, show_json
from bidarena.envs import batched, make_game
from bidarena.envs.registry import playing
from bidarena.envs.sb3 import SB3Env
from bidarena.evaluate.match import Score, play_match


@dataclass
class Arguments:
    """Learn a policy for a game of two players against a fixed opponent."""

    game: str = "raj"
    """as `bidarena list` shows them"""

    opponent: str = "random"
    """whom to learn against: a name with options"""

    rules: str = "{}"
    """rules of the game as JSON, such as '{"money": 20}'"""

    steps: int = 500_000
    """decisions of the learner"""

    envs: int = 256
    """games side by side"""

    learning_rate: float = 1e-3
    """of Adam, falling to 0 in a straight line"""

    entropy: float = 0.003
    """how much variety of play is rewarded"""

    games: int = 4000
    """of each match afterwards"""

    seed: int = 0
    """of the network, the games and the matches"""

    save: Path | None = None
    """where to put the policy"""

    json: bool = False
    """print one JSON object instead of a table"""


class _Bar(BaseCallback):
    """Moves a progress bar on."""

    def __init__(self, advance: Any, envs: int) -> None:
        super().__init__()
        self._advance, self._envs = advance, envs

    def _on_step(self) -> bool:
        self._advance(self._envs)
        return True


def learn(args: Arguments) -> MaskablePPO:
    """A policy after `args.steps` decisions."""
    env = SB3Env(make_game(args.game, **json.loads(args.rules)), args.envs, opponent=args.opponent)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda left: args.learning_rate * left,
        n_steps=32,
        batch_size=args.envs * 8,
        n_epochs=4,
        gamma=1.0,  # the reward comes at the end, and games are short
        ent_coef=args.entropy,
        seed=args.seed,
        policy_kwargs={"net_arch": [64, 64]},
        device="cpu",
    )
    with progress_bar(args.steps, f"learning {args.game} against {args.opponent}") as advance:
        model.learn(args.steps, callback=_Bar(advance, args.envs))
    return model


def matches(args: Arguments, model: MaskablePPO, name: str) -> dict[str, Score]:
    """The policy, choosing its likeliest action, against every bot of its game."""
    game = make_game(args.game, **json.loads(args.rules))

    @batched
    def policy(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    policy.name = name  # type: ignore[attr-defined]
    rivals, _ = playing(game)
    scores = {}
    with progress_bar(len(rivals) * args.games, "matches") as advance:
        for rival, bot in rivals.items():
            both = [policy, bot]
            match = play_match(game, both, args.games, seed=args.seed, progress=advance)
            scores[rival] = match.scores[0]
    return scores


def main(argv: list[str] | None = None) -> None:
    """Learn, play, report."""
    args = tyro.cli(Arguments, args=argv, prog="python -m bidarena.train.ppo")
    torch.set_num_threads(1)  # small networks are fastest in one thread
    untrained = matches(args, learn(_without_steps(args)), "untrained")
    model = learn(args)
    if args.save is not None:
        model.save(args.save)
    learned = matches(args, model, "ppo")
    if args.json:
        both = {
            rival: {"before": untrained[rival].as_dict(), "after": after.as_dict()}
            for rival, after in learned.items()
        }
        show_json(both)
        return
    table = Table("against", "before", "after: won / drawn / lost", "mean return (95 %)")
    for rival, after in learned.items():
        mean = f"{after.mean:+.2f} ± {after.half_width:.2f}"
        table.add_row(rival, _shares(untrained[rival]), _shares(after), mean)
    Console().print(table)


def _without_steps(args: Arguments) -> Arguments:
    """The same, but for a network that has learned nothing yet."""
    return Arguments(**{**vars(args), "steps": 0})


def _shares(score: Score) -> str:
    counts = (score.wins, score.draws, score.losses)
    return " / ".join(f"{100 * count / score.games:.0f}" for count in counts) + " %"


if __name__ == "__main__":
    main(sys.argv[1:])
