"""The operators of TFLM's audio front-end, which make the features of keyword spotters.

What each computes: `mcuc.numerics.audio`. Results of several values are nodes of their own: the
bits that FFT_AUTO_SCALE shifts by, and the estimate of SPECTRAL_SUBTRACTION, which is state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import audio
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs
from mcuc.ops.whole import canonical_whole, region_whole

_S16, _S32, _U32, _U64, _F32 = DType.S16, DType.S32, DType.U32, DType.U64, DType.F32
MOST = 1 << 15  # elements
Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Kind:
    """One of the operators.

    Attributes:
        operands: Element types; those behind `runtime` are constants.
        result: Element type.
        numbers: Names of its numbers.
        shape: Of the result, from the first operand's shape and the numbers.
        ref: From the operands and the numbers.
        runtime: How many operands are run-time.
    """

    operands: tuple[DType, ...]
    result: DType
    numbers: tuple[str, ...]
    shape: Callable[[tuple[int, ...], Numbers], tuple[int, ...]]
    ref: Callable[[list[Array], Numbers], Any]
    runtime: int = 1


def _smoothing(n: Numbers) -> audio.Smoothing:
    return audio.Smoothing(
        now=(n["smoothing"], n["alternate_smoothing"]),
        before=(n["one_minus_smoothing"], n["alternate_one_minus_smoothing"]),
        smoothing_bits=n["smoothing_bits"],
        bits=n["spectral_subtraction_bits"],
        least=n["min_signal_remaining"],
        clamping=bool(n["clamping"]),
    )


def _bank(arrays: list[Array]) -> audio.Bank:
    return audio.Bank(*(np.asarray(a, np.int64).ravel() for a in arrays))


def _same(shape: tuple[int, ...], n: Numbers) -> tuple[int, ...]:
    return shape


def _overlapped(shape: tuple[int, ...], n: Numbers) -> tuple[int, ...]:
    *lead, count, frame = shape
    return (math.prod(lead), (count - 1) * n["step"] + frame)


_OVERLAP = ("frame", "step")
_SUBTRACTION = (
    *("smoothing", "alternate_smoothing", "one_minus_smoothing", "alternate_one_minus_smoothing"),
    *("smoothing_bits", "spectral_subtraction_bits", "min_signal_remaining", "clamping"),
)
KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "window": Kind((_S16, _S16), _S16, ("shift",), _same,
                       lambda a, n: audio.window(a[0], a[1], n["shift"])),
        "auto_scale": Kind((_S16,), _S16, (), _same,
                           lambda a, n: (a[0].astype(np.int64) << audio.scale_bits(a[0]))),
        "scale_bits": Kind((_S16,), _S32, (), lambda shape, n: (),
                           lambda a, n: audio.scale_bits(a[0])),
        "rfft": Kind((_S16,), _S16, ("fft_length",), lambda shape, n: (n["fft_length"] + 2,),
                     lambda a, n: audio.rfft(a[0], n["fft_length"])),
        "irfft": Kind((_S16,), _S16, ("fft_length",),
                      lambda shape, n: (*shape[:-1], n["fft_length"]),
                      lambda a, n: audio.irfft(a[0], n["fft_length"])),
        "overlap_add": Kind((_S16, _S16), _S16, _OVERLAP, _overlapped,
                            lambda a, n: audio.overlap_add(a[0], a[1], n["step"]), 2),
        "overlap_add_f32": Kind((_F32, _F32), _F32, _OVERLAP, _overlapped,
                                lambda a, n: audio.overlap_add(a[0], a[1], n["step"]), 2),
        "energy": Kind((_S16,), _U32, ("start_index", "end_index"),
                       lambda shape, n: (math.prod(shape) // 2,),
                       lambda a, n: audio.energy(a[0], n["start_index"], n["end_index"])),
        "filter_bank": Kind((_U32, *(_S16,) * 5), _U64, ("num_channels",),
                            lambda shape, n: (n["num_channels"],),
                            lambda a, n: audio.filter_bank(a[0], _bank(a[1:]))),
        "root": Kind((_U64, _S32), _U32, (), _same,
                     lambda a, n: audio.roots(a[0], int(a[1])), 2),
        "noise": Kind((_U32, _U32), _U32, _SUBTRACTION, _same,
                      lambda a, n: audio.noise(a[0], a[1], _smoothing(n)), 2),
        "subtract": Kind((_U32, _U32), _U32, _SUBTRACTION, _same,
                         lambda a, n: audio.subtracted(a[0], a[1], _smoothing(n)), 2),
        "pcan": Kind((_U32, _U32, _S16), _U32, ("snr_shift",), _same,
                     lambda a, n: audio.pcan(a[0], a[1], a[2], n["snr_shift"]), 2),
        "log": Kind((_U32,), _S16, ("output_scale", "input_correction_bits"), _same,
                    lambda a, n: audio.logarithms(
                        a[0], n["output_scale"], n["input_correction_bits"])),
    }
)  # fmt: skip


@dataclass(frozen=True)
class Attrs:
    """kind: a key of KINDS; numbers: in the order of the kind's names."""

    kind: str
    numbers: tuple[int, ...] = ()

    @property
    def named(self) -> Numbers:
        """The numbers by their names."""
        return dict(zip(KINDS[self.kind].numbers, self.numbers, strict=True))


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    attrs = attrs_of(site)
    kind = KINDS[attrs.kind]
    types = [
        problems.operand(k, f"operand {k}", (dtype,), const=k >= kind.runtime)
        for k, dtype in enumerate(kind.operands)
    ]
    x = types[0]
    if x is not None and x.elements > MOST:
        problems.add("E117", f"{x.elements} elements; the most is {MOST}")
    if x is not None and not problems.found:
        _check(problems, x, attrs)
    problems.raise_all()
    assert x is not None
    return (TensorType(kind.shape(x.shape, attrs.named), kind.result),)


