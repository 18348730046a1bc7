"""Compile plain functions: the rules of games, and generic code that calls those rules.

Rules and generic loops are written in plain Python. A generic loop has to serve every game, so it
calls stubs such as `step` (see `game.py`). `compiled(loop, rules, label)` makes it a loop of one
game in two steps:

1. Copy the function. A Python function looks up the functions and constants that it uses in its
   dict `__globals__`. The copy gets a dict of its own. In it the name of a stub stands for the rule
   of this game, and the name of any other plain function for a compiled copy of that function.
2. Give the copy to Numba, which compiles it to machine code on the first call and saves the result
   on disk. The next process only loads it.

Numba finds a saved result by the name of the function. The name of each copy ends with a digest: a
hash of the code of all functions that the copy reaches, of the values of all constants that they
read, and of the files here that say how functions are compiled. If one changes, so does the name.
Nothing else has to be compared (`place.py`).
"""

from __future__ import annotations

import dis
import hashlib
import re
import types
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, wraps
from importlib.resources import files as files_of
from typing import Any

import numpy as np

from bidarena.envs.compile.caching import guard_cache, tell_no_cache
from bidarena.envs.compile.clock import description, seconds, seconds_intrinsic
from bidarena.envs.compile.fold import fold_named_tuples
from bidarena.envs.compile.library import can_split, keep_as_part, options_of
from bidarena.envs.compile.place import keep_in_one_folder
from bidarena.envs.compile.shortcuts import postpone_linear_algebra
from bidarena.envs.compile.telling import is_labelled, note_label, watch_compilation

Function = Any  # a plain function; Callable would hide __code__ and __globals__

_RULE_MARK = "__bidarena_rule__"
_DEFAULT_MARK = "__bidarena_default__"

# nogil: threads run compiled code at the same time. error_model: as in NumPy, a division by zero
# gives inf or nan and raises nothing. forceinline: rules are small and called in hot loops, and
# inlined code does not count references to its arrays; functions marked `apart` are not inlined.
_OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": True}
_APART_MARK = "__bidarena_apart__"
_RULES_MARK = "__bidarena_rules__"

# (function, the rules it uses, by name, whether Python calls it) -> its compiled copy
_copies: dict[tuple[Function, tuple[tuple[str, Function], ...], bool], Function] = {}


def rule(stub: Function) -> Function:
    """Mark a function as a stub, which `compiled` replaces by the rule of that name; return it."""
    setattr(stub, _RULE_MARK, stub.__name__)
    return stub


def replaceable(body: Function) -> Function:
    """Mark a function that `rules` may replace by its name, like a stub; return it.

    Where the rules name no other function, it is used itself.
    """
    setattr(body, _DEFAULT_MARK, True)
    return rule(body)


def apart(body: Function) -> Function:
    """Mark a function that is compiled once and called, not inlined into its callers; return it.

    Use it for a large function outside the innermost loop, such as a deal. Inlined, it would be
    compiled again in every place that calls it, and there the time of a call does not matter.
    """
    setattr(body, _APART_MARK, True)
    return body


def with_rules(**functions: Function) -> Callable[[Function], Function]:
    """Return a decorator for a function in which, and in all that it calls, other rules hold.

    So one loop can play a game and, in a part of it, list the outcomes of chance (`outcomes.py`).

    Args:
        **functions: the function that replaces each stub or replaceable function, by its name.
    """

    def mark(body: Function) -> Function:
        setattr(body, _RULES_MARK, functions)
        return body

    return mark


def fill_in(body: Function, module: str, name: str, **functions: Function) -> Function:
    """Return a copy of a plain function in which stubs are replaced by other plain functions.

    Use it for functions that differ in one step only. The copy is a plain function as well. Assign
    it to the variable `name` of `module`, where pickle looks for it.

    Args:
        body: the function to copy.
        module: `__name__` of the module that keeps the copy.
        name: the name of the copy.
        **functions: the function that replaces each stub, by the name of the stub.
    """
    copy = types.FunctionType(
        body.__code__, {**body.__globals__, **functions}, name, body.__defaults__
    )
    copy.__module__, copy.__qualname__, copy.__doc__ = module, name, body.__doc__
    return copy


