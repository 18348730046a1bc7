"""Games and states of `pyspiel` over the rules of a game of ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyspiel

from bidarena.envs.game import Game, State
from bidarena.envs.openspiel.chance import run
from bidarena.envs.openspiel.nodes import Choice, Draw, Line
from bidarena.envs.openspiel.observer import Observer, observer
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of
from bidarena.envs.registry import make_game
from bidarena.envs.rng import WORDS

SHORT_NAME = "bidarena"
GAMES, DECISIONS = 100, 2000  # random games that show how many outcomes chance has, at most


def _game_type(game: Game | None, *, chance: bool) -> Any:
    """Return the facts of a game for `pyspiel`; None: of all games together, to be registered."""
    kinds = pyspiel.GameType
    together = game is None or game.simultaneous is not None
    hidden = game is None or game.hidden
    opposed = game is not None and game.zero_sum
    return kinds(
        short_name=SHORT_NAME,
        long_name="bidarena" if game is None else f"bidarena {game.name}",
        dynamics=kinds.Dynamics.SIMULTANEOUS if together else kinds.Dynamics.SEQUENTIAL,
        chance_mode=(
            kinds.ChanceMode.EXPLICIT_STOCHASTIC if chance else kinds.ChanceMode.DETERMINISTIC
        ),
        information=(
            kinds.Information.IMPERFECT_INFORMATION
            if hidden
            else kinds.Information.PERFECT_INFORMATION
        ),
        utility=kinds.Utility.ZERO_SUM if opposed else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=64 if game is None else game.players,
        min_num_players=1 if game is None else game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={"game": "", "rules": "{}"},
    )


def parameters_of(game: Game, name: str) -> dict[str, str]:
    """Return the parameters from which `pyspiel.load_game` makes this game again by its name.

    They are part of a text such as "bidarena(game=...,rules=...)", so what has a meaning there is
    written as in web addresses.
    """
    rules = json.dumps(game.options, separators=(",", ":"))
    return {"game": quote(name, safe=":"), "rules": quote(rules, safe="{}[]:\"' ")}


def _rules_in(text: str) -> dict[str, Any]:
    """Return the rules that `parameters_of` has written; raise ValueError for another text."""
    try:
        rules = json.loads(unquote(text))
    except ValueError:
        rules = None
    if not isinstance(rules, dict):
        raise ValueError(f"rules={text!r}: expected a JSON object, with %2C for each comma")
    return rules


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours as a `pyspiel.Game`; made by `load`.

    Args:
        params: `game` and `rules`, see `parameters_of`; or a ready `Game`.
        name: the name of a ready `Game`, with the module that registers it if it is not ours.

    Attributes:
        game: the record of the game.
        first: how every game begins: with the first draw of the deal, or dealt if none is drawn.
    """

    def __init__(self, params: Mapping[str, Any] | Game, name: str | None = None) -> None:
        if not isinstance(params, Game):
            if not params.get("game"):
                raise ValueError(f"{SHORT_NAME}: name the game, as in {SHORT_NAME}(game=name)")
            name = unquote(str(params["game"]))
            params = make_game(name, **_rules_in(str(params["rules"])))
        self.game = game = params
        outcomes = _most_outcomes(game)
        most = max(outcomes, 2)
        self.first = Line(game, (), most).after((), ())
        low, high = game.return_range
        info = pyspiel.GameInfo(
            num_distinct_actions=game.actions,
            max_chance_outcomes=most if outcomes else 0,
            num_players=game.players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if game.zero_sum else None,
            max_game_length=game.longest,
        )
        kind = _game_type(game, chance=outcomes > 0)
        super().__init__(kind, info, parameters_of(game, name or game.name))

    def new_initial_state(self) -> SpielState:
        """Return the state before the deal, or after it if nothing is drawn in it."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return what writes the tensors and texts of observations or information states."""
        return observer(self.game, iig_obs_type, params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of a `SpielGame`: the way of the game so far, and a draw of chance if one is due."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._line = Line(game.game, (), 0)
        self._draw: Draw | None = None
        self._go(game.first)

    def _go(self, to: Line | Draw) -> None:
        """Take what follows a move or an outcome of chance as the state."""
        if isinstance(to, Draw):
            self._draw = to
        else:
            self._line, self._draw = to, None

    @property
    def line(self) -> Line:
        """The way from the deal to the last settled state."""
        return self._line

    @property
    def bidarena_state(self) -> Any:
        """A copy of the game's own state, with all that is hidden; None before the deal."""
        last = self._line.last
        return None if last is None else last.state.copy()

    @property
    def _choices(self) -> dict[int, Choice]:
        last = self._line.last
        assert last is not None, "there is a draw before the deal is over"
        return last.choices

    def current_player(self) -> int:
        """Return the player to move, or CHANCE, SIMULTANEOUS or TERMINAL."""
        if self._draw is not None:
            return int(pyspiel.PlayerId.CHANCE)
        choices = self._choices
        if not choices:
            return int(pyspiel.PlayerId.TERMINAL)
        if len(choices) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return next(iter(choices))

    def is_terminal(self) -> bool:
        """Return whether the game is over or was cut short."""
        return self._draw is None and not self._choices

    def _legal_actions(self, player: int) -> list[int]:
        """Return what a player may choose; nothing if others choose alone."""
        choices = self._choices
        return list(choices[player].actions) if player in choices else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw with their probabilities."""
        assert self._draw is not None, "not a chance node"
        return self._draw.outcomes

    def _apply_action(self, action: int) -> None:
        """Apply an outcome of chance, or the move of the only player who chooses."""
        if self._draw is not None:
            left = len(self._draw.outcomes)
            if not 0 <= action < left:
                raise ValueError(f"outcome={action}: this chance node has 0 to {left - 1}")
            self._go(self._draw.chosen(action))
            return
        self._play({next(iter(self._choices)): action})

    def _apply_actions(self, actions: list[int]) -> None:
        """Apply the moves of all players who choose now; those of others are ignored."""
        self._play({player: actions[player] for player in self._choices})

    def _play(self, chosen: dict[int, int]) -> None:
        for player, action in chosen.items():
            if action not in self._choices[player].actions:
                legal = self._choices[player].actions
                raise ValueError(f"action={action}: illegal for player {player}; legal: {legal}")
        self._go(self._line.after(tuple(chosen.items()), ()))

    def _action_to_string(self, player: int, action: int) -> str:
        """Return a move in words, an outcome of chance by its number."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        game, choice = self._line.game, self._choices.get(player)
        if choice is None or action not in choice.actions:
            return f"action {action}"
        return phrases_of(game).name(game, choice.state, action)

    def returns(self) -> list[float]:
        """Return the result of every player; 0 until the game is over."""
        game, results = self._line.game, np.zeros(self._line.game.players)
        if self.is_terminal():
            assert self._line.last is not None
            game.call("returns")(game.cfg, self._line.last.state, results)
        return [float(result) for result in results]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """Return a state that looks the same to a player, with all that is hidden guessed anew.

        OpenSpiel's searches for hidden information ask for it. The guess is that of the game's
        `determinize`. `history()` still has the moves and outcomes of the true state.

        Args:
            player: the player who knows as much afterwards as before.
            sampler: returns random numbers from 0 to 1.
        """
        if self._draw is not None:
            raise ValueError("resample_from_infostate: not at a chance node")
        words = [1 + int(sampler() * 2**53) for _ in range(WORDS)]
        copy: SpielState = self.clone()
        copy._line = self._line.guessed(player, np.array(words, np.uint64))
        return copy

    def __str__(self) -> str:
        """Return the whole state as text, with all that is hidden, and the draw that is due."""
        last, game = self._line.last, self._line.game
        told = "before the deal"
        if last is not None:
            told = " ".join(
                f"{name}={','.join(map(str, last.state[part].tolist()))}"
                for name, part in game.state.items()
            )
        if self._draw is not None:
            told += f" moves {self._draw.moves} outcomes {self._draw.told} of {self._draw.among}"
        return told


def _most_outcomes(game: Game) -> int:
    """Return the most outcomes of one draw in random games; 0 if nothing was drawn.

    A draw with more outcomes is made in several chance nodes, so the number need not be exact.
    """
    rng = np.random.default_rng(0)
    most = decisions = 0
    for _ in range(GAMES):
        before: State | None = None
        actions: tuple[int, ...] = ()
        while True:
            told: tuple[int, ...] = ()
            while (went := run(game, before, actions, told)).outcomes:
                most = max(most, went.outcomes)
                told = (*told, int(rng.integers(went.outcomes)))
            before = went.state
            if mover_of(game, before) < 0 or decisions >= DECISIONS:
                break
            legal = legal_actions(game, before)
            actions = (legal[rng.integers(len(legal))],)
            decisions += 1
    return most


def register() -> None:
    """Let `pyspiel.load_game` know these games, as "bidarena(game=...,rules=...)"."""
    pyspiel.register_game(_game_type(None, chance=True), SpielGame)
