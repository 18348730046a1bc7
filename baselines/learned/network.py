"""A learned policy: a small network from the observation to the actions, and how bots read it.

The network is a stack of dense layers. Training (`bidarena.train`) is not needed to play: the
weights are the params of one compiled bot; bots.py makes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.baselines.common import distribution
from bidarena.envs.arguments import choice
from bidarena.envs.game import Cfg, Game, Mask, Observation, Params, Rng, State
from bidarena.envs.rng import draw
from bidarena.envs.structure.parts import needed_parts

Numbers = NDArray[np.float32]

ACTIVATIONS = ("relu", "tanh")
AFTERSTATES, MATRIX, POSITIONS, GAINS = "afterstates", "matrix", "positions", "gains"
PARTS, POLICY_VALUE = "parts", "policy_value"
HEADS = ("logits", "values", AFTERSTATES, MATRIX, POSITIONS, GAINS, PARTS, POLICY_VALUE)
LOOKING_AHEAD = (POSITIONS, GAINS)  # one number for what a player sees

# params: these entries, the sizes from the inputs to the outputs, then weights and biases by layer
GREEDY, ACTIVATION, LAYERS, SIZES = 0, 1, 2, 3
RELU = 0


@dataclass(frozen=True, eq=False)
class Network:
    """Dense layers from the observation to one number per action, or to one for the position.

    Attributes:
        weights: the weights of each layer, (inputs, outputs).
        biases: the biases of each layer, (outputs,).
        activation: "relu" or "tanh", after every layer but the last.
        head: what the outputs mean. "logits": the logits of the actions' probabilities. "values":
            the values of the actions; the highest is taken. "afterstates": one number x for the
            position, in which the player to move expects tanh(x / 2), see afterstates.py.
            "matrix": a value for every pair of an own action and an action of the other player,
            see pairs.py. "positions" and "gains": one number for what a player sees, see
            positions.py. "parts": like "afterstates", but the first layers see each part of the
            position by itself, see parts.py. "policy_value": logits, then one number x: the player
            expects tanh(x / 2), which only searches use.
        slack: by how much choices may seem worse than the best and still count as good: of
            "positions" in parts of the largest result, of "gains" in points.
        part_layers: of "parts": how many layers see each part by itself.
        pure: of "positions" and "gains": whether choices are never mixed.
    """

    weights: tuple[Numbers, ...]
    biases: tuple[Numbers, ...]
    activation: str = "relu"
    head: str = "logits"
    slack: float = 0.0
    part_layers: int = 0
    pure: bool = False

    def __post_init__(self) -> None:
        choice("activation", self.activation, ACTIVATIONS)
        choice("head", self.head, HEADS)
        most = np.inf if self.head == GAINS else 1.0
        if not 0.0 <= self.slack <= most or (self.slack and self.head not in LOOKING_AHEAD):
            raise ValueError(
                f"slack={self.slack!r}: expected 0 to 1, and 0 unless the head is one of "
                f"{', '.join(LOOKING_AHEAD)}"
            )
        if self.pure and self.head not in LOOKING_AHEAD:
            raise ValueError(f"pure=True: expected a head of {', '.join(LOOKING_AHEAD)}")
        if not self.weights or len(self.weights) != len(self.biases):
            raise ValueError(
                f"weights, biases: expected one of each per layer, got {len(self.weights)} and "
                f"{len(self.biases)}"
            )
        if (self.head == PARTS) != (0 < self.part_layers < len(self.weights)):
            raise ValueError(
                f"part_layers={self.part_layers!r}: expected 1 to {len(self.weights) - 1}, some of "
                f"the layers but not all, with the head {PARTS!r}, and 0 with any other"
            )
        before = self.weights[0].shape[:1]
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if weight.ndim != 2 or weight.shape[:1] != before or bias.shape != weight.shape[1:]:
                raise ValueError(
                    f"layer {layer}: weights of shape {weight.shape} and biases of {bias.shape} do "
                    f"not follow on {before[0]} numbers"
                )
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ValueError(f"layer {layer}: weights that are not finite numbers")
            before = bias.shape

    @property
    def sizes(self) -> list[int]:
        """The number of inputs, then the number of outputs of each layer."""
        return [len(self.weights[0]), *(len(bias) for bias in self.biases)]

    def __call__(self, observations: NDArray[Any]) -> Numbers:
        """Return the outputs (rows, outputs) for observations (rows, inputs), in NumPy."""
        if self.head == PARTS:
            raise ValueError(f"head={PARTS!r}: sees parts of positions, not observations")
        numbers = np.asarray(observations, np.float32)
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if layer:
                numbers = np.maximum(numbers, 0) if self.activation == "relu" else np.tanh(numbers)
            numbers = numbers @ weight + bias
        return numbers

    def probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the probabilities (rows, actions) with which the compiled bot plays.

        For very many positions this is faster than asking the bot.

        Args:
            observations: (rows, inputs).
            masks: (rows, actions) 1 where an action is legal, else 0.
        """
        if self.head in (AFTERSTATES, MATRIX, PARTS, *LOOKING_AHEAD):
            raise ValueError(
                f"head={self.head!r}: chooses by more than its own observation and mask tell; ask "
                "the bot of `network_bot` instead"
            )
        given = self(observations)[:, : masks.shape[1]].astype(np.float64)
        numbers = np.where(masks == 1, given, -np.inf)
        best = numbers.max(axis=1, keepdims=True)
        if self.head == "values":
            return np.eye(masks.shape[1])[numbers.argmax(axis=1)]
        weights = np.exp(numbers - best)
        return weights / weights.sum(axis=1, keepdims=True)