def _check(problems: Problems, x: TensorType, attrs: Attrs) -> None:
    """Requires sizes that fit, and numbers that the C can shift by and index with."""
    n, site = attrs.named, problems.site
    shifts = [v for name, v in n.items() if "shift" in name or name.endswith("_bits")]
    if any(not 0 <= v < 32 for v in shifts) or min(attrs.numbers, default=0) < 0:
        problems.add("E115", f"the numbers {dict(n)} of a {attrs.kind}")
    elif attrs.kind == "rfft":
        length = n["fft_length"]
        if not 4 <= length <= MOST or length & (length - 1) or x.elements > length:
            problems.add("E115", f"an FFT of {length} for {x.elements} elements: a power of two")
    elif attrs.kind == "irfft":
        length = n["fft_length"]
        if not 4 <= length <= MOST or length & (length - 1) or x.elements != length + 2:
            problems.add("E115", f"an inverse FFT of {length} for {x.elements} elements")
    elif attrs.kind.startswith("overlap_add"):
        _check_overlap(problems, x.shape, n)
    elif attrs.kind == "energy":
        if not n["start_index"] <= n["end_index"] <= x.elements // 2:
            problems.add("E115", f"the range {tuple(n.values())} of {x.elements // 2} frequencies")
    elif attrs.kind == "filter_bank":
        _check_bank(problems, x.elements, n["num_channels"])
    elif attrs.kind == "window" and site.input(1).elements != x.shape[-1]:
        problems.add("E111", f"a window of {site.input(1).elements} for the input {x.shape}")
    elif attrs.kind in ("noise", "subtract", "pcan") and site.input(1).elements != x.elements:
        problems.add("E111", f"{x.elements} channels and {site.input(1).elements} estimates")
    elif attrs.kind == "pcan" and site.input(2).elements < 4 * 32 - 6 + 3:
        problems.add("E111", f"a gain table of {site.input(2).elements}; 125 are needed")
    elif attrs.kind == "root" and site.input(1).elements != 1:
        problems.add("E111", "the bits of a root's scale are one number")


def _check_overlap(problems: Problems, shape: tuple[int, ...], n: Numbers) -> None:
    frame, step = n["frame"], n["step"]
    if len(shape) < 2 or shape[-1] != frame or not 1 <= step < frame:
        problems.add("E115", f"frames of {frame} every {step} elements for the input {shape}")
    elif problems.site.input(1).shape != (math.prod(shape[:-2]), frame - step):
        problems.add("E111", f"the state is {problems.site.input(1).shape} for the input {shape}")


