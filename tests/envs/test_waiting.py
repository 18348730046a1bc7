"""Waiting for long calls: results and errors come through, and Ctrl-C ends the waiting."""

import signal
import threading
import time

import pytest

from bidarena.envs.waiting import interruptible


def test_interruptible__returns_results_and_raises_errors():
    assert interruptible(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 7, 0)


def test_interruptible__a_signal_ends_the_waiting_at_once():
    ended = threading.Event()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interruptible(ended.wait, 20)
    ended.set()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert time.monotonic() - began < 5


def test_interruptible__in_another_thread_it_is_a_plain_call():
    seen = []
    one = threading.Thread(target=lambda: interruptible(lambda: seen.append(threading.get_ident())))
    one.start()
    one.join()
    assert seen == [one.ident]
