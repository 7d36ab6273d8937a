"""UNIDIRECTIONAL_SEQUENCE_LSTM of int8 with an int16 cell, one sequence, no projection.

Source: TFLite `lstm_eval.cc`, `LstmStepInteger8x8_16`, and `portable_tensor_utils.cc`; rule in
docs/numerics.md, "LSTM". Gates are int16 with 3 integer bits.

    i, f, o = logistic(Wx x + Rx h + b),  g = tanh(Wg x + Rg h + b)
    c = f c + i g,  h = o tanh(c)

The state is one int8 tensor [3, n]: h, and the bytes of c, little end first. The result is
[T + 2, n]: h of every step, and the bytes of the last c; the frontend takes from it the sequence
and, its last three rows, the state for the next run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import fixed, fixed16
from mcuc.numerics.params import Multiplier, quantize_multiplier
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.convolution import Ints, wrap_int32
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site, always

INPUT, STATE, WEIGHTS, RECURRENT, BIAS = 0, 1, 2, 6, 10  # four of each of the last three
GATES = ("input", "forget", "cell", "output")
GATE_BITS = 3
_GATE_SCALE = np.float32(2.0**-12)


@dataclass(frozen=True)
class Attrs:
    """cell_scale: a power of two; hidden_scale: of the product with the output gate; cell_clip: the
    largest magnitude of the cell, 0 = no limit.
    """

    cell_scale: float
    hidden_scale: float
    cell_clip: float = 0.0


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(INPUT, "input")
    state = problems.operand(STATE, "state")
    problems.per_tensor(x, "input")
    problems.per_tensor(state, "state")
    out = problems.result()
    problems.same_quant(out, None if state is None else state.quant, "state and h")
    if out is not None and out.zero_point:
        problems.add("E203", f"the output of an LSTM has the zero point {out.zero_point}, not 0")
    shape: tuple[int, ...] = ()
    if problems.rank(x, "input", 2) and problems.rank(state, "state", 2):
        assert x is not None and state is not None
        steps, depth = x.shape
        units = state.shape[1]
        shape = (steps + 2, units)
        _check_weights(problems, depth, units)
    scale = attrs_of(site).cell_scale
    if not 2.0**-15 <= scale <= 2.0**-9 or math.frexp(scale)[0] != 0.5:
        problems.add("E202", "the scale of the cell is not a power of two from 2^-15 to 2^-9")
    problems.raise_all()
    combined(site, lambda *_: _factors(site))
    return (TensorType(shape, DType.S8, site.output.quant),)


def _check_weights(problems: Problems, depth: int, units: int) -> None:
    for gate, name in enumerate(GATES):
        for first, columns in ((WEIGHTS, depth), (RECURRENT, units)):
            found = problems.operand(first + gate, f"{name} weights", const=True)
            quant = problems.per_tensor(found, f"{name} weights")
            if found is not None and found.shape != (units, columns):
                problems.add("E111", f"the {name} weights are {found.shape}")
            if quant is not None and quant.zero_point:
                problems.add("E203", f"the {name} weights have a zero point")
        bias = problems.operand(BIAS + gate, f"{name} bias", (DType.S32,), const=True)
        if bias is not None and bias.elements != units:
            problems.add("E111", f"the {name} bias is {bias.shape}")


def _factors(site: Site) -> tuple[list[Multiplier], list[Multiplier], Multiplier]:
    """By gate from the products with x, and with h, to the gates; from o tanh(c) to h."""
    x, h = (np.float32(quant_of(site.input(p)).scale) for p in (INPUT, STATE))

    def gate(first: int, scale: np.float32) -> list[Multiplier]:
        weights = (np.float32(quant_of(site.input(first + g)).scale) for g in range(4))
        return [quantize_multiplier(float(w * scale / _GATE_SCALE)) for w in weights]

    hidden = 2.0**-15 / float(np.float32(attrs_of(site).hidden_scale)) * 2.0**-15
    return gate(WEIGHTS, x), gate(RECURRENT, h), quantize_multiplier(float(np.float32(hidden)))


def _biases(site: Site) -> list[Ints]:
    """By gate: the bias of the product with x, whose zero point is folded in."""
    zero_point = quant_of(site.input(INPUT)).zero_point
    sums = [np.asarray(site.const(WEIGHTS + g), np.int64).sum(axis=1) for g in range(4)]
    biases = [np.asarray(site.const(BIAS + g), np.int64).ravel() for g in range(4)]
    return [bias - zero_point * total for bias, total in zip(biases, sums, strict=True)]


def _clip(site: Site) -> int:
    """The cell's largest magnitude, 0 = no limit."""
    attrs = attrs_of(site)
    steps = np.float32(attrs.cell_clip) / np.float32(attrs.cell_scale)
    return int(min(float(steps), 32767.0)) if attrs.cell_clip > 0 else 0


def _shift(site: Site) -> int:
    """The cell has this many fractional bits."""
    return -round(math.log2(attrs_of(site).cell_scale))


