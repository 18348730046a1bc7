"""Functions that compiled code carries out by a few instructions of the processor.

    @instruction(build)
    def name(mask: int, n: int) -> int: ...

The decorated function says in Python what is computed, and is what runs in Python. Compiled code
gets instead what `build` emits. The function takes and returns whole numbers of 64 bits.

Compiled code is found again by a digest of all functions that it reaches (envs/compile/), but not
of these: give one whose results change another name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

Build = Callable[[Any, list[Any]], Any]  # builder and arguments of LLVM -> result; None: see below

# Processors that have the instruction `pdep` but take hundreds of cycles for it.
SLOW_DEPOSIT = ("znver1", "znver2", "bdver4")


class Instruction:
    """A function with two forms: Python's, and a few instructions in compiled code."""

    def __init__(self, build: Build, body: Callable[..., int]) -> None:
        self._build, self._body = build, body
        update_wrapper(self, body)

    def __call__(self, *numbers: int) -> int:
        """Return the result, computed by Python."""
        return self._body(*numbers)

    @cached_property
    def _numba_type_(self) -> Any:
        """The type by which Numba finds out how to compile a call; it asks for this name."""
        from numba.core.registry import cpu_target
        from numba.core.types import Integer, int64
        from numba.extending import intrinsic

        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            made = self._build(builder, list(args))
            if made is None:  # this processor cannot: compile the Python function
                made = context.compile_internal(builder, self._body, signature, args)
            return made

        def of_one(typingctx: Any, mask: Any) -> Any:
            return (int64(int64), emit) if isinstance(mask, Integer) else None

        def of_two(typingctx: Any, mask: Any, n: Any) -> Any:
            fits = isinstance(mask, Integer) and isinstance(n, Integer)
            return (int64(int64, int64), emit) if fits else None

        made = intrinsic((of_one, of_two)[self._body.__code__.co_argcount - 1])
        typing = cpu_target.typing_context
        typing.refresh()
        return typing.resolve_value_type(made)


def instruction(build: Build) -> Callable[[Callable[..., int]], Instruction]:
    """Return a decorator that makes an `Instruction` of a function.

    Args:
        build: emits the code by a builder of LLVM and returns the result; None if this processor
            has no such instructions, and the function itself is to be compiled.
    """
    return lambda body: Instruction(build, body)


def ones(builder: Any, args: list[Any]) -> Any:
    """Emit the number of bits that are set."""
    return builder.ctpop(args[0])


def trailing(builder: Any, args: list[Any]) -> Any:
    """Emit the number of zeros below the lowest bit that is set."""
    return builder.cttz(args[0], _no(builder))


def leading(builder: Any, args: list[Any]) -> Any:
    """Emit the number of zeros above the highest bit that is set."""
    return builder.ctlz(args[0], _no(builder))


def deposit(builder: Any, args: list[Any]) -> Any:
    """Emit the mask in which only the n-th bit of those that are set is left.

    Processors that can put the bits of a number into the places of a mask find it at once. Emits
    nothing and returns None for others.
    """
    from llvmlite import ir
    from numba.core.cgutils import get_or_insert_function
    from numba.core.registry import cpu_target

    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    if "+bmi2" not in features.split(",") or processor in SLOW_DEPOSIT:
        return None
    mask, n = args
    whole = mask.type
    form = ir.FunctionType(whole, [whole, whole])
    put = get_or_insert_function(builder.module, form, "llvm.x86.bmi.pdep.64")
    return builder.call(put, [builder.shl(ir.Constant(whole, 1), n), mask])


def _no(builder: Any) -> Any:
    from llvmlite import ir

    return ir.Constant(ir.IntType(1), 0)
