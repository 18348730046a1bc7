"""Parts and wholes: machine code is made for functions that Python calls, and for no others.

Numba makes of every function that it compiles a program of its own: optimised, turned into machine
code, and with wrappers by which Python and C call it. A rule that is only called by a compiled loop
needs none of that: its code is linked into the loop and optimised there once more. So there are two
kinds of functions here:

- a part is called by compiled code only. It is translated to LLVM's language, and nothing else.
- a whole is called by Python. All parts that it reaches are linked into it, and the result is
  optimised once and turned into machine code.

This halves the time until a game can be played. Numba offers no such choice, so its own classes are
extended here, of the versions in `KNOWN`. With another version everything is a whole.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bidarena.envs.compile.shortcuts import (
    Replacement,
    can_shorten,
    numba_version,
    replaced,
    shortcuts,
)

KNOWN = ((0, 61), (0, 68))  # the first and the last version of Numba that this file was tried with


@lru_cache(maxsize=1)
def can_split() -> bool:
    """Return whether this version of Numba is known well enough to make parts."""
    first, last = KNOWN
    return first <= numba_version() <= last


def options_of(whole: bool) -> dict[str, Any]:
    """Return the options of `numba.njit` that make a function a whole, or a part."""
    if not can_split():
        return {}
    options = {"no_cfunc_wrapper": True, "pipeline_class": _pipeline(whole)}
    return options if whole else {**options, "no_cpython_wrapper": True}


def keep_as_part(function: Any) -> None:
    """Let Numba's cache keep a part as what it is, not as machine code.

    Args:
        function: what `numba.njit(cache=True)` with `options_of(False)` returned.
    """
    keeper = getattr(getattr(function, "_cache", None), "_impl", None)
    if keeper is not None and can_split():
        keeper.__class__ = _part_keeper(keeper.__class__)


@lru_cache(maxsize=1)
def _library_class() -> Any:
    from numba.core import codegen

    if not can_shorten():
        return codegen.JITCodeLibrary

    class Library(codegen.JITCodeLibrary):  # type: ignore[misc]
        """Numba's class of compiled code, quicker and with less to be collected as garbage."""

        def add_ir_module(self, module: Any) -> None:
            """Add code that Numba has written, and take it apart, for all of it is a circle."""
            super().add_ir_module(module)
            for function in module.functions:
                for block in function.blocks:
                    block.instructions.clear()
                    block.terminator = None
                function.blocks.clear()

        def _optimize_functions(self, module: Any) -> None:
            """Optimise each function with the same list of passes, not with one made for it."""
            module.data_layout = self._codegen._data_layout
            passes, builder = self._codegen._function_pass_manager()
            for function in module.functions:
                if not function.is_declaration:
                    passes.run(function, builder)

    return Library


@lru_cache(maxsize=1)
def _part_class() -> Any:
    from numba.core.runtime.nrt import rtsys

    class Part(_library_class()):  # type: ignore[misc]
        """The code of a part; `_linking_libraries` has that of the functions that it calls."""

        def __init__(self, generator: Any, name: str) -> None:
            super().__init__(generator, name)
            self.environments: list[tuple[str, Any]] = []  # objects that the code names

        def finalize(self) -> None:
            """Close the library: no optimising, no machine code."""
            self._raise_if_finalized()
            self._finalize_dynamic_globals()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            """Return 0: there is no machine code."""
            self._ensure_finalized()
            return 0

        @property
        def codegen(self) -> Any:
            """Return who is told of environments (`set_env`): the part itself keeps them."""
            return self

        def set_env(self, name: str, environment: Any) -> None:
            """Keep an environment for the wholes that this part is linked into."""
            self.environments.append((name, environment))

        def as_bitcode(self) -> bytes:
            """Return the code of this part and of all that it calls but Numba's own runtime."""
            code = self._get_module_for_linking().clone()
            for library in _reached(self):
                if library is not rtsys.library:
                    code.link_in(library._get_module_for_linking(), preserve=True)
            return code.as_bitcode()

    return Part


@lru_cache(maxsize=1)
def _whole_class() -> Any:
    class Whole(_library_class()):  # type: ignore[misc]
        """The code of a whole: with that of all parts that it reaches."""

        def finalize(self) -> None:
            """Link everything in, optimise it, and make machine code."""
            reached = _reached(self)
            self._linking_libraries = reached
            super().finalize()
            engine = self._codegen._engine
            for part in reached:
                for name, environment in getattr(part, "environments", ()):
                    if engine.is_symbol_defined(name):
                        self._codegen.set_env(name, environment)

    return Whole


def _reached(library: Any) -> list[Any]:
    """Return the libraries that one calls, directly or through parts; callers before the called.

    LLVM leaves out what nobody has called yet when a library is linked in, hence the order.
    """
    found: dict[Any, None] = {}

    def visit(one: Any) -> None:
        one._ensure_finalized()
        for called in one._linking_libraries if isinstance(one, _part_class()) else ():
            if called not in found:
                visit(called)
        found[one] = None

    for called in library._linking_libraries:
        if called not in found:
            visit(called)
    return list(reversed(found))


