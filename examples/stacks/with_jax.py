"""JAX: a jitted scan plays and learns; `io_callback` steps the compiled batch of games inside it.

    python examples/stacks/with_jax.py

The games are arrays of NumPy on the host, so each step leaves the jitted code once for all rows.
`ordered=True` keeps the steps in their order. It is REINFORCE with a network, and plain JAX.
"""

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from bidarena.envs import batched, make_game  # registers the environments
from bidarena.evaluate.match import play_match

RULES = {"cards": (1, 2, 3, 4), "items": (1, 2, 3, 4)}
ROWS, UPDATES, RATE = 256, 400, 3e-2
MOVES = len(RULES["cards"])  # of each game: every game of Raj has one for each card

envs = gym.make_vec("bidarena/Raj-v0", ROWS, opponent="value", **RULES, autoreset_mode="SameStep")
size, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
SHAPES = (
    jax.ShapeDtypeStruct((ROWS, size), jnp.float32),
    jax.ShapeDtypeStruct((ROWS, actions), jnp.int8),
    jax.ShapeDtypeStruct((ROWS,), jnp.float32),
)


def host_step(chosen):
    """Step the games outside of JAX; return observations, masks and rewards."""
    observations, rewards, _, _, infos = envs.step(np.asarray(chosen))
    return observations, infos["action_mask"], rewards.astype(np.float32)


def logits(parameters, observations, masks):
    """Return a number for each action; illegal ones get one that is never drawn."""
    hidden = jnp.tanh(observations @ parameters["in"] + parameters["bias"])
    return jnp.where(masks != 0, hidden @ parameters["out"], -1e9)


def loss(parameters, observations, masks, chosen, gains):
    """Return what REINFORCE minimises: gains weigh the log-probabilities of what was played."""
    chances = jax.nn.log_softmax(logits(parameters, observations, masks))
    taken = jnp.take_along_axis(chances, chosen[..., None], axis=-1)[..., 0]
    return -(taken * gains).mean() + 0.01 * (jnp.exp(chances) * chances).sum(-1).mean()


def play_and_learn(carry, key):
    """Play one game in each row, then take a step of Adam; `carry` goes on to the next call."""
    parameters, first, second, count, observations, masks = carry

    def move(now, key):
        observations, masks = now
        chosen = jax.random.categorical(key, logits(parameters, observations, masks))
        *following, rewards = io_callback(host_step, SHAPES, chosen, ordered=True)
        return tuple(following), (observations, masks, chosen, rewards)

    now, (seen, legal, chosen, rewards) = jax.lax.scan(
        move, (observations, masks), jax.random.split(key, MOVES)
    )
    results = rewards.sum(axis=0)
    gains = jnp.broadcast_to(results - results.mean(), chosen.shape)
    slopes = jax.grad(loss)(parameters, seen, legal, chosen, gains)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slopes)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, slopes)
    count = count + 1
    parameters = jax.tree.map(
        lambda p, m, v: (
            p - RATE * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.99**count)) + 1e-8)
        ),
        parameters,
        first,
        second,
    )
    return (parameters, first, second, count, *now), results.mean()


def win_rate(parameters):
    """Return the share of 2,000 games that the likeliest actions win, from both seats."""
    best = jax.jit(lambda o, m: logits(parameters, o, m).argmax(axis=1))

    @batched
    def policy(observations, masks):
        return np.asarray(best(observations, masks))

    return play_match(make_game("raj", **RULES), [policy, "value"], 2000).scores[0].win_rate


keys = jax.random.split(jax.random.key(1), 3)
parameters = {
    "in": jax.random.normal(keys[0], (size, 64)) / np.sqrt(size),
    "bias": jnp.zeros(64),
    "out": jax.random.normal(keys[1], (64, actions)) * 0.01,
}
before = win_rate(parameters)
observations, infos = envs.reset(seed=1)
nothing = jax.tree.map(jnp.zeros_like, parameters)
carry = (parameters, nothing, nothing, 0, observations, infos["action_mask"])
carry, curve = jax.lax.scan(play_and_learn, carry, jax.random.split(keys[2], UPDATES))
after = win_rate(carry[0])
envs.close()
steps = ROWS * MOVES * UPDATES
print(f"Games won against value: {before:.1%} before, {after:.1%} after {steps} steps.")
