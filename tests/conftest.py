"""Solutions that tests work out go to a folder of their own; compiled code is the user's."""

import os

import pytest

from bidarena.envs.compile.place import compiled_folder

# Before the cache is moved: what was compiled once serves all runs and workers of the tests.
os.environ["NUMBA_CACHE_DIR"] = str(compiled_folder())


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDARENA_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