@lru_cache(maxsize=1)
def _flags_class() -> Any:
    from numba.core import compiler

    # Options of a caller that make no difference to what Numba compiles for it, and all others.
    own = {"forceinline", "no_cpython_wrapper", "no_cfunc_wrapper", "release_gil"}
    options = compiler.Flags.options.items()
    usual = {name: option.default for name, option in options if name not in own}

    class QuickFlags(compiler.Flags):  # type: ignore[misc]
        """Numba's options of a function, compared quickly.

        Numba looks up the type of every operation by them among other things, and compares all
        options, also those that were never set, with a sixth of its time. It compiles functions of
        its own, such as `np.empty`, again for every caller with other options.
        """

        __slots__ = ()

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return isinstance(other, QuickFlags) and (
                self._values == other._values or self._decisive() == other._decisive()
            )

        def _decisive(self) -> dict[str, Any]:
            chosen = self._values.items()
            return {name: value for name, value in chosen if name in usual and value != usual[name]}

    return QuickFlags


@lru_cache(maxsize=2)
def _pipeline(whole: bool) -> Any:
    """Return a compiler of Numba's whose functions are wholes, or parts."""
    from numba.core import compiler

    kind = _whole_class() if whole else _part_class()

    class Pipeline(compiler.Compiler):  # type: ignore[misc]
        def _compile_core(self) -> Any:
            state = self.state
            state.flags = _flags_class()(state.flags)
            if state.library is None:
                state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
                state.library.enable_object_caching()
            with replaced(_changes()), shortcuts():
                result = super()._compile_core()
            return result._replace(type_annotation="")  # it would keep all that Numba has made

    return Pipeline


@lru_cache(maxsize=1)
def _changes() -> tuple[Replacement, ...]:
    """Return what is different in Numba while something of ours is compiled.

    Where one array is assigned to a part of another, Numba compiles some forty functions that put
    both shapes into a sentence; a short error replaces them. And functions of Numba's own, such as
    `np.empty`, become parts, unless some other function is being compiled that they are made for.
    """
    from numba.core import targetconfig
    from numba.core.typing.templates import _OverloadFunctionTemplate
    from numba.np import arrayobj

    mismatch = (arrayobj, "raise_with_shape_context", _refusal())
    if not can_shorten():
        return (mismatch,)
    own = _OverloadFunctionTemplate._get_jit_decorator

    def get_jit_decorator(self: Any) -> Any:
        decorator = own(self)
        callers = targetconfig.ConfigStack()._stk._stack
        if not all(isinstance(flags, _flags_class()) for flags in callers):
            return decorator
        return lambda **options: decorator(**{**options, **options_of(False)})

    return mismatch, (_OverloadFunctionTemplate, "_get_jit_decorator", get_jit_decorator)


@lru_cache(maxsize=1)
def _refusal() -> Any:
    """Return a function for compiled code that raises the error for shapes that do not fit."""
    from numba.extending import overload

    def refuse(source, target):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    @overload(refuse)
    def typed(source, target):  # type: ignore[no-untyped-def]
        def body(source, target):  # type: ignore[no-untyped-def]
            raise ValueError("cannot assign an array of another shape")

        return body

    return refuse


@lru_cache(maxsize=2)
def _part_keeper(kind: Any) -> Any:
    """Return a subclass of Numba's class that says how a compiled function is kept in the cache."""
    import llvmlite.binding
    from numba.core.compiler import compile_result
    from numba.core.runtime.nrt import rtsys

    class PartKeeper(kind):  # type: ignore[misc]
        """Keeps parts: see `Part.as_bitcode`."""

        def reduce(self, result: Any) -> Any:
            """Return a compiled part as what can be pickled."""
            parts = [lib for lib in _reached(result.library) if isinstance(lib, _part_class())]
            named = [env for part in parts for _, env in part.environments if env.can_cache()]
            code = result.library.as_bitcode()
            described = result.fndesc
            described.typemap = described.calltypes = None  # not needed, as in Numba's own cache
            environment, signature = result.environment, result.signature
            return code, described, environment, signature, named, result.reload_init

        def rebuild(self, target: Any, payload: Any) -> Any:
            """Return the compiled part that was made of what was pickled."""
            code, described, environment, signature, named, again = payload
            for function in again:
                function()
            library = _part_class()(target.codegen(), described.qualname)
            library._final_module = llvmlite.binding.parse_bitcode(code)
            library._linking_libraries = [rtsys.library]
            for other in named:
                library.set_env(other.env_name, other)
            return compile_result(
                target_context=target,
                typing_context=target.typing_context,
                library=library,
                environment=environment,
                entry_point=target.get_executable(library, described, environment),
                fndesc=described,
                signature=signature,
                objectmode=False,
                lifted=(),
                reload_init=again,
            )

    return PartKeeper
