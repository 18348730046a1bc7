"""The load test plays, measures and reports what went wrong."""

from bidarena.arena.load import Arguments, measure


def test_load__some_clients_play_at_once_and_their_answers_are_timed():
    found = measure(Arguments(games=4, seconds=1.5, pause=0.05))
    assert not found["faults"]
    assert found["moves"] > 10 and 0 < found["median_ms"] <= found["p95_ms"] <= found["slowest_ms"]
