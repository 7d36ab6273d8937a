"""The kind of a `.tflite` file, read from it as stored."""

from __future__ import annotations

from pathlib import Path

from mcuc.frontends.tflite.flatbuffer import Reader
from mcuc.frontends.tflite.schema import RawModel, enum_names, operator_name, read_model

# Element types of activations and weights of an operator with weights.
_FORMS = {
    ("INT8", "INT8"): "int8",
    ("UINT8", "UINT8"): "uint8",
    ("INT16", "INT8"): "int16x8",
    ("FLOAT32", "INT8"): "dynamic range",
    ("FLOAT32", "FLOAT32"): "float32",
    ("FLOAT32", "FLOAT16"): "float16 weights",
}


def form_of(file: Path, data: bytes) -> str:
    """What its operators with weights compute on; "uint8" and the like without such operators."""
    model = read_model(Reader(data, str(file)))
    forms = {form for graph in (model, *model.others) for form in _forms(graph)}
    if not forms:
        forms = {_type(model, model.inputs[0]).lower()}
    sparse = any(t.sparsity is not None for t in model.tensors)
    return " and ".join([*sorted(forms), *(["sparse"] if sparse else [])])


def _forms(graph: RawModel) -> list[str]:
    """Of each operator that has weights as its second operand, stored or made of what is."""
    made = {op.outputs[0]: op for op in graph.operators if op.outputs}
    found = []
    for operator in graph.operators:
        if not {"CONV", "FULLY", "LSTM", "SVDF"} & set(operator_name(operator).split("_")):
            continue
        weights = operator.inputs[1]
        maker = made.get(weights)
        if maker is not None and operator_name(maker) in ("DEQUANTIZE", "DENSIFY"):
            weights = maker.inputs[0]
        activations = operator.inputs[2 if operator_name(operator) == "TRANSPOSE_CONV" else 0]
        found.append(_FORMS.get((_type(graph, activations), _type(graph, weights)), ""))
    return [form for form in found if form]


def _type(graph: RawModel, tensor: int) -> str:
    return enum_names("TensorType").get(graph.tensors[tensor].type_code, "")
