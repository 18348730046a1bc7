"""A learned policy as a compiled bot: a small network from what a player sees to his actions.

The network is a stack of dense layers. It is trained elsewhere (`bidarena.train`), and needs
nothing of that here: its numbers are the parameters of one compiled function, which plays inside
every batch loop, draws from the game's own generator, and tells how likely it takes each action.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidarena.envs.check import choice
from bidarena.envs.game import Cfg, Game, Mask, Observation, Params, Rng, State, legal, observe
from bidarena.envs.registry import Bot
from bidarena.envs.rng import draw

Numbers = NDArray[np.float32]

ACTIVATIONS = ("relu", "tanh")
AFTERSTATES = "afterstates"
HEADS = ("logits", "values", AFTERSTATES)

# params: how to play, then the sizes of all layers, the inputs first, then weights and biases
GREEDY, ACTIVATION, LAYERS, SIZES = 0, 1, 2, 3
RELU = 0


@dataclass(frozen=True, eq=False)
class Network:
    """Dense layers from the observation to one number per action, or to one for the position.

    Attributes:
        weights: of each layer, (inputs, outputs).
        biases: of each layer, (outputs,).
        activation: "relu" or "tanh", after every layer but the last.
        head: what the last layer means: "logits" of the actions' probabilities; "values" of the
            actions, of which the highest is taken; "afterstates", one number x for the position,
            in which the player to move expects tanh(x / 2): see afterstates.py.
    """

    weights: tuple[Numbers, ...]
    biases: tuple[Numbers, ...]
    activation: str = "relu"
    head: str = "logits"

    def __post_init__(self) -> None:
        choice("activation", self.activation, ACTIVATIONS)
        choice("head", self.head, HEADS)
        if not self.weights or len(self.weights) != len(self.biases):
            raise ValueError(
                f"weights, biases: expected one of each per layer, got {len(self.weights)} and "
                f"{len(self.biases)}"
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
        """The number of inputs, then of the outputs of each layer."""
        return [len(self.weights[0]), *(len(bias) for bias in self.biases)]

    def __call__(self, observations: NDArray[Any]) -> Numbers:
        """(rows, inputs) -> (rows, outputs), in NumPy."""
        numbers = np.asarray(observations, np.float32)
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if layer:
                numbers = np.maximum(numbers, 0) if self.activation == "relu" else np.tanh(numbers)
            numbers = numbers @ weight + bias
        return numbers

    def probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """(rows, actions) how likely each action is: what the compiled bot plays, for many rows.

        Whoever asks in very many positions is served faster by this than by the bot.
        """
        if self.head == AFTERSTATES:
            raise ValueError(
                f"head={self.head!r}: chooses by the positions after its moves, which observations "
                "do not tell; ask the bot of `network_bot` instead"
            )
        numbers = np.where(masks == 1, self(observations).astype(np.float64), -np.inf)
        best = numbers.max(axis=1, keepdims=True)
        if self.head == "values":
            return np.eye(masks.shape[1])[numbers.argmax(axis=1)]
        weights = np.exp(numbers - best)
        return weights / weights.sum(axis=1, keepdims=True)


def outputs(head: str, actions: int) -> int:
    """How many numbers a network with this head gives, in a game of so many actions."""
    return 1 if head == AFTERSTATES else actions


def check_sizes(game: Game, network: Network) -> None:
    """Refuse a network with other inputs or outputs than the game has, or that cannot play it."""
    if network.head == AFTERSTATES:
        check_open(game)
    wanted = (game.observation_size, outputs(network.head, game.actions))
    if (network.sizes[0], network.sizes[-1]) != wanted:
        raise ValueError(
            f"network: expected {wanted[0]} inputs and {wanted[1]} outputs for {game.name}, got "
            f"{network.sizes[0]} and {network.sizes[-1]}"
        )


def check_open(game: Game) -> None:
    """Refuse a game in which the position after a move is not all there is to know about it."""
    if game.hidden or game.simultaneous is not None:
        raise ValueError(
            f"game={game!r}: expected a game that hides nothing and in which players move in turn"
        )
    if not game.zero_sum or len(set(game.teams)) != 2:
        raise ValueError(f"game={game!r}: expected a zero-sum game of two sides")


def network_bot(game: Game, network: Network, name: str, *, deterministic: bool = False) -> Bot:
    """The bot that plays as `network` says.

    Args:
        game: the game whose observations and actions the network is for.
        network: its inputs and outputs must be as many as the game has.
        name: of the bot.
        deterministic: always the likeliest action instead of drawing one.
    """
    check_sizes(game, network)
    if network.head == AFTERSTATES:
        from bidarena.baselines.afterstates import afterstates_bot

        return afterstates_bot(game, network, name)
    greedy = deterministic or network.head == "values"
    params = packed(network, greedy)
    return Bot(name, _act, params, game.key, deterministic=bool(greedy), distribution=_distribution)


def packed(network: Network, greedy: bool) -> Numbers:
    """A network as the numbers that `forward` reads."""
    head = [greedy, ACTIVATIONS.index(network.activation), len(network.biases), *network.sizes]
    parts = [np.asarray(head, np.float32)]
    for weight, bias in zip(network.weights, network.biases, strict=True):
        parts += [weight.astype(np.float32).ravel(), bias.astype(np.float32)]
    return np.concatenate(parts)


# --- compiled for each game ----------------------------------------------------------------------


def _act(cfg: Cfg, params: Params, state: State, player: int, rng: Rng, scratch: Mask) -> int:
    chances = np.empty(len(scratch), np.float64)
    _distribution(cfg, params, state, player, scratch, chances)
    if params[GREEDY]:
        return int(np.argmax(chances))
    return draw(rng, chances)


def _distribution(
    cfg: Cfg, params: Params, state: State, player: int, scratch: Mask, out: NDArray[np.float64]
) -> None:
    """Write how likely each action is."""
    legal(cfg, state, scratch)
    seen = np.empty(int(params[SIZES]), np.float32)
    observe(cfg, state, player, seen)
    numbers = forward(params, seen)
    best = -1
    for action in range(len(scratch)):
        out[action] = 0.0
        if scratch[action] and (best < 0 or numbers[action] > numbers[best]):
            best = action
    if params[GREEDY]:
        out[best] = 1.0
        return
    total = 0.0
    for action in range(len(scratch)):
        if scratch[action]:
            out[action] = np.exp(np.float64(numbers[action] - numbers[best]))
            total += out[action]
    for action in range(len(scratch)):
        out[action] /= total


def forward(params: Params, seen: Observation) -> Params:
    """What the last layer of a packed network gives for what is seen."""
    layers = int(params[LAYERS])
    numbers = seen.astype(params.dtype)  # float64 where a search takes the weights along
    at = SIZES + layers + 1
    for layer in range(layers):
        inputs, outputs = int(params[SIZES + layer]), int(params[SIZES + layer + 1])
        bias = at + inputs * outputs
        following = params[bias : bias + outputs].copy()
        for i in range(inputs):
            number = numbers[i]
            if number != 0.0:  # most of what is seen, and half of what follows, is 0
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
