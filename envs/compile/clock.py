"""The clock that compiled code reads: the same one as `seconds` of Python, on every system."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

from bidarena.envs import system

_SYMBOL = "bidarena_read_clock"  # by which compiled code, also from the cache, finds `_callback`


def seconds() -> float:
    """Return the time of a monotonic clock in seconds; compiled code can call it too."""
    return system.read_clock()


def description() -> str:
    """Return what a digest must tell of the clock: nothing of the usual one."""
    return _SYMBOL if system.CLOCK is None else ""


@lru_cache(maxsize=1)
def seconds_intrinsic() -> Any:
    """Return `seconds` for compiled code.

    The code that `build` emits calls `clock_gettime` of the C library. Where there is no such
    clock, as on Windows, it calls Python, which takes about a microsecond.
    """
    from numba import config, types
    from numba.extending import intrinsic

    if config.DISABLE_JIT:
        return seconds
    if system.CLOCK is None:
        from llvmlite import binding

        binding.add_symbol(_SYMBOL, ctypes.cast(_callback(), ctypes.c_void_p).value)

    @intrinsic  # type: ignore[untyped-decorator]
    def read_clock(typingctx: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if system.CLOCK is None:
                return _call_python(builder)
            return _call_system(builder, system.CLOCK)

        return types.float64(), build

    return read_clock


def _call_system(builder: Any, clock: int) -> Any:
    """Emit the code that reads a clock of the C library, in seconds."""
    from llvmlite import ir
    from numba.core.cgutils import get_or_insert_function

    whole, number = ir.IntType(64), ir.DoubleType()
    moment = ir.LiteralStructType([whole, whole])  # seconds, nanoseconds
    with builder.goto_entry_block():
        place = builder.alloca(moment)
    form = ir.FunctionType(ir.IntType(32), [ir.IntType(32), moment.as_pointer()])
    read = get_or_insert_function(builder.module, form, "clock_gettime")
    builder.call(read, [ir.Constant(ir.IntType(32), clock), place])
    parts = builder.load(place)
    full = builder.sitofp(builder.extract_value(parts, 0), number)
    nano = builder.sitofp(builder.extract_value(parts, 1), number)
    return builder.fadd(full, builder.fmul(nano, ir.Constant(number, 1e-9)))


def _call_python(builder: Any) -> Any:
    """Emit the code that calls `_callback`."""
    from llvmlite import ir
    from numba.core.cgutils import get_or_insert_function

    form = ir.FunctionType(ir.DoubleType(), [])
    return builder.call(get_or_insert_function(builder.module, form, _SYMBOL), [])


@lru_cache(maxsize=1)
def _callback() -> Any:
    """Return `system.read_clock` as a C function; kept for ever, because compiled code calls it."""
    return ctypes.CFUNCTYPE(ctypes.c_double)(system.read_clock)
