"""RLlib: its PPO and the action-masking module of its examples, on the compiled batch of games.

    .venv-ray/bin/python examples/stacks/with_rllib.py

RLlib pins a gymnasium of its own, so it lives in an environment of its own, which
`make .venv-ray/.ready` builds. `MaskedBatch` gives the observations that RLlib's masking module
reads, {"observations", "action_mask"}. It is a class and not an id, so that runners in other
processes know it too.
"""

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from bidarena.envs import batched, make_game
from bidarena.envs.rllib import MaskedBatch
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
UPDATES, BATCH = 20, 1024


@batched
def policy(observations, masks):
    """Return the likeliest legal action of each row."""
    seen = {
        "observations": torch.as_tensor(observations),
        "action_mask": torch.as_tensor(masks.astype(np.float32)),
    }
    with torch.no_grad():
        answered = algorithm.get_module().forward_inference({Columns.OBS: seen})
    return answered[Columns.ACTION_DIST_INPUTS].argmax(dim=1).numpy()


def win_rate():
    """Return the share of 2,000 games that the policy wins, from both seats."""
    return play_match(make_game("raj", **RULES), [policy, "value"], 2000).scores[0].win_rate


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
config = (
    PPOConfig()
    .environment(MaskedBatch, env_config={"game": "raj", "opponent": "value", **RULES})
    .env_runners(
        num_env_runners=0,  # plays in this process; more of them play in others
        num_envs_per_env_runner=64,
        gym_env_vectorize_mode="vector_entry_point",
    )
    .rl_module(
        rl_module_spec=RLModuleSpec(
            ActionMaskingTorchRLModule,
            model_config={"head_fcnet_hiddens": [64, 64], "head_fcnet_activation": "tanh"},
        )
    )
    .training(
        lr=2.5e-3,
        gamma=1.0,
        train_batch_size_per_learner=BATCH,
        minibatch_size=256,
        num_epochs=4,
        entropy_coeff=0.01,
        use_kl_loss=False,
    )
    .debugging(seed=1, log_level="ERROR")
)
algorithm = config.build_algo()
before = win_rate()
for _ in range(UPDATES):
    algorithm.train()
after = win_rate()
algorithm.stop()
ray.shutdown()
print(f"Games won against value: {before:.1%} before, {after:.1%} after {UPDATES * BATCH} steps.")
