"""AgileRL: its PPO learns Raj with four cards, masks included.

    python examples/stacks/with_agilerl.py

AgileRL takes the masks from the infos, where `gym.make_vec` puts them: nothing has to be wrapped.
Its GAE (2.58) takes the end of a game for that of the step before, which spoils games as short as
these; `use_gae=False`, returns as they were played, does not.
"""

import gymnasium as gym
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy

from bidarena.envs import batched, make_game  # registers the environments
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
ENVS, STEPS = 64, 40_960


def win_rate(agent):
    """Return the share of 2,000 games that the agent wins, from both seats."""

    @batched
    def policy(observations, masks):
        return agent.get_action(observations, action_mask=masks)[0]  # drawn, not the likeliest

    return play_match(make_game("raj", **RULES), [policy, "value"], 2000).scores[0].win_rate


torch.set_num_threads(1)  # a small network is faster so
torch.manual_seed(1)
envs = gym.make_vec("bidarena/Raj-v0", ENVS, opponent="value", **RULES, autoreset_mode="SameStep")
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    num_envs=ENVS,
    rollout_buffer_config={"use_gae": False},  # see above
    learn_step=ENVS * 16,
    batch_size=256,
    lr=2.5e-3,
    gamma=1.0,
    net_config={"encoder_config": {"hidden_size": [64]}, "head_config": {"hidden_size": [64]}},
)
before = win_rate(agent)
population, _ = train_on_policy(
    envs, "bidarena/Raj-v0", "PPO", [agent], max_steps=STEPS, evo_steps=STEPS // 2, verbose=False
)
after = win_rate(population[0])
envs.close()
print(f"Games won against value: {before:.1%} before, {after:.1%} after {STEPS} steps.")
