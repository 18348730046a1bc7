"""Makes a policy that comes with the package out of one that was learned.

    python -m bidarena.train.ship runs/RUN baselines/learned/policies/learned-raj.safetensors

The numbers are kept with 16 bits. The command that made the policy and its strength, as the run
measured it, stay in the file. `bidarena.baselines.learned.policy_file.shipped` finds the policy by
its name, KIND-GAME.safetensors.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bidarena.baselines.learned.policy_file import load_policy, save_policy
from bidarena.envs.registry import make_game
from bidarena.envs.registry.paths import EXPECTED, find_policy


def ship(source: str, target: str) -> Path:
    """Write the policy of a run or of a file to `target`, with 16 bits, and return the path."""
    found = find_policy(source)
    if found is None:
        raise ValueError(f"source={source!r}: expected {EXPECTED}")
    policy = load_policy(found[0])
    game = make_game(policy.game, **policy.options)
    kept = ("command", "algorithm", "steps", "seed", "measured")
    info = {name: policy.info[name] for name in kept if name in policy.info}
    return save_policy(target, game, policy.network, info=info, half=True)


if __name__ == "__main__":
    print(ship(*sys.argv[1:]))