def borrow(array: Any) -> Any:
    """Return the same array without its reference count, for the top of a compiled loop.

    Otherwise every view of a row (`states[i]`) counts references up and down with atomic
    instructions, which takes longer than most rules. The owner of the array must keep it alive:
    callers do that for arguments; a function that makes an array itself calls `keep` at its end.
    In plain Python this returns the array itself.
    """
    return array


def keep(arrays: Any) -> None:
    """Keep borrowed arrays that the calling function made alive up to here; do nothing else."""


def compiled(body: Function, rules: Mapping[str, Function], label: str) -> Function:
    """Return a compiled copy of `body` in which the stubs are replaced by `rules`.

    Args:
        body: a plain function. The functions that it calls are plain too, and imported by name.
        rules: the function that replaces each stub, by the name of the stub.
        label: shown to the user while this is compiled; usually the name of the game.
    """
    from numba import config

    watch_compilation()
    fold_named_tuples()
    keep_in_one_folder(is_labelled)
    postpone_linear_algebra()
    function = _copy(body, dict(rules), label, whole=True)
    return _quiet_overflow(function) if config.DISABLE_JIT else function


def digest(body: Function, rules: Mapping[str, Function]) -> str:
    """Return twelve hex digits that change when `body` or anything that it reaches changes."""
    lines = [repr(_OPTIONS)]
    _describe(body, dict(rules), {}, lines, {})
    return _hashed(lines)


@lru_cache(maxsize=1)
def _compiler() -> str:
    """Return a hash of the files beside this one that decide what becomes of a function.

    And of the settings of Numba that change the code it makes and that it does not compare.
    """
    from numba import config

    files = ("clock.py", "compiling.py", "fold.py", "library.py", "shortcuts.py")
    texts = [files_of(__package__).joinpath(file).read_text("utf-8") for file in files]
    return _hashed([*texts, f"bounds={config.BOUNDSCHECK} opt={config.OPT!s}"])