def _check_bank(problems: Problems, size: int, channels: int) -> None:
    bank = _bank([problems.site.const(k) for k in range(1, 6)])
    lists = (bank.frequencies, bank.starts, bank.widths)
    if any(len(part) != channels + 1 for part in lists) or channels < 1:
        problems.add("E111", f"lists of {[len(part) for part in lists]} for {channels} channels")
        return
    ends = bank.starts + bank.widths
    weights = min(len(bank.weights), len(bank.unweights))
    if min(int(part.min()) for part in lists) < 0 or int(ends.max()) > weights:
        problems.add("E115", "the filter bank's lists leave its weights")
    elif int((bank.frequencies + bank.widths).max()) > size:
        problems.add("E115", f"the filter bank leaves the {size} frequencies")
    elif min(int(bank.weights.min()), int(bank.unweights.min())) < 0:
        problems.add("E115", "the filter bank has negative weights")


def ref(site: Site, *operands: Array) -> tuple[Array, ...]:
    attrs = attrs_of(site)
    result = KINDS[attrs.kind].ref(list(operands), attrs.named)
    dtype = KINDS[attrs.kind].result.numpy
    return (np.asarray(result).astype(dtype).reshape(site.output.shape),)


_RECORDS = {
    "noise": "subtraction",
    "subtract": "subtraction",
    "irfft": "rfft",
    "overlap_add_f32": "overlap_add",
}


def pack(site: Site) -> Params:
    """The numbers by their names; sizes; constants and tables."""
    attrs = attrs_of(site)
    kind, size = attrs.kind, site.input(0).elements
    fields: dict[str, ParamValue] = {"size": size, **attrs.named}
    if kind == "window":
        fields |= {"window": site.const(1).ravel(), "width": site.input(1).elements}
    if kind in ("rfft", "irfft"):
        half, sign = attrs.named["fft_length"] // 2, -1 if kind == "rfft" else 1
        tables = {
            "twiddles": audio.twiddles(half, sign),
            "last_twiddles": audio.last_twiddles(half, sign),
        }
        fields |= {**tables, "order": _order(half)}
    if kind.startswith("overlap_add"):
        fields["count"] = site.input(0).shape[-2]
    if kind == "filter_bank":
        names = ("weights", "unweights", "frequencies", "starts", "widths")
        fields |= {name: site.const(k + 1).ravel() for k, name in enumerate(names)}
    if kind == "pcan":
        fields["gain"] = site.const(2).ravel()
    if kind == "log":
        fields["table"] = audio.log_table()
    record = _RECORDS.get(kind, kind)
    return Params(f"mcuc_signal_{record}_params", "signal/signal.h", fields)


def _order(size: int) -> Array:
    """Where the FFT's first step finds each of its numbers."""

    def places(first: int, stride: int, count: int) -> list[int]:
        if count == 1:
            return [first]
        radix = 4 if count % 4 == 0 else 2
        parts = [places(first + q * stride, stride * radix, count // radix) for q in range(radix)]
        return [place for part in parts for place in part]

    return np.asarray(places(0, 1, size), np.uint16)


def scratch(site: Site) -> int:
    """Of an FFT: the complex numbers."""
    attrs = attrs_of(site)
    return 2 * attrs.named["fft_length"] if attrs.kind in ("rfft", "irfft") else 0


def _kernel(name: str, kind: Kind) -> Kernel:
    types = [dtype.value for dtype in (*kind.operands[: kind.runtime], kind.result)]
    stem = f"{'_'.join(types)}_{name.removesuffix('_f32')}__c"
    return Kernel(
        symbol=f"mcuc_signal_{stem}",
        source=f"signal/{stem}.c",
        form=Form.WHOLE,
        when=lambda site, target: attrs_of(site).kind == name,
        pack=pack,
        operands=tuple(range(kind.runtime)),
        scratch=scratch,
    )


SPEC = OpSpec(
    name="signal",
    doc=f"TFLM's audio front-end: {', '.join(KINDS)}",
    Attrs=Attrs,
    operands=(
        OperandSpec("x", (_S16, _U32, _U64, _F32)),
        OperandSpec("y", (_S16, _S32, _U32, _F32), optional=True),
        *(OperandSpec(f"table {k}", (_S16,), const=True, optional=True) for k in range(4)),
    ),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_whole,
    kernels=tuple(_kernel(name, kind) for name, kind in KINDS.items()),
    canonical=canonical_whole,
)
