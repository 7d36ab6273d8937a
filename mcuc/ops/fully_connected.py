"""FULLY_CONNECTED of int8, int16 or float32 with constant weights.

Source: TFLite reference_integer_ops `fully_connected.h` and kernels/fully_connected.cc; rule in
docs/numerics.md, "FULLY_CONNECTED". The rule set `litert-2.3` multiplies the accumulator by a
double and rounds once to an integer; `tflm` requantizes as a convolution does. Weights quantized
per tensor may have a zero point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, int16, params
from mcuc.ops import (
    convolution,
    dsp_tables,
    float_weights,
    hybrid_weights,
    int16_weights,
    lines,
    mac_tables,
    mve_tables,
)
from mcuc.ops.arithmetic import is_float, is_int16, kernels_on
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import INPUT, WEIGHTS, Ints
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site, always

# Units that the kernel for the DSP extension takes at a time.
_SIX = 6


@dataclass(frozen=True)
class Attrs:
    """Attributes of FULLY_CONNECTED.

    Attributes:
        keep_num_dims: The result keeps the input's leading axes instead of folding them into one.
        activation: Fused activation, "none", "relu", "relu6" or "relu_n1_to_1".
        asymmetric: float32 inputs are quantized with a zero point (int8 weights).
    """

    keep_num_dims: bool = False
    activation: str = "none"
    asymmetric: bool = False


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    """Any shape of B * K elements and weights [N, K] -> [B, N], or [..., N] with keep_num_dims."""
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(INPUT, "input", convolution.DTYPES)
    weights = convolution.weights_operand(problems, "weights", const=False)
    _check_constant(problems, weights)
    x_quant, out_quant = problems.per_tensor(x, "input"), problems.result_like(x)
    problems.activation(attrs.activation, out_quant)
    shape: tuple[int, ...] = ()
    if problems.rank(weights, "weights", 2) and x is not None and weights is not None:
        units, depth = weights.shape
        shape = _shape(problems, x, units, depth)
        convolution.check_bias(problems, units)
        asymmetric = x.dtype is DType.S8
        weights_quant = convolution.check_weights(problems, weights, 0, asymmetric=asymmetric)
        convolution.check_requantization(problems, x_quant, weights_quant, out_quant)
        if x.dtype is DType.F32 and weights.dtype is DType.S8:
            hybrid_weights.check(problems, depth)
        if x.dtype is DType.S16:
            int16_weights.check(problems, depth)
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _check_constant(problems: Problems, weights: TensorType | None) -> None:
    if weights is not None and problems.site.consts[WEIGHTS] is None:
        problems.add(
            "E113",
            "the weights are computed at run time",
            why="FULLY_CONNECTED is supported with weights that are stored in the file",
            help="use a BATCH_MATMUL for the product of two activations",
        )


def _shape(problems: Problems, x: TensorType, units: int, depth: int) -> tuple[int, ...]:
    if attrs_of(problems.site).keep_num_dims:
        if not x.shape or x.shape[-1] != depth:
            problems.add(
                "E111", f"the last axis of the input {x.shape} is not the weights' depth {depth}"
            )
        return (*x.shape[:-1], units)
    if x.elements % depth:
        problems.add(
            "E111", f"an input of {x.elements} elements does not divide into rows of {depth}"
        )
    return (x.elements // depth, units)


def canonical(site: Site) -> Canonical:
    """Rows of the flattened input are the pixels of one row of a map: [1, B, K] -> [1, B, N]."""
    units, depth = site.input(WEIGHTS).shape
    rows = site.input(INPUT).elements // depth
    absent = ((0, 0, 0),) * (len(site.inputs) - 1)
    batched = (True, *(False,) * (len(site.inputs) - 1))
    return Canonical(1, ((1, rows, depth), *absent), (1, rows, units), batched)


def ref(site: Site, x: Array, weights: Array, bias: Array | None = None) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    if hybrid_weights.is_hybrid(site):
        attrs = attrs_of(site)
        options = attrs.activation, attrs.asymmetric
        return (hybrid_weights.fully_connected(site, x, weights, bias, *options),)
    if is_float(site):
        activation = attrs_of(site).activation
        return (float_weights.fully_connected(site, x, weights, bias, activation),)
    units, depth = weights.shape
    x_zero, w_zero = (quant_of(site.input(p)).zero_point for p in (INPUT, WEIGHTS))
    kind = convolution.exact_float(depth, (1 << 22) if is_int16(site) else 255 * 255)
    rows = (x.reshape(-1, depth).astype(np.int16) - x_zero).astype(kind)
    centered = (weights.astype(np.int16) - w_zero).astype(kind)
    total: Ints = (rows @ centered.T).astype(np.int64)
    total += convolution.bias_or_zero(bias, units)
    clamp = activation_range(site, attrs_of(site).activation)
    if is_int16(site):
        real = np.asarray(_real_multipliers(site))
        wide = int16.requantize_fully_connected(total, real, clamp)
        return (wide.reshape(site.output.shape),)
    acc = convolution.wrap_int32(total)
    zero_point = quant_of(site.output).zero_point
    if site.numerics == "tflm":
        result = int8.requantize_conv(acc, *_tflm_factors(site, units), zero_point, clamp)
    else:
        real = np.asarray(_real_multipliers(site))
        result = int8.requantize_fully_connected(acc, real, zero_point, clamp)
    return (result.reshape(site.output.shape),)


def _real_multipliers(site: Site) -> list[float]:
    """One factor per scale of the weights (`litert-2.3`)."""
    x, out = quant_of(site.input(INPUT)).scale, quant_of(site.output).scale
    scales = quant_of(site.input(WEIGHTS)).scales
    return [params.conv_real_multiplier(x, scale, out) for scale in scales]


def _tflm_factors(site: Site, units: int) -> tuple[Ints, Ints]:
    """Multiplier and shift for each unit (`tflm`)."""
    weights = quant_of(site.input(WEIGHTS))
    if weights.per_channel:
        return convolution.multipliers(site, units)
    x, out = quant_of(site.input(INPUT)).scale, quant_of(site.output).scale
    factor = params.per_tensor_multiplier(x, weights.scale, out)
    return np.full(units, factor.multiplier), np.full(units, factor.shift)


def macs(site: Site) -> int:
    return site.input(INPUT).elements * site.input(WEIGHTS).shape[0]


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    depth = site.input(WEIGHTS).shape[1]
    box = Box(out.y0, out.y1, out.x0, out.x1, 0, depth)
    return (box, *(None,) * (len(site.inputs) - 1))


def _common_fields(site: Site) -> dict[str, ParamValue]:
    weights = site.const(WEIGHTS)
    w_zero = quant_of(site.input(WEIGHTS)).zero_point
    units, depth = weights.shape
    # sum (x - zx)(w - zw) = sum x w - zw sum x - zx (sum w - K zw)
    sums = weights.astype(np.int64).sum(axis=1) - depth * w_zero
    return {
        "weights": weights,
        "bias": convolution.fold_bias(site, sums),
        "depth": depth,
        "units": units,
        "weights_offset": -w_zero,
        **convolution.output_fields(site, attrs_of(site).activation),
    }


def pack(site: Site) -> Params:
    """For the rule of `litert-2.3`: factors as integers times 2^-n, one per unit or one for all."""
    parts = [params.decompose_double(real) for real in _real_multipliers(site)]
    fields: dict[str, ParamValue] = {
        "mantissa": np.asarray([m for m, _ in parts], np.uint64),
        "right_shift": np.asarray([s for _, s in parts], np.int16),
        "factor_step": int(len(parts) > 1),
    }
    return Params(
        "mcuc_fully_connected_params",
        "fully_connected/fully_connected.h",
        {**_common_fields(site), **fields},
    )


def pack_tflm(site: Site) -> Params:
    """For the rule of `tflm`."""
    multiplier, shift = _tflm_factors(site, site.input(WEIGHTS).shape[0])
    fields: dict[str, ParamValue] = {
        "multiplier": multiplier.astype(np.int32),
        "shift": np.clip(shift, -33, 31).astype(np.int8),
    }
    return Params(
        "mcuc_fully_connected_tflm_params",
        "fully_connected/fully_connected.h",
        {**_common_fields(site), **fields},
    )


def is_tflm(site: Site, target: Target) -> bool:
    """The rule set with two roundings."""
    return site.numerics == "tflm"


def is_litert(site: Site, target: Target) -> bool:
    """The rule set with one rounding; every site is this or `is_tflm`."""
    return not is_tflm(site, target)


def _lines(site: Site) -> list[lines.Line] | None:
    """By unit, the rule of `litert-2.3` as a line; None if it is not known for all."""
    zero_point = quant_of(site.output).zero_point
    clamp = activation_range(site, attrs_of(site).activation)
    found = [lines.of_double(real, zero_point, *clamp) for real in _real_multipliers(site)]
    units = site.input(WEIGHTS).shape[0]
    result = [line for line in found if line is not None]
    if len(result) < len(found):
        return None
    return result * units if len(result) == 1 else result


def has_lines(site: Site, target: Target) -> bool:
    """Symmetric weights, and a line for each unit."""
    symmetric = is_litert(site, target) and not quant_of(site.input(WEIGHTS)).zero_point
    return symmetric and _lines(site) is not None


def suits_dsp(site: Site, target: Target) -> bool:
    """The DSP extension, weights that go in pairs, and lines."""
    return target.dsp and dsp_tables.can_pair(site.const(WEIGHTS)) and has_lines(site, target)


def padded_units(weights: Array) -> Array:
    """Weights with units of zeros up to a multiple of 4."""
    return np.pad(weights, ((0, -len(weights) % 4), (0, 0)))


def line_fields(site: Site) -> dict[str, ParamValue]:
    """Members of the records for lines but the weights."""
    weights = site.const(WEIGHTS)
    units, depth = weights.shape
    found = _lines(site)
    assert found is not None
    table = np.zeros((len(padded_units(weights)), 4), np.int32)
    table[:units, 0] = convolution.fold_bias(site, weights.astype(np.int64).sum(axis=1))
    table[:units, 1:] = [(line.multiplier, line.constant, line.right) for line in found]
    low, high = activation_range(site, attrs_of(site).activation)
    return {"lines": table, "depth": depth, "units": units, "low": low, "high": high}


def pack_dsp(site: Site) -> Params:
    """Units by six, and those that are left by two."""
    weights = site.const(WEIGHTS)
    fields = line_fields(site)
    table = np.asarray(fields.pop("lines"), np.int32)
    paired = dsp_tables.pairs(weights)  # [pairs, words of four k, 2]
    lines_of = table[: 2 * len(paired)].reshape(len(paired), 8)
    sixes = len(weights) // _SIX
    parts = []
    for first in [*range(0, 3 * sixes, 3), *range(3 * sixes, len(paired))]:
        block = slice(first, first + (3 if first < 3 * sixes else 1))
        mine = lines_of[block]
        bias, rest = mine[:, 4], np.delete(mine, 4, axis=1)
        parts += [bias, paired[block].transpose(1, 2, 0).ravel(), rest.ravel()]
    return Params(
        "mcuc_fully_connected_dsp_params",
        "fully_connected/fully_connected.h",
        {
            "stream": np.concatenate(parts),
            "sixes": sixes,
            "words": paired.shape[1],
            **fields,
        },
        (dsp_tables.pair_proof(weights), lines.proof(len(weights))),
    )


def pack_mac(site: Site) -> Params:
    weights = mac_tables.tiles(padded_units(site.const(WEIGHTS)), 4)
    return Params(
        "mcuc_fully_connected_mac_params",
        "fully_connected/fully_connected.h",
        {"weights": weights, **line_fields(site)},
        (lines.proof(site.input(WEIGHTS).shape[0]),),
    )


def suits_mve(site: Site, target: Target) -> bool:
    """Helium, and lines."""
    return target.mve and has_lines(site, target)


def pack_mve(site: Site) -> Params:
    weights = padded_units(site.const(WEIGHTS))
    fields = line_fields(site)
    table = np.asarray(fields.pop("lines")) * [1, 1, 1, -1]  # shifts to the left
    fours = table.astype(np.int32).reshape(-1, mve_tables.OUTPUTS, 4).transpose(0, 2, 1)
    vectors = mve_tables.by_four(weights)
    return Params(
        "mcuc_fully_connected_mve_params",
        "fully_connected/fully_connected_mve.h",
        {
            "stream": mve_tables.stream(vectors, fours),
            "vectors": vectors.shape[1],
            **fields,
        },
        (lines.proof(site.input(WEIGHTS).shape[0]),),
    )


def scratch_mve(site: Site) -> int:
    """A depth of whole vectors, where it is not one."""
    depth = site.input(WEIGHTS).shape[1]
    return mve_tables.whole(depth) if depth % mve_tables.VECTOR else 0


def scratch_dsp(site: Site) -> int:
    """A depth of whole words, where it is not one."""
    depth = site.input(WEIGHTS).shape[1]
    return dsp_tables.padded_depth(depth) if depth % 4 else 0


def pack_float(site: Site) -> Params:
    return float_weights.pack_fully_connected(site, attrs_of(site).activation)


def pack_int16(site: Site) -> Params:
    factors = _real_multipliers(site)
    return int16_weights.pack_fully_connected(site, attrs_of(site).activation, factors)


_INT16 = kernels_on(
    DType.S16,
    Kernel(
        symbol="mcuc_fully_connected_s16_s8_s16__c",
        source="fully_connected/s16_s8_s16__c.c",
        form=Form.PIXEL,
        when=always,
        pack=pack_int16,
    ),
)


def pack_hybrid(site: Site) -> Params:
    attrs = attrs_of(site)
    return hybrid_weights.pack_fully_connected(site, attrs.activation, attrs.asymmetric)


_HYBRID = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_fully_connected_f32_s8_f32__c",
        source="fully_connected/f32_s8_f32__c.c",
        form=Form.PIXEL,
        when=hybrid_weights.on_hybrid,
        pack=pack_hybrid,
        scratch=hybrid_weights.row_bytes,
    ),
)
_FLOAT = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_fully_connected_f32_f32_f32__c",
        source="fully_connected/f32_f32_f32__c.c",
        form=Form.PIXEL,
        when=hybrid_weights.not_hybrid,
        pack=pack_float,
    ),
)
SPEC = OpSpec(
    name="fully_connected",
    doc="Matrix product with constant weights, per tensor or per channel, and fused activation",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", convolution.DTYPES),
        OperandSpec("weights", (DType.S8, DType.F32), const=True),
        OperandSpec("bias", (DType.S32, DType.S64, DType.F32), const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region,
    kernels=kernels_on(
        DType.S8,
        Kernel(
            symbol="mcuc_fully_connected_s8_s8_s8_line__mve_1x4",
            source="fully_connected/s8_s8_s8_line__mve_1x4.c",
            form=Form.PIXEL,
            when=suits_mve,
            pack=pack_mve,
            scratch=scratch_mve,
        ),
        Kernel(
            symbol="mcuc_fully_connected_s8_s8_s8_line__dsp_1x6",
            source="fully_connected/s8_s8_s8_line__dsp_1x6.c",
            form=Form.PIXEL,
            when=suits_dsp,
            pack=pack_dsp,
            scratch=scratch_dsp,
        ),
        Kernel(
            symbol="mcuc_fully_connected_s8_s8_s8_line__c_1x4",
            source="fully_connected/s8_s8_s8_line__c_1x4.c",
            form=Form.PIXEL,
            when=has_lines,
            pack=pack_mac,
        ),
        Kernel(
            symbol="mcuc_fully_connected_s8_s8_s8_tflm__c",
            source="fully_connected/s8_s8_s8_tflm__c.c",
            form=Form.PIXEL,
            when=is_tflm,
            pack=pack_tflm,
        ),
        Kernel(
            symbol="mcuc_fully_connected_s8_s8_s8__c",
            source="fully_connected/s8_s8_s8__c.c",
            form=Form.PIXEL,
            when=is_litert,
            pack=pack,
        ),
        others=(*_INT16, *_HYBRID, *_FLOAT),
    ),
    canonical=canonical,
)
