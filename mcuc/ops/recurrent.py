"""RNN, GRU and LSTM of float32 in one direction over whole sequences, by constant weights.

Weights of int8 make the LSTM one of dynamic range (mcuc/ops/hybrid_recurrent.py). ONNX's operators
of these names, with s = logistic:

    RNN:  h = tanh(Wx + w + Rh + r)
    GRU:  z, u = s(Wx + w + Rh + r);  h = (1 - z) n + z h with
          n = tanh(Wx + w + R(u h) + r), or linear before reset n = tanh(Wx + w + u (Rh + r))
    LSTM: i, f = s(Wx + w + Rh + r + p c);  c = f c + i tanh(Wx + w + Rh + r)
          o = s(Wx + w + Rh + r + p c);  h = o tanh(c)

Operands: the input [T, B, D]; the state before the first step [S, B, N], h and of an LSTM c;
weights W [G, N, D] and R [G, N, N], biases w and r [2, G, N], peepholes p [3, N], all by gate in
the order of ONNX: z, u, n; i, o, f, c; i, o, f; scales [2, G, N] of int8 weights. The result is
[T + S - 1, B, N]: h of every step where its input stands, and of an LSTM the last c. A reversed one
begins with the last step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, float_functions
from mcuc.numerics.float32 import Floats
from mcuc.ops import hybrid_recurrent
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site
from mcuc.ops.whole import canonical_whole, region_whole

INPUT, STATE, WEIGHTS, RECURRENT, BIAS, PEEPHOLE, SCALES = range(7)
GATES = {"rnn": 1, "gru": 3, "lstm": 4}
_ONE = np.float32(1)


@dataclass(frozen=True)
class Attrs:
    """Which cell, and how it goes through a sequence.

    Attributes:
        cell: A key of GATES.
        reverse: From the last step to the first.
        linear_before_reset: GRU: the reset gate multiplies behind R, not before.
        clip: Limit of what goes into the functions, 0 = none.
        asymmetric: int8 weights: inputs are quantized with a zero point.
        cell_clip: LSTM: limit of c, 0 = none.
    """

    cell: str
    reverse: bool = False
    linear_before_reset: bool = False
    clip: float = 0.0
    asymmetric: bool = False
    cell_clip: float = 0.0


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def states(site: Site) -> int:
    """Tensors of the state: h, and of an LSTM c."""
    return 2 if attrs_of(site).cell == "lstm" else 1


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(INPUT, "input", (DType.F32,))
    state = problems.operand(STATE, "state", (DType.F32,))
    problems.result_like(x)
    if attrs.cell not in GATES:
        problems.add("E115", f"the cell {attrs.cell!r} is not one of {', '.join(GATES)}")
    for clip in (attrs.clip, attrs.cell_clip):
        if not (math.isfinite(clip) and clip >= 0):
            problems.add("E115", f"clip is {clip}; it must not be negative")
    shape: tuple[int, ...] = ()
    if problems.rank(x, "input", 3) and problems.rank(state, "state", 3) and not problems.found:
        assert x is not None and state is not None
        steps, batch, depth = x.shape
        units = state.shape[2]
        if state.shape != (states(site), batch, units):
            problems.add("E111", f"the state is {state.shape} for the input {x.shape}")
        shape = (steps + states(site) - 1, batch, units)
        _check_weights(problems, depth, units)
    problems.raise_all()
    return (TensorType(shape, DType.F32),)


def is_hybrid(site: Site) -> bool:
    """Whether the weights are int8."""
    return site.input(WEIGHTS).dtype is DType.S8


def _check_weights(problems: Problems, depth: int, units: int) -> None:
    attrs = attrs_of(problems.site)
    gates = GATES[attrs.cell]
    hybrid = is_hybrid(problems.site)
    kind = DType.S8 if hybrid else DType.F32
    if hybrid and attrs.cell != "lstm":
        problems.add("E110", f"int8 weights of a {attrs.cell}; only an LSTM has them")
    hybrid_recurrent.check(problems, max(depth, units))
    wanted = {
        WEIGHTS: ("weights", (gates, units, depth)),
        RECURRENT: ("recurrent weights", (gates, units, units)),
        BIAS: ("biases", (2, gates, units)),
        PEEPHOLE: ("peepholes", (3, units)),
        SCALES: ("scales", (2, gates, units)),
    }
    for position, (name, shape) in wanted.items():
        optional = position in (BIAS, PEEPHOLE) or (position == SCALES and not hybrid)
        dtype = kind if position in (WEIGHTS, RECURRENT) else DType.F32
        found = problems.operand(position, name, (dtype,), optional=optional, const=True)
        if found is not None and found.shape != shape:
            problems.add("E111", f"the {name} are {found.shape}, not {shape}")
        if found is not None and position == PEEPHOLE and attrs.cell != "lstm":
            problems.add("E115", "only an LSTM has peepholes")


def _constants(site: Site) -> tuple[Array, Array, Floats, Floats]:
    """Weights, recurrent weights, biases, peepholes; zeros where there are none."""
    units, gates = site.output.shape[2], GATES[attrs_of(site).cell]
    given = (*site.consts, None, None)
    bias, peephole = given[BIAS], given[PEEPHOLE]
    return (
        site.const(WEIGHTS),
        site.const(RECURRENT),
        np.zeros((2, gates, units), np.float32) if bias is None else np.asarray(bias, np.float32),
        np.zeros((3, units), np.float32) if peephole is None else np.asarray(peephole, np.float32),
    )


class _Cell:
    """One step of the cell; h, c and results are [B, N]."""

    def __init__(self, site: Site) -> None:
        self.attrs = attrs_of(site)
        self.scales = site.const(SCALES) if is_hybrid(site) else None
        self.weights, self.recurrent, self.bias, self.peephole = _constants(site)

    def clipped(self, x: Floats, clip: float | None = None) -> Floats:
        clip = self.attrs.clip if clip is None else clip
        return float32.clamp(x, (-clip, clip)) if clip > 0 else x

    def forward(self, gate: int, x: Floats) -> Floats:
        product = float32.ordered_product(x, self.weights[gate].T)
        return np.asarray(product + self.bias[0, gate], np.float32)

    def back(self, gate: int, h: Floats) -> Floats:
        product = float32.ordered_product(h, self.recurrent[gate].T)
        return np.asarray(product + self.bias[1, gate], np.float32)

    def gate(self, gate: int, x: Floats, h: Floats) -> Floats:
        if self.scales is not None:
            asymmetric, scales = self.attrs.asymmetric, self.scales[:, gate]
            into = hybrid_recurrent.product(x, self.weights[gate], scales[0], asymmetric)
            back = hybrid_recurrent.product(h, self.recurrent[gate], scales[1], asymmetric)
            inner: Floats = ((self.bias[0, gate] + into) + back) + self.bias[1, gate]
            return inner
        return self.forward(gate, x) + self.back(gate, h)

    def rnn(self, x: Floats, h: Floats, c: Floats) -> tuple[Floats, Floats]:
        return float_functions.tanh(self.clipped(self.gate(0, x, h))), c

    def gru(self, x: Floats, h: Floats, c: Floats) -> tuple[Floats, Floats]:
        update, reset = (float32.logistic(self.clipped(self.gate(g, x, h))) for g in (0, 1))
        if self.attrs.linear_before_reset:
            inner = self.forward(2, x) + reset * self.back(2, h)
        else:
            inner = self.forward(2, x) + self.back(2, reset * h)
        new = float_functions.tanh(self.clipped(inner))
        return (_ONE - update) * new + update * h, c

    def lstm(self, x: Floats, h: Floats, c: Floats) -> tuple[Floats, Floats]:
        def opened(gate: int, place: int, cell: Floats) -> Floats:
            inner = self.gate(gate, x, h) + self.peephole[place] * cell
            return float32.logistic(self.clipped(inner))

        into, forget = opened(0, 0, c), opened(2, 2, c)
        new = float_functions.tanh(self.clipped(self.gate(3, x, h)))
        c = self.clipped(forget * c + into * new, self.attrs.cell_clip)
        return opened(1, 1, c) * float_functions.tanh(c), c


def ref(site: Site, x: Array, state: Array, *_: Array | None) -> tuple[Array, ...]:
    cell = _Cell(site)
    step = {"rnn": cell.rnn, "gru": cell.gru, "lstm": cell.lstm}[cell.attrs.cell]
    value, given = np.asarray(x, np.float32), np.asarray(state, np.float32)
    h, c = given[0], given[-1]
    result = np.zeros(site.output.shape, np.float32)
    times = range(len(x))
    with np.errstate(all="ignore"):
        for t in reversed(times) if cell.attrs.reverse else times:
            h, c = step(value[t], h, c)
            result[t] = h
    if cell.attrs.cell == "lstm":
        result[-1] = c
    return (result,)


def macs(site: Site) -> int:
    steps, batch, depth = site.input(INPUT).shape
    units = site.output.shape[2]
    return steps * batch * GATES[attrs_of(site).cell] * units * (depth + units)


def scratch(site: Site) -> int:
    """Of a GRU: the reset gate, and its product with h. Of int8 weights: x and h, quantized."""
    if is_hybrid(site):
        return site.input(INPUT).shape[2] + site.output.shape[2]
    return 8 * site.output.shape[2] if attrs_of(site).cell == "gru" else 0


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    weights, recurrent, bias, peephole = _constants(site)
    steps, batch, depth = site.input(INPUT).shape
    fields: dict[str, ParamValue] = {
        "weights": weights,
        "recurrent": recurrent,
        "bias": bias,
        "steps": steps,
        "batch": batch,
        "depth": depth,
        "units": site.output.shape[2],
        "reverse": int(attrs.reverse),
        "clip": float(np.float32(attrs.clip)) or float32.LARGEST,
    }
    if attrs.cell == "lstm":
        fields["peephole"] = peephole
        fields["cell_clip"] = float(np.float32(attrs.cell_clip)) or float32.LARGEST
    if attrs.cell == "gru":
        fields["linear_before_reset"] = int(attrs.linear_before_reset)
    record = f"mcuc_recurrent_{attrs.cell}_params"
    if is_hybrid(site):
        fields |= {"scales": site.const(SCALES), "asymmetric": int(attrs.asymmetric)}
        record = "mcuc_recurrent_hybrid_params"
    return Params(record, "recurrent/recurrent.h", fields)


def _kernel(cell: str, weights: str = "f32") -> Kernel:
    def when(site: Site, target: Target) -> bool:
        return attrs_of(site).cell == cell and is_hybrid(site) == (weights == "s8")

    return Kernel(
        symbol=f"mcuc_recurrent_f32_{weights}_f32_{cell}__c",
        source=f"recurrent/f32_{weights}_f32_{cell}__c.c",
        form=Form.WHOLE,
        when=when,
        pack=pack,
        operands=(INPUT, STATE),
        scratch=scratch,
    )


SPEC = OpSpec(
    name="recurrent",
    doc="RNN, GRU and LSTM of float32 over whole sequences, in one direction",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", (DType.F32,)),
        OperandSpec("state", (DType.F32,)),
        OperandSpec("weights", (DType.F32, DType.S8), const=True),
        OperandSpec("recurrent weights", (DType.F32, DType.S8), const=True),
        OperandSpec("biases", (DType.F32,), const=True, optional=True),
        OperandSpec("peepholes", (DType.F32,), const=True, optional=True),
        OperandSpec("scales", (DType.F32,), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region_whole,
    kernels=(_kernel("lstm", "s8"), *(_kernel(cell) for cell in GATES)),
    canonical=canonical_whole,
)