def ref(site: Site, x: Array, state: Array, *rest: Array) -> tuple[Array, ...]:
    """X [T, depth], state [3, n] int8 -> [T + 2, n] int8."""
    units = state.shape[1]
    h = state[0].astype(np.int64)
    cell = np.ascontiguousarray(state[1:]).reshape(-1).view("<i2").astype(np.int64)
    factors = _factors(site)
    clip, shift = _clip(site), _shift(site)
    rows = []
    for step in x.astype(np.int64):
        i, f, g, o = _gates(site, step, h)
        cell = fixed.rounding_divide_by_pot(f * cell, 15)
        cell = _int16(cell + _int16(fixed.rounding_divide_by_pot(i * g, 30 - shift)))
        if clip:
            cell = np.clip(cell, -clip, clip)
        product = o * fixed16.tanh(cell, 15 - shift)
        scaled = fixed.multiply_by_quantized_multiplier(
            product, factors[2].multiplier, factors[2].shift
        )
        h = np.clip(scaled, -128, 127)
        rows.append(h)
    tail = cell.astype("<i2").view(np.int8).reshape(2, units)
    return (np.concatenate([np.asarray(rows).astype(np.int8), tail]),)


def _gates(site: Site, x: Ints, h: Ints) -> list[Ints]:
    """The four gates for one input [depth] and the last output [n]."""
    from_x, from_h, _ = _factors(site)
    biases = _biases(site)
    gates = []
    for g in range(4):
        total = np.zeros(len(h), np.int64)
        for first, vector, bias, factor in (
            (WEIGHTS, x, biases[g], from_x[g]),
            (RECURRENT, h, np.int64(0), from_h[g]),
        ):
            acc = wrap_int32(np.asarray(site.const(first + g), np.int64) @ vector + bias)
            scaled = fixed.multiply_by_quantized_multiplier(acc, factor.multiplier, factor.shift)
            total = _int16(total + scaled)
        cell = g == GATES.index("cell")
        gates.append(fixed16.tanh(total, GATE_BITS) if cell else fixed16.logistic(total))
    return gates


def _int16(x: Ints) -> Ints:
    return np.clip(x, -32768, 32767)


def canonical(site: Site) -> Canonical:
    """Steps are the pixels of one row."""
    shapes = tuple(
        (1, *t.shape) if t is not None and p in (INPUT, STATE) else (0, 0, 0)
        for p, t in enumerate(site.inputs)
    )
    inputs = tuple((shape[0], shape[1], shape[2]) for shape in shapes)
    steps, units = site.output.shape
    return Canonical(1, inputs, (1, steps, units), (False,) * len(inputs))


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    shapes = canonical(site).inputs
    absent = (None,) * (len(site.inputs) - 2)
    return (Box.of(shapes[INPUT]), Box.of(shapes[STATE]), *absent)


def macs(site: Site) -> int:
    (steps, depth), units = site.input(INPUT).shape, site.output.shape[1]
    return steps * 4 * units * (depth + units)


def scratch(site: Site) -> int:
    """The cell."""
    return 2 * site.output.shape[1]


def pack(site: Site) -> Params:
    """Weights [4][n][depth] and [4][n][n], biases [4][n], by gate."""
    from_x, from_h, hidden = _factors(site)
    steps, depth = site.input(INPUT).shape
    fields: dict[str, ParamValue] = {
        "weights": np.stack([site.const(WEIGHTS + g) for g in range(4)]),
        "recurrent": np.stack([site.const(RECURRENT + g) for g in range(4)]),
        "bias": np.stack([wrap_int32(bias) for bias in _biases(site)]),
        "multiplier": np.asarray([f.multiplier for f in (*from_x, *from_h)], np.int32),
        "shift": np.asarray([f.shift for f in (*from_x, *from_h)], np.int32),
        "hidden_multiplier": hidden.multiplier,
        "hidden_shift": hidden.shift,
        "steps": steps,
        "depth": depth,
        "units": site.output.shape[1],
        "cell_bits": _shift(site),
        "clip": _clip(site),
    }
    return Params("mcuc_lstm_params", "lstm/lstm.h", fields)


SPEC = OpSpec(
    name="lstm",
    doc="LSTM over one sequence, int8 with an int16 cell, state kept from run to run",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", (DType.S8,)),
        OperandSpec("state", (DType.S8,)),
        *(OperandSpec(f"{gate} weights", (DType.S8,), const=True) for gate in GATES),
        *(OperandSpec(f"{gate} recurrent", (DType.S8,), const=True) for gate in GATES),
        *(OperandSpec(f"{gate} bias", (DType.S32,), const=True) for gate in GATES),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_lstm_s8_s8_s8__c",
            source="lstm/s8_s8_s8__c.c",
            form=Form.WHOLE,
            when=always,
            pack=pack,
            operands=(INPUT, STATE),
            scratch=scratch,
        ),
    ),
    canonical=canonical,
)
