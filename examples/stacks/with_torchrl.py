"""TorchRL: its collector, GAE and PPO loss, with masks, on the compiled batch of games.

    python examples/stacks/with_torchrl.py

One `GymWrapper` around the batch; no worker processes are needed. TorchRL wants the mask in the
observation, and with `autoreset_mode="Disabled"` it deals new games itself, row by row.
"""

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from bidarena.envs import batched, make_game  # registers the environments
from bidarena.envs.wrappers import VectorMaskInObservation
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
ENVS, STEPS, UPDATES = 64, 16, 30


def network(inputs, outputs):
    """Return two hidden layers of 64."""
    hidden = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
    return hidden.append(nn.Linear(64, outputs))


@batched
def policy(observations, masks):
    """Return the likeliest legal action of each row."""
    with torch.no_grad():
        wishes = wish(torch.as_tensor(observations))
    return wishes.masked_fill(torch.as_tensor(masks) == 0, -torch.inf).argmax(dim=1).numpy()


def win_rate():
    """Return the share of 2,000 games that the policy wins, from both seats."""
    return play_match(make_game("raj", **RULES), [policy, "value"], 2000).scores[0].win_rate


torch.set_num_threads(1)  # a small network is faster so
torch.manual_seed(1)
envs = gym.make_vec("bidarena/Raj-v0", ENVS, opponent="value", **RULES, autoreset_mode="Disabled")
env = GymWrapper(VectorMaskInObservation(envs), categorical_action_encoding=True)
env.set_seed(1)
size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
wish = network(size, actions)
actor = ProbabilisticActor(
    TensorDictSequential(
        TensorDictModule(wish, in_keys=["observation"], out_keys=["logits"]),
        TensorDictModule(torch.Tensor.bool, in_keys=["action_mask"], out_keys=["mask"]),
    ),
    in_keys=["logits", "mask"],
    spec=env.action_spec,
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(network(size, 1), in_keys=["observation"])
advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
objective = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
optimizer = torch.optim.Adam(objective.parameters(), lr=2.5e-3)
before = win_rate()

collector = Collector(
    env,
    actor,
    frames_per_batch=ENVS * STEPS,
    total_frames=ENVS * STEPS * UPDATES,
    auto_register_policy_transforms=True,
)
for played in collector:
    for _ in range(4):
        with torch.no_grad():
            advantage(played)
        flat = played.reshape(-1)
        for part in torch.randperm(len(flat)).chunk(4):
            losses = objective(flat[part])
            loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(objective.parameters(), 0.5)
            optimizer.step()
    collector.update_policy_weights_()
collector.shutdown()
steps = ENVS * STEPS * UPDATES
print(f"Games won against value: {before:.1%} before, {win_rate():.1%} after {steps} steps.")
