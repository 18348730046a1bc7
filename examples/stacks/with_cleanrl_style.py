"""One file in CleanRL's style: PPO with masks, in plain torch, on the compiled batch of games.

    python examples/stacks/with_cleanrl_style.py

The lines that a CleanRL script needs for masks are marked `# mask`.
"""

import gymnasium as gym
import torch
from torch import nn
from torch.distributions import Categorical

from bidarena.envs import batched, make_game  # registers the environments
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
ENVS, STEPS, UPDATES, EPOCHS, MINIBATCHES = 64, 16, 30, 4, 4
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 1.0, 0.95, 0.2, 0.01, 2.5e-3


class Agent(nn.Module):
    """A network for the policy and one for the value."""

    def __init__(self, observation_size, actions):
        super().__init__()
        self.actor = self.network(observation_size, actions)
        self.critic = self.network(observation_size, 1)

    @staticmethod
    def network(inputs, outputs):
        """Return two hidden layers of 64."""
        hidden = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        return hidden.append(nn.Linear(64, outputs))

    def distribution(self, observations, masks):
        """Return the distribution over the legal actions."""
        logits = self.actor(observations).masked_fill(~masks, -1e8)  # mask
        return Categorical(logits=logits)


@batched
def policy(observations, masks):
    """Return the likeliest legal action of each row."""
    with torch.no_grad():
        seen, legal = torch.as_tensor(observations), torch.as_tensor(masks).bool()
        return agent.distribution(seen, legal).probs.argmax(dim=1).numpy()


def win_rate():
    """Return the share of 2,000 games that the policy wins, from both seats."""
    return play_match(make_game("raj", **RULES), [policy, "value"], 2000).scores[0].win_rate


torch.set_num_threads(1)  # a small network is faster so
torch.manual_seed(1)
envs = gym.make_vec("bidarena/Raj-v0", ENVS, opponent="value", **RULES, autoreset_mode="SameStep")
size, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
agent = Agent(size, actions)
optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
before = win_rate()

obs = torch.zeros(STEPS, ENVS, size)
masks = torch.zeros(STEPS, ENVS, actions, dtype=torch.bool)  # mask
moves, logprobs, rewards, values, overs = torch.zeros(5, STEPS, ENVS)
seen, infos = envs.reset(seed=1)
for update in range(UPDATES):
    optimizer.param_groups[0]["lr"] = RATE * (1 - update / UPDATES)
    for step in range(STEPS):
        obs[step] = torch.as_tensor(seen)
        masks[step] = torch.as_tensor(infos["action_mask"])  # mask
        with torch.no_grad():
            chances = agent.distribution(obs[step], masks[step])
            move = chances.sample()
            values[step] = agent.critic(obs[step])[:, 0]
        moves[step], logprobs[step] = move, chances.log_prob(move)
        seen, reward, terminated, truncated, infos = envs.step(move.numpy())
        rewards[step], overs[step] = torch.as_tensor(reward), torch.as_tensor(terminated)
    with torch.no_grad():
        following = agent.critic(torch.as_tensor(seen))[:, 0]
        advantages, last = torch.zeros_like(rewards), torch.zeros(ENVS)
        for step in reversed(range(STEPS)):
            goes_on = 1.0 - overs[step]
            surprise = rewards[step] + GAMMA * following * goes_on - values[step]
            advantages[step] = last = surprise + GAMMA * LAMBDA * goes_on * last
            following = values[step]
    b_obs, b_masks, b_moves = obs.flatten(0, 1), masks.flatten(0, 1), moves.flatten()
    b_logprobs, b_advantages = logprobs.flatten(), advantages.flatten()
    b_returns = b_advantages + values.flatten()
    for _ in range(EPOCHS):
        for part in torch.randperm(STEPS * ENVS).chunk(MINIBATCHES):
            chances = agent.distribution(b_obs[part], b_masks[part])  # mask
            ratio = (chances.log_prob(b_moves[part]) - b_logprobs[part]).exp()
            gain = b_advantages[part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = torch.min(gain * ratio, gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            missed = (agent.critic(b_obs[part])[:, 0] - b_returns[part]).square().mean()
            loss = -clipped - ENTROPY * chances.entropy().mean() + 0.5 * missed
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
envs.close()
steps = UPDATES * STEPS * ENVS
print(f"Games won against value: {before:.1%} before, {win_rate():.1%} after {steps} steps.")
