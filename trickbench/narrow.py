"""Numbers of 32 bits in compiled code that compute as Python's do.

numba widens every integer operation to 64 bits, so a loop over rows of 32 bits runs at half the width of a vector register, and
LLVM narrows it again only where each value is used once. Here what is read from such a row has a type of its own, a natural number below
2^32. ``&`` with anything, ``|`` and ``^`` with its like or a constant below
2^32, and ``>>`` give such a number again, exactly; everything else goes on in 64 bits, as before.
So nothing wraps, a policy computes the same in every tier, and sets of cards stay narrow.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_cast, models, overload, register_model

BITS = 32
MOST = (1 << BITS) - 1
# For this target and not in general, so that it comes before numba's own, which would accept the widened operands.
OPTIONS: dict[str, Any] = {"target": "cpu", "jit_options": {"forceinline": True}}


class Natural(types.Type):  # type: ignore[misc]
    """A whole number from 0 to 2^32 - 1."""

    bitwidth = BITS

    def __init__(self) -> None:
        super().__init__(name="natural32")

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        """Allow what numba knows of 64 signed bits to be done with it, and to store it in rows."""
        if other in (types.int64, types.uint32):
            return Conversion.promote if other == types.int64 else Conversion.safe
        return Conversion.unsafe if other == types.uint64 else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        """Return the type of a variable that is this in one branch and something else in another."""
        if isinstance(other, types.IntegerLiteral) and 0 <= other.literal_value <= MOST:
            return self
        return types.int64 if isinstance(other, types.Integer) else None


natural = Natural()
register_model(Natural)(models.IntegerModel)


@lower_cast(Natural, types.Integer)
def _to_integer(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    kind = context.get_value_type(target)
    return builder.zext(value, kind) if kind.width > BITS else builder.trunc(value, kind) if kind.width < BITS else value


@lower_cast(types.IntegerLiteral, Natural)
def _from_literal(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return ir.Constant(ir.IntType(BITS), source.literal_value)


def entry(value: Any) -> int:
    """Return what stands in a row of a block (or, in plain Python, in several), as a number to compute with: from a row of 32 bits a narrow one."""
    return types.int64(value)  # type: ignore[no-any-return]


@intrinsic
def _same_bits(_context: Any, value: Any) -> Any:
    def generate(_target: Any, _builder: Any, _signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return (natural if value == types.uint32 else types.int64)(value), generate


# No annotations: numba compares the argument lists to the letter.
@overload(entry, **OPTIONS)
def _entry_compiled(value):  # type: ignore[no-untyped-def]
    if value not in (types.uint32, types.uint64):
        return None
    return lambda value: _same_bits(value)


def _binary(build: Any) -> Any:
    """Return an intrinsic for two operands, of which at least one is narrow, with a narrow result."""

    @intrinsic
    def combine(_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            # The low bits are enough, and LLVM then computes no others.
            parts = [
                value if kind == natural else builder.trunc(context.cast(builder, value, kind, types.int64), ir.IntType(BITS))
                for value, kind in zip(arguments, signature.args, strict=True)
            ]
            return build(builder, *parts)

        return natural(a, b), generate

    return combine


_and = _binary(lambda builder, a, b: builder.and_(a, b))
_or = _binary(lambda builder, a, b: builder.or_(a, b))
_xor = _binary(lambda builder, a, b: builder.xor(a, b))


@intrinsic
def _shift(_context: Any, a: Any, by: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = builder.zext(arguments[0], ir.IntType(64))
        count = context.cast(builder, arguments[1], signature.args[1], types.int64)
        return builder.trunc(builder.lshr(wide, count), ir.IntType(BITS))

    return natural(a, by), generate


def _whole(kind: Any) -> bool:
    return kind == natural or isinstance(kind, types.Integer)


def _narrow(name: str, combine: Any, fits: Any) -> Any:
    """Return what gives a narrow operation its implementation where the types of its operands fit."""

    def compute(a, b):  # type: ignore[no-untyped-def]
        return combine(a, b)

    # Symbols in machine code are named after this; those of one factory must not share it (see jit.py).
    compute.__name__ = compute.__qualname__ = f"narrow_{name}"

    def typed(a, b):  # type: ignore[no-untyped-def]
        return compute if fits(a, b) else None

    return typed


def _fits(kind: Any) -> bool:
    return kind == natural or (isinstance(kind, types.IntegerLiteral) and 0 <= kind.literal_value <= MOST)


OPERATIONS = (
    (_and, lambda a, b: natural in (a, b) and _whole(a) and _whole(b), (operator.and_, operator.iand)),
    (_or, lambda a, b: natural in (a, b) and _fits(a) and _fits(b), (operator.or_, operator.ior)),
    (_xor, lambda a, b: natural in (a, b) and _fits(a) and _fits(b), (operator.xor, operator.ixor)),
    (_shift, lambda a, b: a == natural and _whole(b), (operator.rshift, operator.irshift)),
)
for _combine, _suits, _operators in OPERATIONS:
    for _operator in _operators:
        overload(_operator, **OPTIONS)(_narrow(_operator.__name__, _combine, _suits))


@intrinsic
def wide(_context: Any, value: Any) -> Any:
    """Return a narrow number as one of 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], types.int64)

    return types.int64(value), generate


@overload(bool, **OPTIONS)
def _truth_compiled(value):  # type: ignore[no-untyped-def]
    return (lambda value: wide(value) != 0) if value == natural else None


@overload(operator.not_, **OPTIONS)
def _not_compiled(value):  # type: ignore[no-untyped-def]
    return (lambda value: wide(value) == 0) if value == natural else None


@overload(abs, **OPTIONS)
def _abs_compiled(value):  # type: ignore[no-untyped-def]
    return (lambda value: wide(value)) if value == natural else None


@overload(int, **OPTIONS)
def _int_compiled(value):  # type: ignore[no-untyped-def]
    return (lambda value: wide(value)) if value == natural else None


@overload(min, **OPTIONS)
def _min_compiled(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: min(wide(a), wide(b))) if natural in (a, b) else None


@overload(max, **OPTIONS)
def _max_compiled(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: max(wide(a), wide(b))) if natural in (a, b) else None


@overload(operator.getitem, **OPTIONS)
def _item_compiled(table, place):  # type: ignore[no-untyped-def]
    if isinstance(table, types.Array) and place == natural:
        return lambda table, place: table[wide(place)]
    return None


@overload(operator.setitem, **OPTIONS)
def _put_compiled(table, place, value):  # type: ignore[no-untyped-def]
    def put(table, place, value):  # type: ignore[no-untyped-def]
        table[wide(place)] = value

    return put if isinstance(table, types.Array) and place == natural else None
