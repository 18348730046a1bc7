"""Solutions that tests work out go to a folder of their own, never to the user's cache."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDARENA_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
