"""Turns plain functions into compiled ones: rules of games, and generic code over those rules.

Rules and generic loops are written as plain Python. `compiled` makes a copy of such a function in
which every global name of a plain function is replaced by that function compiled, and every rule
stub of `bidarena.envs.game` by the rule of one particular game. The copy is compiled by Numba on
its first call and kept in Numba's cache on disk, so that the next process only loads it.

Numba's cache notices changes in the file of the function itself only. Therefore the name of each
copy carries a digest of everything it was made from: the code of all functions it reaches and the
values of all constants they read.
"""

from __future__ import annotations

import hashlib
import re
import sys
import time
import types
import warnings
from collections.abc import Mapping
from functools import lru_cache, wraps
from typing import Any

import numpy as np

Function = Any  # a plain function; Callable would hide __code__ and __globals__

_RULE_MARK = "__bidarena_rule__"

# Rules are small and called in hot loops: inlining them spares reference counts on their arrays.
# What is marked `apart` is not inlined.
_OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": True}
_APART_MARK = "__bidarena_apart__"

# (function, rules) -> compiled copy; a rule set is identified by its functions.
_copies: dict[tuple[Function, tuple[tuple[str, Function], ...]], Function] = {}


def rule(stub: Function) -> Function:
    """Mark `stub` as a name that `compiled` replaces by a function of the game at hand."""
    setattr(stub, _RULE_MARK, stub.__name__)
    return stub


def apart(body: Function) -> Function:
    """Mark a function that is compiled by itself and called, not inlined wherever it is used.

    For what is large and not in the innermost loop, such as a deal: a copy of it in every place
    would take long to compile, and the call is not noticed.
    """
    setattr(body, _APART_MARK, True)
    return body


def borrow(array: Any) -> Any:
    """The same array without its reference count, for the top of a compiled loop.

    Every view of a row (`states[i]`) otherwise counts references up and down with atomic
    instructions, which takes longer than most rules. Whoever owns the array must keep it alive:
    callers do that for arguments; a function that makes an array itself calls `keep` at its end.
    In plain Python it is the array itself.
    """
    return array


def keep(arrays: Any) -> None:
    """Does nothing, but until here arrays made in this function and borrowed are not freed."""


def seconds() -> float:
    """A monotonic clock in seconds, for bots that think for a given time; also inside loops."""
    return time.monotonic()


def compiled(body: Function, rules: Mapping[str, Function], label: str) -> Function:
    """A compiled copy of `body` in which the rule stubs stand for `rules`.

    Args:
        body: a plain function. Functions it calls are plain functions too, imported by name.
        rules: the functions behind the rule stubs, by name.
        label: what the user is told is being compiled, usually the name of the game.
    """
    from numba import config

    _watch_compilation()
    function = _copy(body, dict(rules), label)
    return _quiet_overflow(function) if config.DISABLE_JIT else function


def digest(body: Function, rules: Mapping[str, Function]) -> str:
    """Twelve hex digits that change whenever `body` or anything it reaches changes."""
    lines = [repr(_OPTIONS)]
    _describe(body, dict(rules), {}, lines, {})
    return _hashed(lines)


