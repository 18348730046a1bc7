"""Networks of Stable-Baselines3, from memory and from a zip, against what torch computes."""

import base64
import io
import json
import pickle
import zipfile

import gymnasium as gym
import numpy as np
import pytest

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")

from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor  # noqa: E402

from bidarena.baselines.learned.bots import network_bot  # noqa: E402
from bidarena.baselines.learned.policy_file import import_sb3, network_from_sb3  # noqa: E402
from bidarena.baselines.solvers.probabilities import sb3_policy  # noqa: E402
from bidarena.envs import Batch, Bot, make_bot, make_game  # noqa: E402
from bidarena.envs.sb3 import SB3Env  # noqa: E402

RAJ = {"cards": [1, 2, 3], "items": [1, 2, 3]}

MODELS = {
    "MaskablePPO": (contrib.MaskablePPO, {}),
    "MaskablePPO of other sizes": (contrib.MaskablePPO, {"net_arch": {"pi": [7, 5, 9], "vf": [3]}}),
    "MaskablePPO with ReLU": (contrib.MaskablePPO, {"activation_fn": torch.nn.ReLU}),
    "MaskablePPO without layers": (contrib.MaskablePPO, {"net_arch": []}),
    "MaskablePPO, not sharing": (contrib.MaskablePPO, {"share_features_extractor": False}),
    "PPO": (sb3.PPO, {}),
    "A2C": (sb3.A2C, {"net_arch": [8]}),
    "DQN": (sb3.DQN, {}),
    "DQN with Tanh": (sb3.DQN, {"net_arch": [9], "activation_fn": torch.nn.Tanh}),
    "DQN without layers": (sb3.DQN, {"net_arch": []}),
}


@pytest.fixture(scope="module")
def raj():
    return make_game("raj", **RAJ)


def model_of(game, kind, **changes):
    make, policy_kwargs = MODELS[kind]
    env = SB3Env(game, 2)
    policy_kwargs = {**policy_kwargs, **changes}
    model = make("MlpPolicy", env, policy_kwargs=policy_kwargs, seed=0, device="cpu")
    with torch.no_grad():  # a new network gives all actions nearly equal probabilities
        for tensor in model.policy.parameters():
            tensor += 0.3 * torch.randn(tensor.shape)
    return model


