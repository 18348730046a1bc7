"""An algorithm from outside: changes a linear policy at random, keeps what wins more."""

import time

import numpy as np

from bidarena.baselines.learned.bots import network_bot
from bidarena.baselines.learned.network import Network
from bidarena.evaluate.match import play_match
from bidarena.train import register_algorithm

register_algorithm(
    "climb",
    f"{__name__}:Climber",
    hyperparameters={
        "default": {"steps": 4000, "games": 50, "change": 0.5},
        "bidarena/Scotch-v0": {"change": 0.1},
    },
)


class Climber:
    def __init__(self, task):
        self.task, self.game, self.steps = task, task.make_game(), 0
        self.weights = np.zeros((self.game.observation_size, self.game.actions), np.float32)

    def network(self, change=0.0):
        weights = (self.weights + change).astype(np.float32)
        return Network((weights,), (np.zeros(self.game.actions, np.float32),))

    def learn(self):
        began = time.perf_counter()
        luck = np.random.default_rng([self.task.seed, self.steps])
        change = luck.normal(0.0, self.task.settings["change"], self.weights.shape)
        matches = [
            play_match(
                self.game,
                [network_bot(self.game, network, "climb"), self.task.players["opponent"]],
                self.task.settings["games"],
                seed=int(luck.integers(2**31)),
            )
            for network in (self.network(), self.network(change))
        ]
        before, after = (match.scores[0].mean for match in matches)
        if after > before:
            self.weights = self.network(change).weights[0]
        self.steps += sum(match.moves for match in matches)
        seconds = time.perf_counter() - began
        return {"return": max(before, after), "env_seconds": seconds, "seconds": seconds}

    def state(self):
        return {"steps": self.steps, "weights": self.weights}

    def restore(self, state):
        self.steps, self.weights = state["steps"], np.asarray(state["weights"])
