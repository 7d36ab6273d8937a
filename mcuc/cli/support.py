"""The support matrix as a page: `python -m mcuc.cli.support > docs/ops.md` writes it."""

from __future__ import annotations

from mcuc.ops import registry
from mcuc.ops.spec import OpSpec

_HEAD = """# Ops

What `mcuc ops` shows, and the operators of `.tflite` and `.onnx` files that become them. Written by
`python -m mcuc.cli.support > docs/ops.md`.

An op streams, and goes into patches, when a kernel is not of the form `whole`; `alias` is another
view of the same memory. Operators that move elements become `take`, with reshapes around it; SHAPE,
FILL, ZEROS_LIKE, DENSIFY and arithmetic on shapes are done when the file is read. VAR_HANDLE,
READ_VARIABLE, ASSIGN_VARIABLE and CALL_ONCE become state, a WHILE that is Keras's loop of an LSTM
that LSTM. Other control flow, and custom operators other than those of TFLM's audio front-end, are
refused, each by its name. Element types of TFLite's operators one by one:
[tflite_types.md](tflite_types.md).

"""


def page() -> str:
    """docs/ops.md."""
    rows = ["| op | what it is | types of its operands | kernels by form |", "|---|---|---|---|"]
    rows += [_row(spec) for spec in registry().values()]
    return _HEAD + "\n".join(rows) + "\n\n" + _operators()


def _row(spec: OpSpec) -> str:
    types = "; ".join(
        f"{operand.name} {' '.join(d.value for d in operand.dtypes)}"
        for operand in spec.operands
        if not operand.const
    )
    forms: dict[str, list[str]] = {}
    for kernel in spec.kernels:
        name = kernel.symbol.removeprefix("mcuc_")
        forms.setdefault(kernel.form.value, []).append(name)
    kernels = "; ".join(f"{form}: {len(names)}" for form, names in forms.items())
    return f"| {spec.name} | {spec.doc} | {types} | {'alias' if spec.alias else kernels} |"


def _operators() -> str:
    from mcuc.frontends.tflite.builtins import BUILTINS
    from mcuc.frontends.tflite.variables import OPERATORS

    names = sorted({*BUILTINS, *OPERATORS})
    tflite = f"## Operators of TFLite\n{len(names)}: {', '.join(names)}.\n"
    return f"{tflite}\n{_onnx()}"


def _onnx() -> str:
    from mcuc.frontends.onnx.handlers import HANDLERS

    refused = {"DynamicQuantizeLinear"}
    names = sorted({*HANDLERS, "Shape", "Size"} - refused)
    return (
        f"## Operators of ONNX\n{len(names)}: {', '.join(names)}.\n\n"
        "Over constants and shapes more are computed when the file is read (ConstantOfShape,\n"
        "Range, Tile ...). Tests of ONNX's own suite: [onnx.md](onnx.md).\n"
    )


if __name__ == "__main__":
    print(page(), end="")