def chances(network, observations, masks):
    numbers = network(observations).astype(np.float64)
    numbers = np.where(masks, numbers, -np.inf)
    weights = np.exp(numbers - numbers.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def compare(network, model, game):
    """Compare the network with torch on random observations and masks."""
    luck = np.random.default_rng(0)
    observations = luck.random((200, game.observation_size), np.float32)
    masks = luck.random((200, game.actions)) < 0.6
    masks[:, 0] |= ~masks.any(axis=1)
    if network.head == "values":
        tensor, _ = model.policy.obs_to_tensor(observations)
        with torch.no_grad():
            values = model.policy.q_net(tensor).numpy()
        assert np.allclose(network(observations), values, rtol=1e-5, atol=1e-5)
        return
    masked = isinstance(model, contrib.MaskablePPO)
    masks = masks if masked else np.ones_like(masks)
    expected = sb3_policy(model).probabilities(observations, masks)
    assert np.abs(chances(network, observations, masks) - expected).max() < 1e-5
    even = masks / masks.sum(axis=1, keepdims=True)
    assert np.abs(expected - even).max() > 0.2  # otherwise there is little to compare
    assert expected.max(axis=1).min() < 0.9


@pytest.mark.parametrize("kind", MODELS)
def test_network__is_that_of_the_model_and_of_its_zip(raj, kind, tmp_path):
    model = model_of(raj, kind)
    compare(network_from_sb3(model), model, raj)
    model.save(tmp_path / "net.zip")
    compare(import_sb3(tmp_path / "net.zip", raj), model, raj)
    assert network_from_sb3(model).head == ("values" if "DQN" in kind else "logits")


def test_network__stays_when_learning_goes_on(raj):
    model = model_of(raj, "MaskablePPO")
    network = network_from_sb3(model)
    before = [weight.copy() for weight in network.weights]
    with torch.no_grad():
        for tensor in model.policy.parameters():
            tensor += 1
    assert all((weight == old).all() for weight, old in zip(network.weights, before, strict=True))


def test_network__taking_it_out_draws_no_random_numbers(raj):
    model = model_of(raj, "MaskablePPO")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    network_from_sb3(model)
    assert (torch.rand(3) == expected).all()


def test_sb3_bot__plays_like_the_model(raj, tmp_path):
    model = model_of(raj, "MaskablePPO")
    model.save(tmp_path / "net.zip")
    bot = make_bot(raj, f"{tmp_path / 'net.zip'}:deterministic=true")
    assert isinstance(bot, Bot) and bot.deterministic
    batch = Batch(raj, 300, seed=0)
    actions = np.zeros(300, np.int64)
    batch.ask(bot, np.ones(300, bool), actions)
    chosen, _ = model.predict(batch.observations, action_masks=batch.masks, deterministic=True)
    assert (actions == chosen).all() and len(set(actions)) > 1


# --- features extractors -------------------------------------------------------------------------


class First(BaseFeaturesExtractor):
    """Extractor that keeps the first numbers of an observation, as if a mask stood behind them."""

    def __init__(self, space, size):
        super().__init__(space, features_dim=size)

    def forward(self, observations):
        return observations[:, : self.features_dim]


class Doubled(FlattenExtractor):
    def forward(self, observations):
        return 2 * super().forward(observations)


class Wider(gym.Env):
    """Environment with observations of 20 numbers, of which a policy may use the first 13."""

    observation_space = gym.spaces.Box(0, 1, (20,))
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        return np.zeros(20, np.float32), {}

    def step(self, action):
        return np.zeros(20, np.float32), 0.0, True, False, {}

    def action_masks(self):
        return np.ones(3, bool)


@pytest.mark.parametrize("kind", ["MaskablePPO", "PPO", "DQN"])
def test_network__of_an_extractor_that_cuts_the_observation(raj, kind, tmp_path):
    extra = {"features_extractor_class": First, "features_extractor_kwargs": {"size": 13}}
    model = MODELS[kind][0]("MlpPolicy", Wider(), policy_kwargs=extra, device="cpu")
    network = network_from_sb3(model)
    assert network.sizes[0] == 13
    network_bot(raj, network, "cut")
    seen = np.random.default_rng(0).random((50, 20), np.float32)
    with torch.no_grad():
        if kind == "DQN":
            numbers = model.policy.q_net(torch.from_numpy(seen)).numpy()
        else:
            law = model.policy.get_distribution(torch.from_numpy(seen)).distribution
            numbers = law.logits.numpy()
    ours = network(seen[:, :13])
    if kind != "DQN":
        ours = np.log(chances(network, seen[:, :13], np.ones((50, 3), bool)))
    assert np.allclose(ours, numbers, atol=1e-5)
    model.save(tmp_path / "net.zip")  # the zip only names the class, we do not load it
    with pytest.raises(ValueError, match=r"features extractor is .*First.*network_from_sb3"):
        import_sb3(tmp_path / "net.zip", raj)


def test_network__refuses_what_is_not_a_stack_of_layers(raj, tmp_path):
    def refused(model, in_memory, in_a_zip):
        with pytest.raises(ValueError, match=in_memory):
            network_from_sb3(model)
        model.save(tmp_path / "net.zip")
        with pytest.raises(ValueError, match=in_a_zip) as caught:
            import_sb3(tmp_path / "net.zip", raj)
        assert "net.zip" in str(caught.value)

    doubled = model_of(raj, "MaskablePPO", features_extractor_class=Doubled)
    refused(doubled, "Doubled does more than pass on", "extractor is .*Doubled")
    gelu = model_of(raj, "MaskablePPO", activation_fn=torch.nn.GELU)
    refused(gelu, "expected Tanh or ReLU as part 1 of its network, got GELU", "activation is GELU")
    env = SB3Env(raj, 2)
    lstm = contrib.RecurrentPPO("MlpLstmPolicy", env, device="cpu")
    refused(lstm, "RecurrentActorCriticPolicy is not a stack", "sb3_contrib.common.recurrent")
    quantiles = contrib.QRDQN("MlpPolicy", env, device="cpu")
    refused(quantiles, "QRDQNPolicy is not a stack", "sb3_contrib.qrdqn")
    boxes = sb3.PPO("MlpPolicy", "Pendulum-v1", device="cpu")
    refused(boxes, "Discrete actions from 0, got Box", "Discrete actions from 0, got Box")
    scotch = model_of(make_game("scotch"), "PPO")
    network_from_sb3(scotch)
    scotch.save(tmp_path / "net.zip")
    with pytest.raises(ValueError, match="expected 13 inputs and 3 outputs for raj, got 5 and 101"):
        import_sb3(tmp_path / "net.zip", raj)


# --- zips that are something else ----------------------------------------------------------------


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('opened')",)


def repacked(path, **parts):
    """Write the zip again with some parts changed."""
    with zipfile.ZipFile(path) as old:
        content = {name: old.read(name) for name in old.namelist()}
    content.update(parts)
    with zipfile.ZipFile(path, "w") as new:
        for name, part in content.items():
            if part is not None:
                new.writestr(name, part)


@pytest.fixture
def saved(raj, tmp_path):
    path = tmp_path / "net.zip"
    model_of(raj, "MaskablePPO").save(path)
    return path


def test_import_sb3__opens_nothing_that_is_pickled(saved, raj):
    with zipfile.ZipFile(saved) as parts:
        about = json.loads(parts.read("data"))
    hidden = base64.b64encode(pickle.dumps(Bomb())).decode()
    pickled = [key for key, v in about.items() if isinstance(v, dict) and ":serialized:" in v]
    assert len(pickled) > 3
    for key in pickled:
        about[key][":serialized:"] = hidden
    repacked(saved, data=json.dumps(about))
    import_sb3(saved, raj)
    bomb = io.BytesIO()
    torch.save({"action_net.weight": Bomb()}, bomb)
    repacked(saved, **{"policy.pth": bomb.getvalue()})
    with pytest.raises(ValueError, match="not a model that Stable-Baselines3 saved"):
        import_sb3(saved, raj)


def state_with(saved, **changes):
    with zipfile.ZipFile(saved) as parts:
        state = torch.load(io.BytesIO(parts.read("policy.pth")), weights_only=True)
    state.update({name.replace("__", "."): tensor for name, tensor in changes.items()})
    out = io.BytesIO()
    torch.save({name: tensor for name, tensor in state.items() if tensor is not None}, out)
    return {"policy.pth": out.getvalue()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action_net__weight": None}, "not a stack of layers: action_net.weight"),
        ({"mlp_extractor__policy_net__2__weight": None}, "not a stack of layers"),
        ({"action_net__weight": torch.zeros(3, 5)}, "layer 2"),
        ({"action_net__weight": torch.zeros(3)}, "layer 2"),
        ({"action_net__weight": torch.full((3, 64), torch.nan)}, "not finite"),
        ({"action_net__weight": torch.zeros(3, 64, dtype=torch.int64)}, "not an array of weights"),
        ({"action_net__weight": 3}, "not an array of weights"),
        ({"features_extractor__0__weight": torch.zeros(3, 3)}, "parts that are not known here"),
    ],
)
def test_import_sb3__refuses_other_numbers(saved, raj, change, message):
    repacked(saved, **state_with(saved, **change))
    with pytest.raises(ValueError, match=message) as caught:
        import_sb3(saved, raj)
    assert str(saved) in str(caught.value)


@pytest.mark.parametrize(
    "parts",
    [
        {"data": None},
        {"policy.pth": None},
        {"data": "{"},
        {"data": "[]"},
        {"data": "[" * 100_000},
        {"data": "{}"},
        {"policy.pth": b"nothing"},
    ],
)
def test_import_sb3__refuses_other_zips(saved, raj, parts):
    repacked(saved, **parts)
    with pytest.raises(ValueError, match=r"net\.zip: "):
        import_sb3(saved, raj)


def test_import_sb3__refuses_other_files(tmp_path, raj):
    (tmp_path / "broken.zip").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="not a model that Stable-Baselines3 saved"):
        import_sb3(tmp_path / "broken.zip", raj)
    with pytest.raises(ValueError, match="no such file"):
        import_sb3(tmp_path / "missing.zip", raj)
