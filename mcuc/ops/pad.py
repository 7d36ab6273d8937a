"""PAD and PADV2 of any element type with constant paddings.

Source: TFLite kernels/pad.cc; rule in docs/numerics.md, "PAD": elements are copied, the rest is
the output's zero point (0 without one), or the constant operand 2 of PADV2.

Padding of rows and columns alone is a window op of one pixel: the driver's borders do the padding.
Anything else is computed at once from the whole tensor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params, ParamValue, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.ops.checks import quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site, always, no_macs
from mcuc.ops.spec import canonical as default_canonical
from mcuc.ops.windows import Pair, window_region

INPUT, PADDINGS, VALUE = 0, 1, 2
MAX_RANK = 5
QUANTIZED = (DType.S8, DType.S16)
DTYPES = (*QUANTIZED, DType.F32, DType.S32, DType.S64, DType.BOOL)


@dataclass(frozen=True)
class Attrs:
    """PAD has no attributes: paddings and value are operands."""


def infer(site: Site) -> tuple[TensorType, ...]:
    """Shape grown by the paddings [rank, 2] before and after each axis."""
    problems = Problems(site)
    x = problems.operand(INPUT, "input", DTYPES)
    ints = (DType.S32, DType.S64)
    paddings = problems.operand(PADDINGS, "paddings", ints, const=True)
    dtypes = (DType.S8 if x is None else x.dtype,)
    value = problems.operand(VALUE, "padding value", dtypes, optional=True, const=True)
    if x is not None and x.dtype in QUANTIZED:
        _check_quant(problems, x, value)
    elif x is not None and site.output.dtype is not x.dtype:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    if value is not None and value.elements != 1:
        problems.add("E111", f"the padding value has {value.elements} elements, not 1")
    shape: tuple[int, ...] = ()
    if x is not None and paddings is not None and site.consts[PADDINGS] is not None:
        shape = _shape(problems, x, paddings)
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _check_quant(problems: Problems, x: TensorType, value: TensorType | None) -> None:
    x_quant, out_quant = problems.per_tensor(x, "input"), problems.result_like(x)
    problems.same_quant(x_quant, out_quant, "input and output of a PAD")
    if value is not None:
        value_quant = problems.per_tensor(value, "padding value")
        problems.same_quant(value_quant, out_quant, "padding value and output of a PAD")


def _shape(problems: Problems, x: TensorType, paddings: TensorType) -> tuple[int, ...]:
    rank = len(x.shape)
    if rank > MAX_RANK:
        problems.add("E114", f"the input has rank {rank}; at most {MAX_RANK} is supported")
        return ()
    if paddings.shape != (rank, 2):
        problems.add("E111", f"the paddings have the shape {paddings.shape}, not {(rank, 2)}")
        return ()
    pairs = paddings_of(problems.site)
    if not problems.at_least("a padding", [p for pair in pairs for p in pair], 0):
        return ()
    return tuple(n + sum(pair) for n, pair in zip(x.shape, pairs, strict=True))


def paddings_of(site: Site) -> list[Pair]:
    """Elements (before, after) each axis."""
    return [(int(before), int(after)) for before, after in np.asarray(site.const(PADDINGS))]


def fill_of(site: Site) -> Array:
    """The value of the padding, [1] of the element type."""
    data = site.consts[VALUE] if len(site.consts) > VALUE else None
    if data is not None:
        return data.reshape(1)
    quantized = site.output.dtype in QUANTIZED
    zero = quant_of(site.output).zero_point if quantized else 0
    return np.full(1, zero, site.output.dtype.numpy)


def _spatial(site: Site) -> tuple[Pair, Pair] | None:
    """Paddings of rows and columns of the canonical map, or None if anything else is padded.

    `TensorType.nhwc` says which axes are rows and columns.
    """
    pairs = paddings_of(site)
    rank = len(pairs)
    columns = None if rank < 2 else rank - 2
    rows = None if rank < 4 else rank - 3
    if any(any(pair) for axis, pair in enumerate(pairs) if axis not in (rows, columns)):
        return None
    return (
        (0, 0) if rows is None else pairs[rows],
        (0, 0) if columns is None else pairs[columns],
    )


def canonical(site: Site) -> Canonical:
    """NHWC if only rows and columns grow, else the whole tensor as one map of N * H rows."""
    if _spatial(site) is not None:
        return default_canonical(site)
    shapes = []
    for type_ in (site.input(INPUT), site.output):
        n, height, width, channels = type_.nhwc
        shapes.append((n * height, width, channels))
    absent = ((0, 0, 0),) * (len(site.inputs) - 1)
    batched = (True, *(False,) * (len(site.inputs) - 1))
    return Canonical(1, (shapes[0], *absent), shapes[1], batched)


def ref(site: Site, x: Array, paddings: Array, value: Array | None = None) -> tuple[Array, ...]:
    """Shapes as in `infer`."""
    return (np.pad(x, paddings_of(site), constant_values=fill_of(site)[0]),)


def window(site: Site) -> Window:
    """The geometry for the driver: one pixel, moved by the padding."""
    spatial = _spatial(site)
    assert spatial is not None
    return Window((1, 1), pad=(spatial[0][0], spatial[1][0]))


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    shape = canonical(site).inputs[INPUT]
    constants = (None,) * (len(site.inputs) - 1)
    if _spatial(site) is None:
        return (Box.of(shape), *constants)
    return (window_region(out, window(site), shape, (out.c0, out.c1)), *constants)


def _fill_fields(site: Site) -> dict[str, ParamValue]:
    """Members of the records for the value: its bytes, and how many."""
    value = fill_of(site)
    return {"fill": value.view(np.uint8), "element": value.itemsize}


def pack_copy(site: Site) -> Params:
    """For the window kernel."""
    fields = {"bytes": site.output.nhwc[3] * site.output.dtype.size_bytes, **_fill_fields(site)}
    return Params("mcuc_pad_copy_params", "pad/pad.h", fields)


def pack(site: Site) -> Params:
    """For the whole kernel: a batch slice if only rows and columns grow, else the whole tensor."""
    spatial = _spatial(site)
    if spatial is not None:
        sizes = [1, 1, *canonical(site).inputs[INPUT]]
        pairs = [(0, 0), (0, 0), *spatial, (0, 0)]
    else:
        lead = MAX_RANK - len(site.output.shape)
        sizes = [1] * lead + list(site.input(INPUT).shape)
        pairs = [(0, 0)] * lead + paddings_of(site)
    after = [n + sum(pair) for n, pair in zip(sizes, pairs, strict=True)]
    return Params(
        "mcuc_pad_params",
        "pad/pad.h",
        {
            "in_size": np.asarray(sizes, np.int32),
            "out_size": np.asarray(after, np.int32),
            "before": np.asarray([before for before, _ in pairs], np.int32),
            **_fill_fields(site),
        },
    )


def is_spatial(site: Site, target: Target) -> bool:
    """Only rows and columns of the map are padded."""
    return _spatial(site) is not None


SPEC = OpSpec(
    name="pad",
    doc="Constant padding of any axis, with zero or a given value",
    Attrs=Attrs,
    operands=(
        OperandSpec("input", DTYPES),
        OperandSpec("paddings", (DType.S32, DType.S64), const=True),
        OperandSpec("value", DTYPES, const=True, optional=True),
    ),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_pad_s8_s8_rows__c",
            source="pad/s8_s8_rows__c.c",
            form=Form.WINDOW,
            when=is_spatial,
            pack=pack_copy,
            window=window,
        ),
        Kernel(
            symbol="mcuc_pad_s8_s8__c",
            source="pad/s8_s8__c.c",
            form=Form.WHOLE,
            when=always,
            pack=pack,
        ),
    ),
    canonical=canonical,
)