def _hashed(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _copy(
    body: Function, rules: dict[str, Function], label: str, *, whole: bool, kept: bool = True
) -> Function:
    """Return the compiled copy of `body`, made at the first call for the rules that it uses.

    Args:
        body: the function to copy.
        rules: the function that replaces each stub.
        label: shown to the user while this is compiled.
        whole: whether Python calls the copy; otherwise it is a part (see `library.py`).
        kept: whether the disk keeps it. What a rule calls is kept with the rule.
    """
    if body.__closure__:
        raise TypeError(f"{_where(body)} uses variables of an enclosing function; pass them in")
    rules = _rules_in(body, rules)
    whole = whole or not can_split()
    lines = [repr(_OPTIONS), _compiler(), "whole" if whole else "part"]
    used: dict[str, Function] = {}
    _describe(body, rules, {}, lines, used)
    key = (body, tuple(sorted(used.items())), whole)  # games that differ in other rules share it
    if key not in _copies:
        _copies[key] = _new_copy(body, rules, label, _hashed(lines), whole, kept or whole)
    return _copies[key]


def _rules_in(body: Function, rules: dict[str, Function]) -> dict[str, Function]:
    """Return the rules that hold in a function: those of its callers, changed as it is marked."""
    return {**rules, **getattr(body, _RULES_MARK, {})}


def _new_copy(
    body: Function, rules: dict[str, Function], label: str, hashed: str, whole: bool, kept: bool
) -> Function:
    """Copy `body` with globals of its own (see the top of this file) and compile the copy."""
    namespace = dict(body.__globals__)
    for name, value in _references(body):
        target = _resolve(value, rules)
        if target is borrow:
            namespace[name] = _borrow_intrinsic()
        elif target is seconds:
            namespace[name] = seconds_intrinsic()
        elif isinstance(target, types.FunctionType):
            shared = target is not value or hasattr(target, _APART_MARK)
            namespace[name] = _copy(target, rules, label, whole=False, kept=shared)
    copy = types.FunctionType(body.__code__, namespace, body.__name__, body.__defaults__)
    # Numba names a file after the function, so the slash of a label "mine/game" must go.
    tag = re.sub(r"\W+", "_", label)
    copy.__qualname__ = f"{body.__name__}__{tag}_{hashed}"
    copy.__module__ = body.__module__
    note_label(copy.__qualname__, label)
    options = {**_OPTIONS, "forceinline": not hasattr(body, _APART_MARK), **options_of(whole)}
    function = _jit(copy, options, label, kept)
    if not whole:
        keep_as_part(function)
    return function


def _where(body: Function) -> str:
    return f"{body.__module__}.{body.__qualname__}"


def _jit(copy: types.FunctionType, options: dict[str, Any], label: str, kept: bool) -> Function:
    import numba

    if not kept:
        return numba.njit(**options)(copy)
    try:
        function = numba.njit(cache=True, **options)(copy)
        guard_cache(function, label)
        return function
    except RuntimeError as reason:  # no folder that Numba may write its cache to
        tell_no_cache(reason)
        return numba.njit(**options)(copy)


@lru_cache(maxsize=1)
def _borrow_intrinsic() -> Any:
    """Return `borrow` for compiled code.

    Numba runs `build` while it compiles a call. The code that `build` emits makes another array
    header over the same data. Its `meminfo`, by which Numba counts references, is left empty.
    """
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


def _references(body: Function) -> list[tuple[str, Any]]:
    """Return the global names that `body` reads, with their values.

    Code nested in `body`, such as a comprehension, is searched as well.
    """
    scope = body.__globals__
    found = [(name, scope[name]) for name in _global_names(body.__code__) if name in scope]
    for name, value in found:
        if isinstance(value, types.ModuleType) and value.__name__ not in ("numpy", "math"):
            # The digest covers the values of names, not what is read through a module.
            raise TypeError(
                f"{_where(body)} reads {name}.something; compiled code takes functions and "
                f"constants by name: from {value.__name__} import something"
            )
    return found


@cache
def _global_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the global names that `code` and the code nested in it read.

    `co_names` would not do: it has the names of attributes too, and the field of a named tuple may
    be called like a function of the module.
    """
    read = [step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"]
    for nested in code.co_consts:
        if isinstance(nested, types.CodeType):
            read += _global_names(nested)
    return tuple(dict.fromkeys(read))


def _resolve(value: Any, rules: Mapping[str, Function]) -> Any:
    """Return the rule that replaces `value` if it is a stub, else `value` itself."""
    name = getattr(value, _RULE_MARK, None) if isinstance(value, types.FunctionType) else None
    if name is None:
        return value
    if name not in rules:
        if hasattr(value, _DEFAULT_MARK):
            return value
        raise LookupError(f"the rule {name!r} is needed here, but this game does not define it")
    return rules[name]


def _describe(
    body: Function,
    rules: dict[str, Function],
    path: dict[Function, None],
    lines: list[str],
    used: dict[str, Function],
) -> None:
    """Append to `lines` a text of everything that the compiled `body` depends on.

    Args:
        body: the function to describe, with all functions that it reaches.
        rules: the function that replaces each stub.
        path: the chain of callers that led to `body`. If `body` is one of them, it calls itself;
            Numba cannot save such a function, and a TypeError is raised.
        lines: where the description is appended.
        used: where the rules that `body` reaches are added, by name.
    """
    if body in (borrow, seconds):  # compiled code has versions of its own
        if body is seconds and description():
            lines.append(description())
        return
    if body in path:
        raise TypeError(f"{_where(body)} calls itself, directly or not; write a loop with a stack")
    path[body] = None
    rules = _rules_in(body, rules)
    kind = "apart " if hasattr(body, _APART_MARK) else ""
    lines.append(f"{kind}def {body.__module__}.{body.__qualname__}{body.__defaults__!r}")
    _describe_code(body.__code__, lines, body.__doc__)
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


def _describe_code(code: types.CodeType, lines: list[str], docstring: str | None = None) -> None:
    """Append to `lines` the bytecode, names and constants of a code object and those inside it.

    The docstring is left out: compiled code does not have it.
    """
    lines.append(f"{code.co_code.hex()} {code.co_names} {code.co_varnames}")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _describe_code(constant, lines)
        elif constant != docstring:
            lines.append(repr(constant))


def _quiet_overflow(function: Function) -> Function:
    """Return `function` without NumPy's warnings of overflow, for NUMBA_DISABLE_JIT=1.

    The random generator's arithmetic wraps around on purpose.
    """

    @wraps(function)
    def quiet(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return quiet
