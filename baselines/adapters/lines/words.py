"""Seats for language models: a position in words, the legal moves in words, a move in words back.

The program behind `text:COMMAND` speaks the line protocol of docs/protocol.md. Instead of numbers
its messages hold the drawing of the position (`render_mode="ansi"`, without colours) and the names
of the legal moves, and it answers with one of these names:

    {"type": "move", "game": 1, "seat": 0, "text": "...", "moves": ["card 1", "card 2"], ...}
    {"move": "card 2"}

`question` and `understood` do the same for a model that is asked from Python.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np

from bidarena.baselines.adapters.asked import as_bot
from bidarena.baselines.adapters.faults import Fault, IllegalAnswer
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.lines.bot import Speaker, guess_for
from bidarena.baselines.adapters.sandbox import Sandbox
from bidarena.envs.game import Game, State
from bidarena.envs.phrases import legal_actions, phrases_of
from bidarena.envs.registry import Bot, load

HOW = "Answer with one of these moves, in these words. If you say more, end with a line: move: ..."
MOST_NAMED = 12  # moves in the reason of a fault

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LABEL = re.compile(r"\bmove\s*:", re.IGNORECASE)
_MARKS = str.maketrans("", "", '*`"“”„')  # around words in Markdown and in quotations


def question(game: Game, state: State, player: int) -> dict[str, Any]:
    """Return {"text", "moves"}: all that the player to move needs, and the legal moves in words.

    The text has the aim of the game, the drawing as the player sees it, the legal moves, and how
    to answer. Two positions that the player cannot tell apart give equal questions.

    Args:
        game: any game. Without phrases its moves are called "action 0", "action 1", ...
        state: a position; `player` is to move.
        player: the player who is asked.
    """
    guess = guess_for(game, state, player)
    phrases = phrases_of(game)
    moves = [phrases.name(game, guess, action) for action in legal_actions(game, guess)]
    parts = (phrases.aim(game, player), _drawn(game, guess, player), "", _listed(moves), HOW)
    text = "\n".join(part for number, part in enumerate(parts) if part or number == 2)
    return {"text": text, "moves": moves}


def _drawn(game: Game, state: State, player: int) -> str:
    """Return the drawing without colours; without a drawing, the observation part by part."""
    if game.ansi:
        return _COLOUR.sub("", str(load(game.ansi)(game, state, player))).rstrip()
    view = np.zeros(game.observation_size, np.float32)
    game.call("observe")(game.cfg, state, player, view)
    lines = (
        f"  {name}: {' '.join(f'{value:g}' for value in view[part].tolist())}"
        for name, part in game.observation.items()
    )
    return "\n".join((game.name, *lines))


def _listed(moves: list[str]) -> str:
    return f"Your moves: {'; '.join(moves)}"


def understood(game: Game, state: State, player: int, answer: str) -> int:
    """Return the action that an answer in words means.

    Capitals, spaces, Markdown, quotation marks and a full stop do not matter. If "move:" is in the
    answer, only the rest of the line after the last one counts. That, or else the whole answer, is
    a legal move if it is the name of one, or what people may type for it; or if the name of exactly
    one legal move stands in it as whole words. (Of names within longer names, the longest counts.)

    Raises:
        ValueError: it names no legal move, or several.
    """
    guess = guess_for(game, state, player)
    phrases = phrases_of(game)
    names = {_plain(phrases.name(game, guess, a)): a for a in legal_actions(game, guess)}
    said = answer.translate(_MARKS).strip()
    if labels := list(_LABEL.finditer(said)):
        said = said[labels[-1].end() :].strip().partition("\n")[0]
    said = said.strip().rstrip(".!")
    if _plain(said) in names:
        return names[_plain(said)]
    refusal = "names no legal move"
    try:
        action = phrases.read(game, guess, said)
        if action in names.values():
            return action
        refusal = f"is not legal ({phrases.refuse(game, guess, action)})"
    except ValueError:
        found = _mentioned(_plain(said), list(names))
        if len(found) == 1:
            return names[found[0]]
        if found:
            refusal = f"names several moves ({', '.join(found[:MOST_NAMED])})"
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    legal = "; ".join([*names][:MOST_NAMED]) + more
    raise ValueError(f"answered {_shortened(said)!r}, which {refusal}; legal: {legal}")


def _plain(text: str) -> str:
    """Return a text in small letters, without marks, with one space between words."""
    return " ".join(text.translate(_MARKS).casefold().split()).rstrip(".!")


def _shortened(text: str, longest: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _mentioned(text: str, names: list[str]) -> list[str]:
    """Return the names that stand in a text as whole words, without names within longer names."""
    found = []
    for name in sorted(names, key=len, reverse=True):
        named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        if named.search(text):
            found.append(name)
            text = named.sub("|", text)
    return found


class _Listener(Speaker):
    """Asks a program in words."""

    def told(self, state: State, player: int) -> dict[str, Any]:
        """Return the question as parts of a message."""
        return question(self.game, state, player)

    def action_in(self, answer: dict[str, Any], state: State, player: int) -> int:
        """Return the action that the words of the answer mean; raise `Fault` if they mean none."""
        said = answer.get("move")
        if not isinstance(said, str):
            raise Fault(f'answered {str(answer)[:80]}, expected {{"move": "words"}}')
        try:
            return understood(self.game, state, player, said)
        except ValueError as wrong:
            raise IllegalAnswer(str(wrong)) from None


def words_bot(game: Game, command: str, limits: Limits) -> Bot:
    """Return the bot of a program that is told positions in words and answers in words.

    Args:
        game: the game that is played.
        command: starts the program; split into words as by a shell.
        limits: the limits of the program.
    """
    return as_bot(f"text:{command}", _Listener(game, Sandbox(shlex.split(command), limits)))
