"""Networks with random weights, for tests."""

from itertools import pairwise

import numpy as np

from bidarena.baselines.learned.network import Network, outputs


def random_network(game, hidden=(16, 8), activation="relu", head="logits", seed=0):
    """Return a network with normally distributed weights that fits the game."""
    luck = np.random.default_rng(seed)
    sizes = [game.observation_size, *hidden, outputs(head, game.actions)]
    pairs = list(pairwise(sizes))
    weights = tuple(luck.normal(size=pair).astype(np.float32) for pair in pairs)
    biases = tuple(luck.normal(size=out).astype(np.float32) for _, out in pairs)
    return Network(weights, biases, activation, head)
