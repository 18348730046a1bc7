"""Shortcuts through Numba: the same results with less work, while something of ours is compiled.

Numba is written in Python, and for small functions most of its time goes into a few habits: it
works out again what it has known before, keeps lists that nobody reads, and makes texts of errors
that it catches itself. `shortcuts()` puts quicker functions in the place of those, and puts Numba's
own ones back afterwards. Each stands below with what it leaves out. Python's collector of garbage
rests meanwhile: what Numba makes lives until the end of a compilation, and is looked through again
and again.

All of it was tried with the versions in `TRIED`; with another, Numba runs as it is.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

TRIED = ((0, 68), (0, 68))  # the first and the last version of Numba that this file was tried with

Replacement = tuple[Any, str, Any]  # a class or module, the name of a function, what replaces it

_nested = [0]  # how many `shortcuts` this process is in; Numba compiles in one thread at a time


@lru_cache(maxsize=1)
def can_shorten() -> bool:
    """Return whether this version of Numba is known well enough for shortcuts."""
    first, last = TRIED
    return first <= numba_version() <= last


@lru_cache(maxsize=1)
def numba_version() -> tuple[int, ...]:
    """Return the first two numbers of Numba's version."""
    import numba

    return tuple(int(number) for number in numba.__version__.split(".")[:2])


@contextmanager
def replaced(replacements: Iterable[Replacement]) -> Iterator[None]:
    """Context manager in which functions of Numba are replaced by others."""
    kept = []
    try:
        for owner, name, other in replacements:
            kept.append((owner, name, getattr(owner, name)))
            setattr(owner, name, other)
        yield
    finally:
        for owner, name, own in reversed(kept):
            setattr(owner, name, own)


@contextmanager
def shortcuts() -> Iterator[None]:
    """Context manager in which Numba compiles more quickly."""
    if _nested[0] > 0 or not can_shorten():
        yield
        return
    collects = gc.isenabled()
    _nested[0] += 1
    gc.disable()
    try:
        with replaced(_replacements()):
            yield
    finally:
        _nested[0] -= 1
        if collects:
            gc.enable()


@lru_cache(maxsize=1)
def _replacements() -> tuple[Replacement, ...]:
    """Return all that `shortcuts` replaces."""
    made = (
        *(_lifetimes, _variables, _call_types, _operator_types),
        *(_colours, _timers, _array_views),
    )
    return tuple(replacement for make in made for replacement in make())


def _lifetimes() -> Iterator[Replacement]:
    """Numba lists the variables alive in each block after most passes; only generators need it."""
    from numba.core import postproc, transforms

    own = postproc.PostProcessor.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if code.is_generator:
            own(self, emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = postproc.VariableLifetime(code.blocks)
        code.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    yield postproc.PostProcessor, "run", run


def _variables() -> Iterator[Replacement]:
    """Numba asks five times of what kind each part of a line is, to find the variables in it."""
    from numba.core import ir

    class Kinds(dict[type, type | None]):
        """Says of what kind, if any that can hold variables, the objects of a class are."""

        def __missing__(self, cls: type) -> type | None:
            known = (ir.Var, ir.Inst, list, tuple, dict)
            self[cls] = next((kind for kind in known if issubclass(cls, kind)), None)
            return self[cls]

    kinds = Kinds()

    def list_variables(self: Any, value: Any) -> list[Any]:
        kind, found = kinds[type(value)], []
        many = value.values() if kind is dict else value if kind in (list, tuple) else (value,)
        for one in many:
            kind = kinds[type(one)]
            if kind is ir.Var:
                found.append(one)
            elif kind is ir.Inst:
                found += one.list_vars()
            elif kind is not None:
                found += list_variables(self, one)
        return found

    yield ir.Inst, "_rec_list_vars", list_variables


def _call_types() -> Iterator[Replacement]:
    """Numba tries some twenty signatures for every `+`, each time anew."""
    from numba.core import targetconfig
    from numba.core import types as numba_types

    own = numba_types.BaseFunction.get_call_type
    # By function: when Numba learns of further signatures, it makes another one. It is kept beside
    # what is known of it, so that no other object gets its id.
    known: dict[int, tuple[Any, dict[Any, Any]]] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return own(self, context, args, kws)
        _, found = known.setdefault(id(self), (self, {}))
        key = (context, args, targetconfig.ConfigStack.top_or_none())
        if key not in found:
            found[key] = own(self, context, args, kws)
        return found[key]

    yield numba_types.BaseFunction, "get_call_type", get_call_type


def _operator_types() -> Iterator[Replacement]:
    """Numba asks whether an operator is a constant, and makes a text to say no."""
    from numba.core.typing.context import BaseContext

    own = BaseContext.resolve_value_type

    def resolve_value_type(self: Any, value: Any) -> Any:
        found = self._lookup_global(value) if type(value) is types.BuiltinFunctionType else None
        return own(self, value) if found is None else found

    yield BaseContext, "resolve_value_type", resolve_value_type


def _colours() -> Iterator[Replacement]:
    """Numba asks the terminal about colours for each of thousands of errors that it catches."""
    from numba.core import errors

    scheme = type(errors.termcolor())
    if hasattr(scheme, "_markup"):
        yield scheme, "_markup", lambda self, text, *how, **ways: text


def _timers() -> Iterator[Replacement]:
    """Every function that is being compiled has a watch of its own for each call of LLVM."""
    from numba.core import event

    @contextmanager
    def install_timer(kind: str, callback: Callable[[float], None]) -> Iterator[None]:
        yield

    yield event, "install_timer", install_timer


def _array_views() -> Iterator[Replacement]:
    """Numba makes a class for each use of an array, and looks in vain for a way to convert it."""
    from numba.core import cgutils
    from numba.core import types as numba_types
    from numba.np import arrayobj

    own = arrayobj.make_array

    @cache
    def make_array(kind: Any) -> Any:
        made = own(kind)
        if type(kind) is numba_types.Array:  # itself, so that nothing has to be converted
            made._make_refs = cgutils.create_struct_proxy(kind)._make_refs
        return made

    yield arrayobj, "make_array", make_array


@lru_cache(maxsize=1)
def postpone_linear_algebra() -> None:
    """Let Numba import SciPy when a product of matrices is compiled, and not before.

    Numba imports it to know whether it is there, which takes as long as to import Numba itself.
    """
    name = "numba.np.arraymath"
    if name in sys.modules or not can_shorten() or importlib.util.find_spec("scipy") is None:
        return
    from numba.np import linalg

    own = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module(name).ensure_blas = own  # type: ignore[attr-defined]
    finally:
        linalg.ensure_blas = own
