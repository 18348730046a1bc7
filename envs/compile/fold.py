"""Makes Numba read a field of a global named tuple, such as `S.money`, as a plain number.

Left alone, Numba loads the whole tuple in every such place and leaves it to LLVM to find out that
one number of it is used: half as much code again for a game with many fields, all of it to be
optimised away. With this, `state[S.money]` compiles to the same code as `state[1]`.
"""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def fold_named_tuples() -> None:
    """Register the rewrite with Numba, for all functions that are compiled from now on."""
    from numba.core import ir
    from numba.core.rewrites import Rewrite, register_rewrite

    @register_rewrite("before-inference")
    class FoldNamedTuples(Rewrite):  # type: ignore[misc]
        def match(self, func_ir: Any, block: Any, typemap: Any, calltypes: Any) -> bool:
            """Find the fields of global named tuples that `block` reads; return whether any."""
            self.block = block
            self.loads: dict[str, Any] = {}  # variable -> the line that loads a tuple into it
            self.fields: dict[Any, Any] = {}  # the line that reads a field -> its value
            for line in block.find_insts(ir.Assign):
                source = line.value
                if isinstance(source, ir.Global) and _is_named_tuple(source.value):
                    if line.target.is_temp:  # a local variable could be read in other blocks too
                        self.loads[line.target.name] = line
                elif isinstance(source, ir.Expr) and source.op == "getattr":
                    load = self.loads.get(source.value.name)
                    if load is not None and source.attr in load.value.value._fields:
                        name = f"{load.value.name}.{source.attr}"
                        value = getattr(load.value.value, source.attr)
                        self.fields[line] = ir.Global(name, value, line.loc)
            return bool(self.fields)

        def apply(self) -> Any:
            """Return the block with these values instead, and without loads no longer needed."""
            lines = self.block.body
            folded = {self.loads[line.value.value.name] for line in self.fields}
            others = (line for line in lines if line not in self.fields and line not in folded)
            needed = {variable.name for line in others for variable in line.list_vars()}
            block = self.block.copy()
            block.clear()
            for line in lines:
                if line in self.fields:
                    block.append(ir.Assign(self.fields[line], line.target, line.loc))
                elif line not in folded or line.target.name in needed:
                    block.append(line)
            return block


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")
