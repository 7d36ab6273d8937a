"""TFLM's custom operators of the audio front-end."""

from __future__ import annotations

from collections.abc import Callable

from mcuc.frontends.tflite.builtins.audio_streams import delay, framer, overlap_add, stacker
from mcuc.frontends.tflite.operator import Builtin, Operator, Part, Parts, Remember, Source
from mcuc.ir.types import DType, TensorType
from mcuc.ops import signal


def _attrs(operator: Operator, kind: str) -> signal.Attrs:
    """The numbers of a kind, all of which the options must have."""
    names = signal.KINDS[kind].numbers
    missing = [name for name in names if name not in operator.custom]
    if missing:
        raise operator.error("E112", f"the options have no {', '.join(missing)}")
    return signal.Attrs(kind, tuple(operator.custom[name] for name in names))


def _plain(kind: str) -> Callable[[Operator], Parts]:
    """An operator that is one node."""

    def mapped(operator: Operator) -> Parts:
        operands = tuple(range(len(signal.KINDS[kind].operands)))
        if len(operator.inputs) != len(operands):
            raise operator.error("E112", f"{len(operator.inputs)} operands, not {len(operands)}")
        return (Part("signal", _attrs(operator, kind), operands),)

    return mapped


def auto_scale(operator: Operator) -> Parts:
    """Results: the scaled row, and the bits that it was shifted by."""
    _results(operator, 2)
    return (
        Part("signal", signal.Attrs("auto_scale"), (0,), 0),
        Part("signal", signal.Attrs("scale_bits"), (0,), 1),
    )


def subtraction(operator: Operator) -> Parts:
    """Results: the input without the noise, and the estimate, which is state."""
    _results(operator, 2)
    place = len(operator.inputs)
    estimate = TensorType(operator.type().shape, DType.U32)
    return (
        Source(estimate),
        Part("signal", _attrs(operator, "noise"), (0, place), 1),
        Part("signal", _attrs(operator, "subtract"), (0, place + 1), 0),
        Remember(place, place + 1),
    )


def _results(operator: Operator, count: int) -> None:
    if len(operator.outputs) != count:
        raise operator.error("E104", f"{len(operator.outputs)} results, not {count}")


BUILTINS = {
    f"CUSTOM:Signal{name}": Builtin(mapping)
    for name, mapping in {
        "Window": _plain("window"),
        "FftAutoScale": auto_scale,
        "Rfft": _plain("rfft"),
        "Energy": _plain("energy"),
        "FilterBank": _plain("filter_bank"),
        "FilterBankSquareRoot": _plain("root"),
        "FilterBankSpectralSubtraction": subtraction,
        "PCAN": _plain("pcan"),
        "FilterBankLog": _plain("log"),
        "Irfft": _plain("irfft"),
        "Delay": delay,
        "Framer": framer,
        "Stacker": stacker,
        "OverlapAdd": overlap_add,
    }.items()
}