def outputs(head: str, actions: int) -> int:
    """Return how many outputs a network with this head has, in a game with so many actions."""
    if head in (AFTERSTATES, PARTS, *LOOKING_AHEAD):
        return 1
    return {MATRIX: actions**2, POLICY_VALUE: actions + 1}.get(head, actions)


def check_sizes(game: Game, network: Network) -> None:
    """Raise ValueError unless the network has the inputs and outputs, and a head, for the game."""
    inputs = game.observation_size
    if network.head in (AFTERSTATES, PARTS):
        check_open(game)
    if network.head == PARTS:
        inputs = needed_parts(game).size
    if network.head == POLICY_VALUE and (not game.zero_sum or len(set(game.teams)) != 2):
        raise ValueError(f"game={game!r}: expected a zero-sum game of two sides")
    if network.head == MATRIX:
        check_together(game)
    if network.head in LOOKING_AHEAD:
        check_duel(game)
    if network.head == GAINS:
        check_points(game)
    wanted = (inputs, outputs(network.head, game.actions))
    if (network.sizes[0], network.sizes[-1]) != wanted:
        raise ValueError(
            f"network: expected {wanted[0]} inputs and {wanted[1]} outputs for {game.name}, got "
            f"{network.sizes[0]} and {network.sizes[-1]}"
        )


def check_open(game: Game) -> None:
    """Raise ValueError unless a network can judge the positions of the game: see the messages."""
    if game.hidden or game.simultaneous is not None:
        raise ValueError(
            f"game={game!r}: expected a game that hides nothing and in which players move in turn"
        )
    if not game.zero_sum or len(set(game.teams)) != 2:
        raise ValueError(f"game={game!r}: expected a zero-sum game of two sides")


def check_together(game: Game) -> None:
    """Raise ValueError unless two players always move at the same time, in a zero-sum game."""
    if game.players != 2 or not game.zero_sum:
        raise ValueError(f"game={game!r}: expected a zero-sum game of two players")
    if game.hidden or game.simultaneous is None or "withdraw" not in game.rules:
        raise ValueError(
            f"game={game!r}: expected a game in which both always move at the same time, and which "
            "hides nothing else"
        )


