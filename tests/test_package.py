"""The package as others get it: a wheel in an empty environment, beside somebody's own `envs`."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# what a clone has beside the sources of the package
NOT_OURS = (
    ".*",
    "*.egg-info",
    "__pycache__",
    "node_modules",
    "build",
    "dist",
    "site",
    "runs",
    "tests",
)

SCRIPT = """
import envs  # the user's own package of that name
assert envs.MINE == 42

import gymnasium as gym
import numpy as np

env = gym.make("bidarena.envs:bidarena/Scotch-v0", opponent="dp", money=(20, 20))
_, info = env.reset(seed=1)
games = 0
while games < 3:
    action = int(np.flatnonzero(info["action_mask"])[0])
    _, reward, terminated, truncated, info = env.step(action)
    if terminated or truncated:
        games += 1
        _, info = env.reset()
batch = gym.make_vec("bidarena/Scotch-v0", num_envs=4)
batch.reset(seed=0)
batch.step([1, 1, 1, 1])

import bidarena.envs
print(sorted(spec for spec in gym.registry if spec.startswith("bidarena/")))
print(bidarena.envs.__file__)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clean_environment(tmp_path_factory):
    """An environment with nothing but the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT))
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    wheel = next(folder.glob("*.whl"))
    constraints = ROOT / "constraints.txt"
    install = ("-m", "pip", "install", "-q", "--disable-pip-version-check")
    run(str(python), *install, "-c", str(constraints), str(wheel))
    return python


def test_wheel__plays_from_another_directory_beside_a_package_called_envs(
    clean_environment, tmp_path
):
    own = tmp_path / "envs"
    own.mkdir()
    (own / "__init__.py").write_text("MINE = 42\n")
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    registered, where = run(str(clean_environment), str(script), cwd=tmp_path, env=clean).split(
        "\n"
    )[:2]
    assert "bidarena/Scotch-v0" in registered
    assert str(clean_environment.parents[1]) in where


def test_wheel__brings_the_command_and_typing_markers(clean_environment, tmp_path):
    command = clean_environment.parent / "bidarena"
    assert '"scotch"' in run(str(command), "list", "--json", cwd=tmp_path)
    site = next(clean_environment.parents[1].glob("lib/python*/site-packages/bidarena"))
    for package in ("envs", "baselines", "evaluate", "train", "studies", "cli"):
        assert (site / package / "py.typed").exists(), package
    assert not (site / "__init__.py").exists(), "bidarena is a namespace"


def test_wheel__has_nothing_of_what_was_built_before(tmp_path):
    """`pip install .` once left build/lib behind, from which files went into all later wheels."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*NOT_OURS))
    for leaver in ("envs/removed.py", "baselines/learned/policies/removed.safetensors"):
        (clone / leaver).touch()
    install = ("-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps")
    run(sys.executable, *install, "--target", str(tmp_path / "site"), str(clone))
    assert len(list((tmp_path / "site").rglob("removed.*"))) >= 2
    assert not (clone / "build").exists()
    for leaver in clone.rglob("removed.*"):
        leaver.unlink()
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(clone))
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    assert "bidarena/envs/game.py" in names
    assert not [name for name in names if "removed" in name]


def test_wheel__says_what_to_install_for_optional_parts(clean_environment, tmp_path):
    for module, extra in (("multi", "multi"), ("sb3", "train")):
        code = f"import bidarena.envs.{module}"
        done = subprocess.run(
            [str(clean_environment), "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert f'pip install "bidarena[{extra}]"' in done.stderr
