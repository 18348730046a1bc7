"""Stop signals: SIGTERM stops as Ctrl-C does, and what must not be cut off is finished."""

import os
import signal

import pytest

from bidarena.envs.stopping import Terminated, finish_first, stop_at_sigterm, stop_signal


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