def check_duel(game: Game) -> None:
    """Raise ValueError unless it is a zero-sum game of two players that hides nothing."""
    if game.players != 2 or not game.zero_sum or game.hidden:
        raise ValueError(
            f"game={game!r}: expected a zero-sum game of two players that hides nothing but moves "
            "made at the same time"
        )


def check_points(game: Game) -> None:
    """Raise ValueError unless the game counts points."""
    if game.score is None:
        raise ValueError(f"game={game!r}: expected a game that counts points, for {GAINS!r}")


def as_params(network: Network, greedy: bool) -> Numbers:
    """Return a network as the params that `forward` reads; `greedy`: never draw."""
    head = [greedy, ACTIVATIONS.index(network.activation), len(network.biases), *network.sizes]
    parts = [np.asarray(head, np.float32)]
    for weight, bias in zip(network.weights, network.biases, strict=True):
        parts += [weight.astype(np.float32).ravel(), bias.astype(np.float32)]
    return np.concatenate(parts)


# --- compiled for each game ----------------------------------------------------------------------


def choose_act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    """Draw an action from `distribution`; if greedy, take the most probable one without drawing."""
    chances = np.empty(len(scratch), np.float64)
    distribution(cfg, params, state, player, scratch, chances)
    if params[GREEDY]:
        return int(np.argmax(chances))
    return draw(rng, chances)


def forward(params: Params, seen: Observation) -> Params:
    """Return the outputs of a network in `params` (see `as_params`) for one observation."""
    layers = int(params[LAYERS])
    numbers = seen.astype(params.dtype)  # float64 inside a search, whose params are float64
    at = SIZES + layers + 1
    for layer in range(layers):
        inputs, outputs = int(params[SIZES + layer]), int(params[SIZES + layer + 1])
        bias = at + inputs * outputs
        following = params[bias : bias + outputs].copy()
        for i in range(inputs):
            number = numbers[i]
            if number != 0.0:  # most inputs are 0, and about half of the later numbers
                row = at + i * outputs
                for k in range(outputs):
                    following[k] += number * params[row + k]
        at = bias + outputs
        if layer < layers - 1:
            for k in range(outputs):
                if params[ACTIVATION] == RELU:
                    following[k] = max(following[k], np.float32(0.0))
                else:
                    following[k] = np.tanh(following[k])
        numbers = following
    return numbers


def forward_all(params: Params, seen: Numbers) -> Numbers:
    """Return the outputs (rows, outputs) of a network in `params` for many observations.

    Four rows are reckoned together, so that each weight is read once for all of them. The number of
    rows must be a multiple of 4.
    """
    layers = int(params[LAYERS])
    numbers = seen
    at = SIZES + layers + 1
    for layer in range(layers):
        inputs, outputs = int(params[SIZES + layer]), int(params[SIZES + layer + 1])
        bias = at + inputs * outputs
        following = np.empty((len(numbers), outputs), np.float32)
        for row in range(0, len(numbers), 4):
            one, two = following[row], following[row + 1]
            three, four = following[row + 2], following[row + 3]
            for k in range(outputs):
                start = np.float32(params[bias + k])
                one[k] = two[k] = three[k] = four[k] = start
            for i in range(inputs):
                a, b = numbers[row, i], numbers[row + 1, i]
                c, d = numbers[row + 2, i], numbers[row + 3, i]
                weight = at + i * outputs
                for k in range(outputs):
                    number = np.float32(params[weight + k])
                    one[k] += a * number
                    two[k] += b * number
                    three[k] += c * number
                    four[k] += d * number
        if layer < layers - 1:
            for row in range(len(following)):
                for k in range(outputs):
                    if params[ACTIVATION] == RELU:
                        following[row, k] = max(following[row, k], np.float32(0.0))
                    else:
                        following[row, k] = np.tanh(following[row, k])
        numbers = following
        at = bias + outputs
    return numbers
