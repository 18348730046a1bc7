"""Stop signals: SIGTERM stops as Ctrl-C does, and what must not be cut off is finished."""

import os
import signal
import threading
import time

import pytest

from bidarena.envs.stopping import (
    Terminated,
    finish_first,
    interruptible,
    stop_at_sigterm,
    stop_signal,
)


def send(number):
    os.kill(os.getpid(), number)


def test_stop_at_sigterm__raises_an_interrupt_and_only_inside():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt) as stop, stop_at_sigterm():
        send(signal.SIGTERM)
    assert stop.type is Terminated
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("number", "kind"), [(signal.SIGTERM, Terminated), (signal.SIGINT, KeyboardInterrupt)]
)
def test_stop_signal__lets_a_round_end(number, kind):
    with stop_signal() as stopped:
        assert stopped() is None
        send(number)
        assert type(stopped()) is kind
        send(signal.SIGTERM)  # the parent's, after a Ctrl-C that reached both


def test_stop_signal__a_second_ctrl_c_acts_at_once():
    with stop_signal(), pytest.raises(KeyboardInterrupt):
        send(signal.SIGINT)
        send(signal.SIGINT)


def test_finish_first__sigterm_waits_for_the_end_of_the_block():
    done = []
    with pytest.raises(Terminated), finish_first():
        send(signal.SIGTERM)
        done.append(1)
    assert done
    with finish_first():
        done.append(2)
    assert done == [1, 2]


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
