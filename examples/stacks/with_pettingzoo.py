"""PettingZoo: the loop of its tutorials, in which a table learns to play both seats.

    python examples/stacks/with_pettingzoo.py

Every seat is an agent, and all of them learn here by self-play: the mean result of each action in
each situation that was met. It knows itself only, so it is measured against random moves.
"""

import numpy as np

from bidarena.envs import make_game
from bidarena.envs.multi import aec_env
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
GAMES = 20_000

rng = np.random.default_rng(1)
table = {}  # by observation: how often each action was played, and the sum of its results


def choose(observation, mask, curiosity=0.0):
    """Return the best action known, or any legal one."""
    legal = np.flatnonzero(mask)
    found = table.get(observation.tobytes())
    if found is None or rng.random() < curiosity:
        return int(rng.choice(legal))
    return int(legal[np.argmax((found[1] / np.maximum(found[0], 1))[legal])])


def win_rate():
    """Return the share of 2,000 games that the table wins against random moves."""
    return play_match(make_game("raj", **RULES), [choose, "random"], 2000).scores[0].win_rate


before = win_rate()
env = aec_env("raj", **RULES)
for game in range(GAMES):
    env.reset(seed=game)
    moves = {agent: [] for agent in env.agents}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            action = None
            for seen, played in moves[agent]:
                times, results = table.setdefault(seen, np.zeros((2, len(RULES["cards"]))))
                times[played] += 1
                results[played] += reward
        else:
            view, mask = observation["observation"], observation["action_mask"]
            action = choose(view, mask, curiosity=0.3)
            moves[agent].append((view.tobytes(), action))
        env.step(action)
env.close()
print(f"Games won against random: {before:.1%} before, {win_rate():.1%} after {GAMES} games.")
