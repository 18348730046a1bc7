"""The games that come with the package, for tests over all of them; toys of tests are left out."""

from bidarena.envs.registry import env_id, games

OUR_GAMES = tuple(name for name in games() if env_id(name).startswith("bidarena/"))