def _hashed(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _copy(body: Function, rules: dict[str, Function], label: str) -> Function:
    if body.__closure__:
        raise TypeError(f"{_where(body)} uses variables of an enclosing function; pass them in")
    reached: dict[Function, None] = {}
    lines = [repr(_OPTIONS)]
    used: dict[str, Function] = {}
    _describe(body, rules, reached, lines, used)
    key = (body, tuple(sorted(used.items())))  # what it does not reach makes no difference
    if key not in _copies:
        _copies[key] = _new_copy(body, rules, label, _hashed(lines))
    return _copies[key]


def _new_copy(body: Function, rules: dict[str, Function], label: str, hashed: str) -> Function:
    namespace = dict(body.__globals__)
    for name, value in _references(body):
        target = _resolve(value, rules)
        if target is borrow:
            namespace[name] = _borrow_intrinsic()
        elif target is seconds:
            namespace[name] = _seconds_intrinsic()
        elif isinstance(target, types.FunctionType):
            namespace[name] = _copy(target, rules, label)
    copy = types.FunctionType(body.__code__, namespace, body.__name__, body.__defaults__)
    # The name becomes that of a file, so a label such as "mine/nim" must not stay as it is.
    tag = re.sub(r"\W+", "_", label)
    copy.__qualname__ = f"{body.__name__}__{tag}_{hashed}"
    copy.__module__ = body.__module__
    _labels[copy.__qualname__] = label
    return _jit(copy, {**_OPTIONS, "forceinline": not hasattr(body, _APART_MARK)})


def _where(body: Function) -> str:
    return f"{body.__module__}.{body.__qualname__}"


def _jit(copy: types.FunctionType, options: dict[str, Any]) -> Function:
    import numba

    try:
        return numba.njit(cache=True, **options)(copy)
    except RuntimeError as reason:  # no folder that Numba may write its cache to
        _tell_no_cache(reason)
        return numba.njit(**options)(copy)


@lru_cache(maxsize=1)
def _borrow_intrinsic() -> Any:
    from numba import config
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    if config.DISABLE_JIT:
        return borrow

    @intrinsic  # type: ignore[untyped-decorator]
    def borrow_array(typingctx: Any, array: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            lender = make_array(signature.args[0])(context, builder, args[0])
            borrowed = make_array(signature.return_type)(context, builder)
            populate_array(
                borrowed,
                data=lender.data,
                shape=lender.shape,
                strides=lender.strides,
                itemsize=lender.itemsize,
                meminfo=None,
            )
            return borrowed._getvalue()

        return array(array), build

    return borrow_array


@lru_cache(maxsize=1)
def _seconds_intrinsic() -> Any:
    """The same clock as time.monotonic, read without Python by the C library's clock_gettime."""
    from llvmlite import ir
    from numba import config, types
    from numba.core.cgutils import get_or_insert_function
    from numba.extending import intrinsic

    if config.DISABLE_JIT:
        return seconds
    monotonic = time.CLOCK_MONOTONIC

    @intrinsic  # type: ignore[untyped-decorator]
    def read_clock(typingctx: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            whole, number = ir.IntType(64), ir.DoubleType()
            moment = ir.LiteralStructType([whole, whole])  # seconds, nanoseconds
            with builder.goto_entry_block():
                place = builder.alloca(moment)
            form = ir.FunctionType(ir.IntType(32), [ir.IntType(32), moment.as_pointer()])
            clock = get_or_insert_function(builder.module, form, "clock_gettime")
            builder.call(clock, [ir.Constant(ir.IntType(32), monotonic), place])
            parts = builder.load(place)
            full = builder.sitofp(builder.extract_value(parts, 0), number)
            nano = builder.sitofp(builder.extract_value(parts, 1), number)
            return builder.fadd(full, builder.fmul(nano, ir.Constant(number, 1e-9)))

        return types.float64(), build

    return read_clock


def _tell_no_cache(reason: Exception) -> None:
    if "no cache" in _told:
        return
    _told.add("no cache")
    warnings.warn(
        f"bidarena compiles anew in every process, because no cache folder is writable ({reason}). "
        "Set NUMBA_CACHE_DIR to a folder of yours to avoid that.",
        stacklevel=2,
    )


def _references(body: Function) -> list[tuple[str, Any]]:
    """The global names that `body` reads, with their values, nested code included."""
    names: dict[str, None] = {}
    pending = [body.__code__]
    while pending:
        code = pending.pop()
        names.update(dict.fromkeys(code.co_names))
        pending += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    scope = body.__globals__
    found = [(name, scope[name]) for name in names if name in scope]
    for name, value in found:
        if isinstance(value, types.ModuleType) and value.__name__ not in ("numpy", "math"):
            # What is read through a module could change without the digest noticing.
            raise TypeError(
                f"{_where(body)} reads {name}.something; compiled code takes functions and "
                f"constants by name: from {value.__name__} import something"
            )
    return found


def _resolve(value: Any, rules: Mapping[str, Function]) -> Any:
    name = getattr(value, _RULE_MARK, None) if isinstance(value, types.FunctionType) else None
    if name is None:
        return value
    if name not in rules:
        raise LookupError(f"the rule {name!r} is needed here, but this game does not define it")
    return rules[name]


def _describe(
    body: Function,
    rules: dict[str, Function],
    path: dict[Function, None],
    lines: list[str],
    used: dict[str, Function],
) -> None:
    """Append to `lines` all that the compiled `body` depends on; note the rules it uses in `used`.

    `path` holds the functions on the way here: finding one of them again is a circle, which Numba's
    cache cannot keep.
    """
    if body in (borrow, seconds):  # not compiled from their code
        return
    if body in path:
        raise TypeError(f"{_where(body)} calls itself, directly or not; write a loop with a stack")
    path[body] = None
    kind = "apart " if hasattr(body, _APART_MARK) else ""
    lines.append(f"{kind}def {body.__module__}.{body.__qualname__}{body.__defaults__!r}")
    _describe_code(body.__code__, lines)
    for name, value in _references(body):
        target = _resolve(value, rules)
        if target is not value:
            used[value.__name__] = target
        if isinstance(target, types.FunctionType):
            lines.append(f"{name} is {target.__module__}.{target.__qualname__}")
            _describe(target, rules, path, lines, used)
        elif isinstance(target, np.ndarray):
            lines.append(f"{name} = {target.dtype}{target.shape}{target.tobytes().hex()}")
        elif isinstance(target, bool | int | float | str | tuple | slice | np.generic):
            lines.append(f"{name} = {target!r}")
    del path[body]


def _describe_code(code: types.CodeType, lines: list[str]) -> None:
    lines.append(f"{code.co_code.hex()} {code.co_names} {code.co_varnames}")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _describe_code(constant, lines)
        else:
            lines.append(repr(constant))


def _quiet_overflow(function: Function) -> Function:
    """For NUMBA_DISABLE_JIT=1: the generator's arithmetic wraps around without warnings."""

    @wraps(function)
    def quiet(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return quiet


# --- telling the user that something is being compiled -------------------------------------------

_labels: dict[str, str] = {}
_told: set[str] = set()


@lru_cache(maxsize=1)
def _watch_compilation() -> None:
    from numba.core import event

    class Teller(event.Listener):  # type: ignore[misc]
        def on_start(self, happening: Any) -> None:
            _tell(happening.data["dispatcher"].py_func.__qualname__)

        def on_end(self, happening: Any) -> None:
            pass

    event.register("numba:compile", Teller())


def _tell(qualname: str) -> None:
    label = _labels.get(qualname)
    if label is not None and label not in _told:
        _told.add(label)
        print(f"bidarena: compiling {label} (once; kept for the next time)", file=sys.stderr)
